"""The data of a plane that is down, opened by somebody else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from localplane.apiserver.admission import AdmissionChain
from localplane.apiserver.endpoints.installer import Installer
from localplane.apiserver.registry.judge import Judge
from localplane.catalog.groups import groups
from localplane.catalog.options import CatalogOptions
from localplane.servers.aggregator import api_services
from localplane.servers.apiextensions.kind import make_group as make_definitions
from localplane.servers.apiextensions.rules import RuleCompiler

from .doctor import Doctor
from .options import StorageOptions
from .storage import open_storage


@asynccontextmanager
async def doctor_of(options: StorageOptions) -> AsyncIterator[Doctor]:
    """Custom resources are judged as JSON alone: nobody serves their definitions."""
    async with open_storage(options) as storage:
        installer = Installer(storage.cacher.resource, AdmissionChain())
        for group in (api_services.GROUP, *groups(CatalogOptions()), make_definitions(_unheard, RuleCompiler())):
            installer.install(group)
        storage.cacher.judgement.begin(Judge(installer.storing_definitions, storage.cacher.root))
        yield Doctor(storage)


async def _unheard(_: str) -> None:
    """Nobody serves custom resources here."""
