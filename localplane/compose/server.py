"""A whole API server from declared groups: storage, resources, discovery, the chain of filters, the socket.

This is what `localplane.library` runs, and what `kctl up` will run with the built-in kinds.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

from localplane.apiserver.admission import AdmissionChain, Closing, Entrances, Plugin
from localplane.apiserver.audit import AuditLogFile, Auditor, read_policy_file
from localplane.apiserver.authentication import (
    AnonymousAuthenticator,
    Authenticator,
    BearerTokenAuthenticator,
    CertificateVerifier,
    ClientCertificateAuthenticator,
    RequestHeaderAuthenticator,
    StaticTokenAuthenticator,
    TokenAuthenticator,
    TokenUnion,
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
from localplane.apiserver.endpoints.discovery import Discovery, InstalledGroup
from localplane.apiserver.endpoints.installer import Installer
from localplane.apiserver.endpoints.openapi import Descriptions, OpenAPI
from localplane.apiserver.flow_control import FlowSchemas, InFlight
from localplane.apiserver.long_work import LongWork
from localplane.apiserver.registry.judge import Judge
from localplane.apiserver.registry.lookup import Lookup
from localplane.apiserver.request import Answer, Request
from localplane.apiserver.resource import APIGroup
from localplane.apiserver.server.chain import Guards, filters, wrapped
from localplane.apiserver.server.config import ServerConfig, configure
from localplane.apiserver.server.dispatch import Router, dispatch
from localplane.apiserver.server.exposition import Family
from localplane.apiserver.server.hooks import PostStartContext
from localplane.apiserver.server.lifecycle import GenericServer
from localplane.apiserver.server.options import AuditOptions, ServerOptions
from localplane.client import Client, SharedInformerFactory
from localplane.client.workqueue.supervision import Background

from .admin_token import admin_token, admin_token_authenticator
from .in_process import InProcessTransport
from .kubeconfig import write_kubeconfig
from .place import Place, open_place, storage_named
from .storage import OpenStorage, StorageOptions
from .storage_metrics import storage_families

_JUDGED_FIRST: Final = timedelta(milliseconds=250)

Controller: TypeAlias = "Callable[[Plane], Coroutine[Any, Any, None]]"
"""Started once the server is ready, and cancelled before it stops. If it raises, the server stops, and raises that."""

Preparation: TypeAlias = "Callable[[Plane], Awaitable[None]]"
"""Run when the server listens and before it is ready, all of them at once. If one raises, there is no server."""


class Front(Protocol):
    """Answers, before anything of ours does, for what other servers serve, and tells discovery of it."""

    async def handle(self, request: Request) -> Answer | None: ...
    def describe(self) -> Sequence[InstalledGroup]: ...
    def openapi(self) -> Mapping[str, str]: ...
    def on_change(self, listener: Callable[[], None], /) -> None: ...


@dataclass(frozen=True, slots=True)
class PlaneOptions:
    """`name` is what the kubeconfig and, if nobody says otherwise, the data directory are called; by default it is the
    first group's. Whoever holds a client certificate of our authority, or a token of the token file, is who it says;
    only `system:masters` may do everything, unless `authorizer` says otherwise.

    `tokens` are other ways to tell who a bearer token is, and `audiences` for whom those are meant that do not say it.
    `descriptions` are what fields mean, for OpenAPI documents, `front` answers before everything else and `routers`
    paths that are no resource's (those in `listed_paths` the root tells), `assembled` hears of the server before it
    listens, and `preparations`, by name, are what must have happened before anybody may come.
    """

    name: str = ""
    storage: StorageOptions = field(default_factory=StorageOptions)
    server: ServerOptions = field(default_factory=ServerOptions)
    admission: Sequence[Plugin] = ()
    authorizer: Authorizer | None = None
    tokens: Sequence[TokenAuthenticator] = ()
    audiences: tuple[str, ...] = ()
    front: Front | None = None
    descriptions: Callable[[], Descriptions] = dict
    routers: Sequence[Router] = ()
    listed_paths: Sequence[str] = ()
    assembled: Callable[[Plane], None] = lambda _: None
    preparations: Mapping[str, Preparation] = field(default_factory=dict)
    controllers: Sequence[Controller] = ()


@dataclass(slots=True)
class Plane:
    """A running API server. `client` speaks to it as the server itself, without a socket, and `objects` are what is
    stored. `observer` is the same client for those who must go on whatever is stored: its lists and watches, and so
    the informers, pass over what can't be read. `tokens` knows every bearer token that it takes, `entrances` which
    creates are about to be written, and `flow_schemas` to which flow a request belongs. `authority` is the certificate
    that clients trust, if it is our own."""

    name: str
    server: GenericServer
    storage: OpenStorage
    installer: Installer
    client: Client
    observer: Client
    informers: SharedInformerFactory
    objects: Lookup
    tokens: TokenUnion
    kubeconfig: Path
    entrances: Entrances
    flow_schemas: FlowSchemas = field(default_factory=FlowSchemas)
    authority: Path | None = None
    authority_key: Path | None = None

    @property
    def url(self) -> str:
        return self.server.url


@dataclass(frozen=True, slots=True)
class Provided:
    """What admission plugins are initialised with."""

    client: Client
    informers: SharedInformerFactory
    objects: Lookup
    authorizer: Authorizer


@asynccontextmanager
async def open_plane(groups: Sequence[APIGroup], options: PlaneOptions | None = None) -> AsyncIterator[Plane]:
    """Serve declared groups. Ready when the block is entered; drained and stopped when it is left."""
    options = _named(options or PlaneOptions(), next((group.name for group in groups if group.name), "localplane"))
    async with open_place(options.storage) as place, open_plane_at(place, groups, options) as plane:
        yield plane


@asynccontextmanager
async def open_plane_at(place: Place, groups: Sequence[APIGroup], options: PlaneOptions) -> AsyncIterator[Plane]:
    """The same for whoever has opened the storage already."""
    async with AsyncExitStack() as stack:
        config = configure(_with_certificates_in(options.server, place.directory / "pki"))
        token = admin_token(config.generated.authority.parent) if config.generated else ""
        if token:
            options = replace(options, tokens=(*options.tokens, admin_token_authenticator(token)))
        auditor = await _auditor(options.server.audit, stack)
        plane = _assembled(groups, options, place, config, auditor=auditor)
        options.assembled(plane)
        await _judge_what_is_stored(plane)
        for plugin in options.admission:
            if isinstance(plugin, Closing):
                stack.push_async_callback(plugin.close)
        await stack.enter_async_context(plane.informers)
        prepared = _prepare(plane, options.preparations)
        await stack.enter_async_context(plane.server)
        await prepared()
        write_kubeconfig(plane.kubeconfig, name=options.name, url=plane.url, certificates=config.generated, token=token)
        await plane.informers.wait_for_sync()
        for controller in options.controllers:
            await stack.enter_async_context(Background(partial(controller, plane)))
        yield plane


async def _judge_what_is_stored(plane: Plane) -> None:
    """Before anybody in here reads it. On a large store some of it is judged while the server starts already: what the
    server itself depends on comes first."""
    judgement = plane.storage.cacher.judgement
    judge = Judge(plane.installer.storing_definitions, plane.storage.cacher.root)
    judgement.begin(judge)
    loop = asyncio.get_running_loop()

    def served_otherwise() -> None:
        if judge.forget():  # the first of many: what is installed together is judged together
            loop.call_soon(lambda: judgement.again(*judge.changed()))

    plane.installer.on_change(served_otherwise)
    with suppress(TimeoutError):
        async with asyncio.timeout(_JUDGED_FIRST.total_seconds()):
            await judgement.settle()


def _prepare(plane: Plane, preparations: Mapping[str, Preparation]) -> Callable[[], Awaitable[None]]:
    """Let readyz tell what has not happened yet, and return what waits until all of it has."""
    done = {name: asyncio.get_running_loop().create_future() for name in preparations}
    for name, prepare in preparations.items():

        async def hook(_: PostStartContext, name: str = name, prepare: Preparation = prepare) -> None:
            try:
                await prepare(plane)
            except BaseException as error:
                done[name].set_exception(error)
                raise
            done[name].set_result(None)

        plane.server.add_post_start_hook(name, hook)

    async def wait() -> None:
        await asyncio.gather(*done.values())

    return wait


def _named(options: PlaneOptions, otherwise: str) -> PlaneOptions:
    name = options.name or otherwise
    return replace(options, name=name, storage=storage_named(options.storage, name))


def _with_certificates_in(server: ServerOptions, directory: Path) -> ServerOptions:
    if not server.tls.enabled or server.tls.certificate is not None or server.tls.directory is not None:
        return server
    return replace(server, tls=replace(server.tls, directory=directory))


def _assembled(
    groups: Sequence[APIGroup],
    options: PlaneOptions,
    place: Place,
    config: ServerConfig,
    *,
    auditor: Auditor | None,
) -> Plane:
    storage = place.storage
    admission = AdmissionChain(options.admission)
    authorizer = options.authorizer or default_authorizer()
    installer = Installer(storage.cacher.resource, admission, authorizer)
    for group in groups:
        installer.install(group)
    routers = [*_routers(installer, options, lambda: server.url.partition("//")[2]), *options.routers]
    work = LongWork()
    handler = wrapped((), dispatch(routers, complete=lambda: True))
    client, observer = (Client(InProcessTransport(handler, work, only_readable=each)) for each in (False, True))
    informers = SharedInformerFactory(observer)
    objects = Lookup(installer.definitions)
    installer.on_change(objects.forget)
    admission.initialize(Provided(client, informers, objects, authorizer))
    tokens = _tokens(options)
    guards = Guards(
        authenticator=_authenticator(options, config, tokens),
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
        shutdown=guards.shutdown,
        unfinished_writes=guards.unfinished_writes,
        work=work,
    )
    server.paths.list_also(lambda: [*_listed(installer), *options.listed_paths])
    storage.observe_calls(lambda operation, seconds: server.metrics.store_request(operation, "", "", seconds))
    server.metrics.add_collector(lambda: storage_families(storage.cacher, installer.definitions()))
    server.metrics.add_collector(lambda: _flow_families(guards))
    return Plane(
        name=options.name,
        server=server,
        storage=storage,
        installer=installer,
        client=client,
        observer=observer,
        informers=informers,
        objects=objects,
        tokens=tokens,
        kubeconfig=place.directory / "kubeconfig",
        entrances=admission.entrances,
        flow_schemas=guards.flow_schemas,
        authority=config.authority,
        authority_key=config.generated.authority_key if config.generated else None,
    )


def _flow_families(guards: Guards) -> Iterator[Family]:
    text = "Nominal number of execution seats configured for each priority level"
    seats = Family("apiserver_flowcontrol_nominal_limit_seats", "gauge", text)
    limit = guards.in_flight.reads.limit + guards.in_flight.mutations.limit
    for level, count in sorted(guards.flow_schemas.seats(limit).items()):
        seats.add(count, priority_level=level)
    yield seats


def _listed(installer: Installer) -> list[str]:
    """What `/` says that there is to see."""
    paths = ["/openapi/v2", "/openapi/v3"]
    for group in installer.describe():
        root = f"/apis/{group.name}" if group.name else "/api"
        paths += ["/apis", root] if group.name else [root]
        paths += [f"{root}/{version.version}" for version in group.versions]
    return sorted(set(paths))


def _routers(installer: Installer, options: PlaneOptions, address: Callable[[], str]) -> list[Router]:
    """The order in which paths are looked for; discovery first, because it is asked for on every connection."""
    front = options.front

    def describe() -> Sequence[InstalledGroup]:
        return [*(front.describe() if front else ()), *installer.describe()]

    discovery = Discovery(describe, server_address=address)
    others = front.openapi if front else dict
    openapi = OpenAPI(installer.describe, others=others, descriptions=options.descriptions)
    installer.on_change(discovery.changed)
    installer.on_change(openapi.changed)
    own: list[Router] = [discovery.handle, openapi.handle, installer.handle]
    if front is None:
        return own
    front.on_change(discovery.changed)
    return [front.handle, *own]


def _tokens(options: PlaneOptions) -> TokenUnion:
    token_file = options.server.authentication.token_file
    known = [StaticTokenAuthenticator(read_token_file(token_file))] if token_file else []
    return TokenUnion(*known, *options.tokens, audiences=options.audiences)


def _authenticator(options: PlaneOptions, config: ServerConfig, tokens: TokenUnion) -> Authenticator:
    """A front proxy and a client are believed by different authorities, and neither's word counts as the other's."""
    authentication, found = options.server.authentication, list[Authenticator]()
    if (proxy := authentication.request_header) is not None:
        verifier = CertificateVerifier(proxy.client_ca)
        found.append(RequestHeaderAuthenticator(verifier, allowed_names=proxy.allowed_names))
    if config.tls is not None and (client_ca := config.tls.files.client_ca) is not None:
        found.append(ClientCertificateAuthenticator(CertificateVerifier(client_ca)))
    anonymous = AnonymousAuthenticator() if authentication.anonymous else None
    return standard_authenticator(*found, BearerTokenAuthenticator(tokens), anonymous=anonymous)


def default_authorizer() -> Authorizer:
    """Everybody may see that the server lives; whoever is known may see what it serves; the masters may do all."""
    return UnionAuthorizer(
        NamedAuthorizer("kubernetes.io/system-privileged-group", PrivilegedGroups(SYSTEM_MASTERS)),
        NamedAuthorizer("PublicPaths", PathAuthorizer(PUBLIC_PATHS)),
        NamedAuthorizer("Discovery", PathAuthorizer(DISCOVERY_PATHS, groups=("system:authenticated",))),
    )


async def _auditor(options: AuditOptions, stack: AsyncExitStack) -> Auditor | None:
    if options.policy is None or options.log is None:
        return None
    log = await stack.enter_async_context(AuditLogFile(options.log))
    return Auditor(read_policy_file(options.policy), log)
