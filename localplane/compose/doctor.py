"""Finding and removing stored objects that nobody can use, of a plane that runs or of one that is down."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from localplane.apiserver.admission import AdmissionChain
from localplane.apiserver.endpoints.installer import Installer
from localplane.apiserver.registry.judge import Judge
from localplane.apiserver.storage.cacher.bad_objects import BadObject
from localplane.apiserver.storage.errors import CompareFailed, StorageError
from localplane.catalog.groups import groups
from localplane.catalog.options import CatalogOptions
from localplane.servers.aggregator import api_services
from localplane.servers.apiextensions.kind import make_group as make_definitions
from localplane.servers.apiextensions.rules import RuleCompiler

from .options import StorageOptions
from .storage import OpenStorage, open_storage


class NotBad(StorageError):
    """Only what can't be used is removed in this way: there is a proper one for everything else."""

    def __init__(self, key: str) -> None:
        super().__init__(f"nothing is wrong with what is stored under {key}, or nothing is stored there")


class Doctor:
    """Of storage whose objects were judged, or are being."""

    def __init__(self, storage: OpenStorage) -> None:
        self._storage = storage

    async def examine(self) -> list[BadObject]:
        """All that is wrong, in the order of the keys."""
        cacher = self._storage.cacher
        await cacher.catch_up()
        await cacher.judgement.settle()
        return sorted(cacher.judgement.bad_objects, key=lambda each: each.key)

    async def remove(self, key: str) -> None:
        """Delete what is stored under the key of a bad object. Raises NotBad."""
        if all(each.key != key for each in await self.examine()):
            raise NotBad(key)
        backend = self._storage.backend
        found = (await backend.get(key)).kv
        try:
            if found is not None:
                await backend.delete(key, expected=found.revision)
        except CompareFailed as error:
            raise NotBad(key) from error  # somebody has written it meanwhile: it may be good now


@asynccontextmanager
async def doctor_of(options: StorageOptions) -> AsyncIterator[Doctor]:
    """Of a plane that is down. Custom resources are judged as JSON alone: nobody serves their definitions."""
    async with open_storage(options) as storage:
        installer = Installer(storage.cacher.resource, AdmissionChain())
        for group in (api_services.GROUP, *groups(CatalogOptions()), make_definitions(_unheard, RuleCompiler())):
            installer.install(group)
        storage.cacher.judgement.begin(Judge(installer.storing_definitions, storage.cacher.root))
        yield Doctor(storage)


async def _unheard(_: str) -> None:
    """Nobody serves custom resources here."""
