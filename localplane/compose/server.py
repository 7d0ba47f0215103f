"""A whole API server from declared groups: storage, resources, discovery, the chain of filters, the socket.

This is what `localplane.library` runs, and what `kctl up` will run with the built-in kinds.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from localplane.apiserver.admission import AdmissionChain, Plugin
from localplane.apiserver.audit import AuditLogFile, Auditor, read_policy_file
from localplane.apiserver.authentication import (
    AnonymousAuthenticator,
    Authenticator,
    ClientCertificateAuthenticator,
    StaticTokenAuthenticator,
    read_token_file,
    standard_authenticator,
)
from localplane.apiserver.authorization import (
    DISCOVERY_PATHS,
    PUBLIC_PATHS,
    SYSTEM_MASTERS,
    Authorizer,
    NamedAuthorizer,
    PathAuthorizer,
    PrivilegedGroups,
    UnionAuthorizer,
)
from localplane.apiserver.endpoints.discovery import Discovery
from localplane.apiserver.endpoints.installer import Installer
from localplane.apiserver.endpoints.openapi import OpenAPI
from localplane.apiserver.flow_control import InFlight
from localplane.apiserver.resource import APIGroup
from localplane.apiserver.server.chain import Guards, filters, wrapped
from localplane.apiserver.server.config import ServerConfig, configure
from localplane.apiserver.server.dispatch import Router, dispatch
from localplane.apiserver.server.lifecycle import GenericServer
from localplane.apiserver.server.options import AuditOptions, InvalidOptions, ServerOptions
from localplane.client import Client, SharedInformerFactory
from localplane.client.background import Background

from .in_process import InProcessTransport
from .kubeconfig import write_kubeconfig
from .storage import OpenStorage, StorageKind, StorageOptions, default_data_dir, open_storage
from .storage_metrics import storage_families

Controller: TypeAlias = "Callable[[Plane], Coroutine[Any, Any, None]]"
"""Started once the server is ready, and cancelled before it stops. If it raises, the server stops, and raises that."""


@dataclass(frozen=True, slots=True)
class PlaneOptions:
    """`name` is what the kubeconfig and, if nobody says otherwise, the data directory are called; by default it is the
    first group's. Whoever holds a client certificate of our authority, or a token of the token file, is who it says;
    only `system:masters` may do everything, unless `authorizer` says otherwise."""

    name: str = ""
    storage: StorageOptions = field(default_factory=StorageOptions)
    server: ServerOptions = field(default_factory=ServerOptions)
    admission: Sequence[Plugin] = ()
    authorizer: Authorizer | None = None
    controllers: Sequence[Controller] = ()


@dataclass(slots=True)
class Plane:
    """A running API server. `client` speaks to it as the server itself, without a socket."""

    name: str
    server: GenericServer
    storage: OpenStorage
    installer: Installer
    client: Client
    informers: SharedInformerFactory
    kubeconfig: Path

    @property
    def url(self) -> str:
        return self.server.url


@dataclass(frozen=True, slots=True)
class Provided:
    """What admission plugins are initialised with."""

    client: Client
    informers: SharedInformerFactory


@asynccontextmanager
async def open_plane(groups: Sequence[APIGroup], options: PlaneOptions | None = None) -> AsyncIterator[Plane]:
    """Serve declared groups. Ready when the block is entered; drained and stopped when it is left."""
    options = _named(options or PlaneOptions(), groups)
    async with AsyncExitStack() as stack:
        storage = await stack.enter_async_context(open_storage(options.storage))
        directory = storage.data_dir or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="localplane-")))
        config = configure(_with_certificates_in(options.server, directory / "pki"))
        auditor = await _auditor(options.server.audit, stack)
        plane = _assembled(groups, options, storage, config, auditor=auditor, directory=directory)
        await stack.enter_async_context(plane.informers)
        await stack.enter_async_context(plane.server)
        write_kubeconfig(plane.kubeconfig, name=options.name, url=plane.url, certificates=config.generated)
        await plane.informers.wait_for_sync()
        for controller in options.controllers:
            await stack.enter_async_context(Background(partial(controller, plane)))
        yield plane


def _named(options: PlaneOptions, groups: Sequence[APIGroup]) -> PlaneOptions:
    """With a name, and with a data directory of that name where one is needed: servers don't share by accident."""
    name = options.name or next((group.name for group in groups if group.name), "localplane")
    if "/" in name or name in (".", ".."):
        raise InvalidOptions([f"{name!r} can't be a server's name, because a directory can't be called so"])
    storage = options.storage
    if storage.data_dir is None and storage.kind is not StorageKind.MEMORY and not storage.etcd_servers:
        storage = replace(storage, data_dir=default_data_dir(name))
    return replace(options, name=name, storage=storage)


