"""A cluster's kinds and admission on a store in memory, and nothing else: no server, no keys, no controllers. For those
who only ask whether an object would be taken.

Left out of admission is whoever needs what a set of files does not have: other servers (webhooks), objects that are in
the cluster already (accounts, classes) or that a controller keeps (quotas). What objects refer to is not looked at.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from localplane.apiserver.authorization import AlwaysAllow
from localplane.apiserver.endpoints.installer import Installer
from localplane.apiserver.outbound import WebhookFailed
from localplane.apiserver.server.dispatch import dispatch
from localplane.catalog.groups import groups as builtin_groups
from localplane.catalog.options import CatalogOptions
from localplane.client import Client
from localplane.client.transport.headers import ServerWarning
from localplane.client.transport.interface import Pairs, Response
from localplane.servers.aggregator import api_services
from localplane.servers.apiextensions.custom_resources import CustomResources
from localplane.servers.kube.admission import select_plugins

from .home import Home
from .in_process import InProcessTransport
from .kernel import Kernel
from .options import StorageKind, StorageOptions
from .storage import open_storage

_LEFT_OUT = (
    "MutatingAdmissionWebhook",
    "ValidatingAdmissionWebhook",
    "Priority",
    "ResourceQuota",
    "RuntimeClass",
    "ServiceAccount",
)
_ADMINISTRATOR = (
    ("Impersonate-User", "kubernetes-admin"),
    ("Impersonate-Group", "system:masters"),
    ("Impersonate-Group", "system:authenticated"),
)


@dataclass(frozen=True, slots=True)
class OfflineCluster:
    """`client` writes as an administrator, without a socket. Plugins may be a moment behind what was written; when
    `catch_up` has ended they know it."""

    installer: Installer
    client: Client
    catch_up: Callable[[], Awaitable[None]]


@asynccontextmanager
async def open_offline(warn: Callable[[ServerWarning], None]) -> AsyncIterator[OfflineCluster]:
    """`warn` hears what a server would warn about. When the block is entered there are no objects and no namespaces."""
    async with open_storage(StorageOptions(kind=StorageKind.MEMORY)) as storage:
        kernel = Kernel(Home(storage, Path(), Path()), lambda _: AlwaysAllow(), select_plugins(disabled=_LEFT_OUT))
        kernel.installer.install(api_services.GROUP)
        for group in builtin_groups(CatalogOptions(objects=kernel.objects)):
            kernel.installer.install(group)
        custom = CustomResources(kernel.installer, kernel.objects, storage.cacher.resource, _nowhere)
        handler = dispatch(kernel.routers, complete=lambda: True)
        transport = _AsAdministrator(InProcessTransport(handler, kernel.work, kernel.request_log.internal))
        async with kernel.running():
            await custom.load()  # there are none, and from now on they are served when they are written
            yield OfflineCluster(kernel.installer, Client(transport, warn=warn), storage.cacher.catch_up)


class _AsAdministrator:
    """Policies may ask who writes, and nobody who applies manifests is the server itself."""

    def __init__(self, transport: InProcessTransport) -> None:
        self._transport = transport

    async def request(
        self, method: str, path: str, *, query: Pairs = (), headers: Pairs = (), body: bytes | None = None
    ) -> Response:
        return await self._transport.request(method, path, query=query, headers=[*headers, *_ADMINISTRATOR], body=body)

    async def close(self) -> None:
        """There is nothing to close."""


async def _nowhere(namespace: str, name: str, port: int) -> tuple[str, int]:
    raise WebhookFailed(f"{namespace}/{name}:{port} is not asked: nobody is, where manifests are only looked at")