def _with_certificates_in(server: ServerOptions, directory: Path) -> ServerOptions:
    if not server.tls.enabled or server.tls.certificate is not None or server.tls.directory is not None:
        return server
    return replace(server, tls=replace(server.tls, directory=directory))


def _assembled(
    groups: Sequence[APIGroup],
    options: PlaneOptions,
    storage: OpenStorage,
    config: ServerConfig,
    *,
    auditor: Auditor | None,
    directory: Path,
) -> Plane:
    admission = AdmissionChain(options.admission)
    authorizer = options.authorizer or _authorizer()
    installer = Installer(storage.cacher.resource, admission, authorizer)
    for group in groups:
        installer.install(group)
    routers = _routers(installer)
    client = Client(InProcessTransport(wrapped((), dispatch(routers, complete=lambda: True))))
    informers = SharedInformerFactory(client)
    admission.initialize(Provided(client, informers))
    guards = Guards(
        authenticator=_authenticator(options.server),
        authorizer=authorizer,
        in_flight=InFlight(
            read_limit=options.server.max_requests_in_flight,
            mutating_limit=options.server.max_mutating_requests_in_flight,
        ),
        auditor=auditor,
        request_timeout=options.server.request_timeout,
    )
    server = GenericServer(
        config,
        filters=filters(guards),
        routers=routers,
        checks=storage.readiness()[1:],  # ping is the server's own
        unsynced=informers.unsynced,
        unfinished_writes=guards.unfinished_writes,
    )
    server.paths.list_also(lambda: _listed(installer))
    storage.observe_calls(lambda operation, seconds: server.metrics.store_request(operation, "", "", seconds))
    server.metrics.add_collector(lambda: storage_families(storage.cacher, installer.definitions()))
    return Plane(options.name, server, storage, installer, client, informers, directory / "kubeconfig")


def _listed(installer: Installer) -> list[str]:
    """What `/` says that there is to see."""
    paths = ["/openapi/v2", "/openapi/v3"]
    for group in installer.describe():
        root = f"/apis/{group.name}" if group.name else "/api"
        paths += ["/apis", root] if group.name else [root]
        paths += [f"{root}/{version.version}" for version in group.versions]
    return sorted(set(paths))


def _routers(installer: Installer) -> list[Router]:
    """The order in which paths are looked for; discovery first, because it is asked for on every connection."""
    discovery = Discovery(installer.describe)
    openapi = OpenAPI(installer.describe)
    return [discovery.handle, openapi.handle, installer.handle]


def _authenticator(options: ServerOptions) -> Authenticator:
    token_file = options.authentication.token_file
    tokens = [StaticTokenAuthenticator(read_token_file(token_file))] if token_file else []
    anonymous = AnonymousAuthenticator() if options.authentication.anonymous else None
    return standard_authenticator(ClientCertificateAuthenticator(), *tokens, anonymous=anonymous)


def _authorizer() -> Authorizer:
    """Everybody may see that the server lives; whoever is known may see what it serves; the masters may do all."""
    return UnionAuthorizer(
        NamedAuthorizer("PrivilegedGroups", PrivilegedGroups(SYSTEM_MASTERS)),
        NamedAuthorizer("PublicPaths", PathAuthorizer(PUBLIC_PATHS)),
        NamedAuthorizer("Discovery", PathAuthorizer(DISCOVERY_PATHS, groups=("system:authenticated",))),
    )


async def _auditor(options: AuditOptions, stack: AsyncExitStack) -> Auditor | None:
    if options.policy is None or options.log is None:
        return None
    log = await stack.enter_async_context(AuditLogFile(options.log))
    return Auditor(read_policy_file(options.policy), log)
