"""A whole API server around a kernel: who is let in, what is answered beside resources, the filters, the socket.

`open_plane` is what `localplane.library` runs: declared groups and nothing else. `open_server` is for whoever has built
his own kernel, as `control_plane` does.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Protocol, TypeAlias

from localplane.apimachinery.clock import present
from localplane.apimachinery.clock.virtual import VirtualClock
from localplane.apimachinery.schema import DeclarationError
from localplane.apiserver.admission import Plugin
from localplane.apiserver.audit import AuditLogFile, Auditor, PolicyInvalid, read_policy_file
from localplane.apiserver.authentication import TokenUnion
from localplane.apiserver.authorization import (
    DISCOVERY_PATHS,
    PUBLIC_PATHS,
    SYSTEM_MASTERS,
    Authorizer,
    Demands,
    NamedAuthorizer,
    PathAuthorizer,
    PrivilegedGroups,
    UnionAuthorizer,
)
from localplane.apiserver.authorization.delegated import DelegatedAuthorizer
from localplane.apiserver.declared import check_instance, check_items, require, require_once
from localplane.apiserver.endpoints.discovery import DiscoveryHandler, InstalledGroup
from localplane.apiserver.endpoints.enablement import Enablement
from localplane.apiserver.endpoints.installer import Installer
from localplane.apiserver.endpoints.openapi import BESIDE_GROUPS, Descriptions, OpenAPI
from localplane.apiserver.flow_control import FlowSchemas, InFlight
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.lookup import Lookup
from localplane.apiserver.request import Answer, Request
from localplane.apiserver.resource import APIGroup
from localplane.apiserver.server.certificates.self_signed import CertificateFiles
from localplane.apiserver.server.chain import Guards, filters
from localplane.apiserver.server.config import ServerConfig
from localplane.apiserver.server.dispatch import Router, not_found
from localplane.apiserver.server.flags import LibraryFlag
from localplane.apiserver.server.hooks import PostStartContext
from localplane.apiserver.server.lifecycle import GenericServer
from localplane.apiserver.server.monitoring.exposition import Family
from localplane.apiserver.server.options import AuditOptions, InvalidOptions, ServerOptions
from localplane.apiserver.storage.cacher import Cacher
from localplane.apiserver.storage.outage import STORE, StoreOutage
from localplane.client import Client, SharedInformerFactory
from localplane.client.kubeconfig import load, resolve
from localplane.client.workqueue.supervision import Background
from localplane.instruments.history import History
from localplane.instruments.requests import Requests
from localplane.instruments.snapshots import Snapshots
from localplane.instruments.table import Instrument, Instruments

from .archives import archive_of
from .credentials import ServerCredentials
from .home import open_home, storage_named
from .kernel import Kernel
from .kubeconfig import write_kubeconfig, write_passing_kubeconfig
from .options import StorageOptions
from .storage import OpenStorage

if TYPE_CHECKING:
    from localplane.apiserver.faults.active_rule import ActiveRule

_USUAL_MEGABYTES: Final = 100

Controller: TypeAlias = "Callable[[Plane], Coroutine[Any, Any, None]]"
"""Started once the server is ready, and cancelled before it stops. If it raises, the server stops, and raises that."""

Preparation: TypeAlias = "Callable[[Plane], Awaitable[None]]"
"""Run when the server listens and before it is ready, all of them at once. If one raises, there is no server."""

_OTHER_NAMES: Final[Mapping[str, Sequence[str]]] = {
    "crd-informer-synced": (
        "poststarthook/start-apiserver-admission-initializer",
        "poststarthook/generic-apiserver-start-informers",
        "poststarthook/start-apiextensions-informers",
        "poststarthook/start-apiextensions-controllers",
    ),
    "priority-and-fairness-config-producer": (
        "poststarthook/priority-and-fairness-config-consumer",
        "poststarthook/priority-and-fairness-filter",
    ),
    "bootstrap-controller": (
        "poststarthook/start-service-ip-repair-controllers",
        "poststarthook/start-kubernetes-service-cidr-controller",
    ),
    "apiservice-registration-controller": (
        "poststarthook/start-kube-aggregator-informers",
        "poststarthook/apiservice-status-local-available-controller",
        "poststarthook/apiservice-status-remote-available-controller",
        "poststarthook/apiservice-discovery-controller",
        "poststarthook/kube-apiserver-autoregistration",
        "autoregister-completion",
        "poststarthook/apiservice-openapi-controller",
        "poststarthook/apiservice-openapiv3-controller",
    ),
}
"""What Kubernetes does in several hooks and we in one, by that one: whoever looks for their checks finds them."""


@dataclass(frozen=True, slots=True)
class PlaneOptions:
    """`name` is what the kubeconfig and, if nobody says otherwise, the data directory are called; by default it is the
    first group's. Whoever holds a client certificate of our authority, or a token of the token file, is who it says;
    only `system:masters` may do everything, unless `authorizer` says otherwise, or the cluster that
    `authorization_kubeconfig` names and that is asked about everybody else."""

    name: str = ""
    server: ServerOptions = field(default_factory=ServerOptions)
    storage: StorageOptions = field(default_factory=StorageOptions)
    authorization_kubeconfig: Annotated[
        Path | None,
        LibraryFlag(
            "--authorization-kubeconfig",
            "the cluster to ask who may do what; default: only system:masters may do anything",
            metavar="PATH",
        ),
    ] = None
    admission: Sequence[Plugin] = ()
    authorizer: Authorizer | None = None
    controllers: Sequence[Controller] = ()

    def __post_init__(self) -> None:
        for key, wanted in (("server", ServerOptions), ("storage", StorageOptions)):
            check_instance(key, getattr(self, key), wanted)
        for plugin in self.admission:
            require(
                not isinstance(plugin, type),
                f"PlaneOptions: admission has the class {getattr(plugin, '__name__', '')}: give an instance of it",
            )
            require(hasattr(plugin, "name"), f"PlaneOptions: the admission plugin {plugin!r} has no name")
        for controller in self.controllers:
            require(callable(controller), f"PlaneOptions: the controller {controller!r} is no function of a plane")


class NoOwnClock(RuntimeError):
    """Time can't be made to pass here."""


@dataclass(frozen=True, slots=True)
class Plane:
    """A running API server. `tokens` knows every bearer token that it takes, and `flow_schemas` to which flow a request
    belongs. `instruments` are for those who test against it. `authority` is the certificate that clients trust,
    `client_authority` whose certificates of clients are believed, and `signer` what certificates can be signed with
    here, if it is our own. `branch`, of a whole cluster in memory, opens another one that begins with all that this one
    has."""

    name: str
    kernel: Kernel[Any]
    server: GenericServer
    kubeconfig: Path
    tokens: TokenUnion
    flow_schemas: FlowSchemas
    instruments: Instruments
    authority: Path | None = None
    client_authority: Path | None = None
    signer: CertificateFiles | None = None
    branch: Callable[[], AbstractAsyncContextManager[Plane]] | None = None

    @property
    def url(self) -> str:
        return self.server.url

    @property
    def client(self) -> Client:
        """Speaks to it as the server itself, without a socket."""
        return self.kernel.client

    @property
    def observer(self) -> Client:
        """The same client for those who must go on whatever is stored."""
        return self.kernel.observer

    @property
    def informers(self) -> SharedInformerFactory:
        return self.kernel.informers

    @property
    def objects(self) -> Lookup:
        return self.kernel.objects

    @property
    def installer(self) -> Installer:
        return self.kernel.installer

    @property
    def storage(self) -> OpenStorage:
        return self.kernel.storage

    def now(self) -> datetime:
        """By the clock that it goes by."""
        with self.kernel.clock.running() if self.kernel.clock is not None else nullcontext():
            return present()

    async def advance(self, by: timedelta, *, within: timedelta = timedelta(minutes=1)) -> None:
        """Let time pass: see VirtualClock.advance. Raises NoOwnClock for a plane that goes by the machine's."""
        if self.kernel.clock is None:
            raise NoOwnClock(
                f"the plane {self.name} goes by this machine's clock, which nobody advances: clusters of"
                " localplane.testing have clocks of their own"
            )
        await self.kernel.clock.advance(by, within=within)


class Front(Protocol):
    """Answers, before anything of ours does, for what other servers serve, and tells discovery of it."""

    async def handle(self, request: Request) -> Answer | None: ...
    def describe(self) -> Sequence[InstalledGroup]: ...
    def openapi(self) -> Mapping[str, str]: ...
    def on_change(self, listener: Callable[[], None], /) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Extensions:
    """What a server has beside the resources of its kernel. `tokens` are those that it takes. `front` answers before
    everything else, `routers` answer paths that are no resource's (those in `listed_paths` the root tells), and
    `descriptions` are what fields mean, for OpenAPI documents. `preparations`, by name, are what must have happened
    before anybody may come. `enablement` says what others see of what is installed."""

    tokens: TokenUnion
    front: Front | None = None
    descriptions: Callable[[], Descriptions] = dict
    routers: Sequence[Router] = ()
    listed_paths: Sequence[str] = ()
    preparations: Mapping[str, Preparation] = field(default_factory=dict)
    controllers: Sequence[Controller] = ()
    enablement: Enablement = field(default_factory=Enablement)


@asynccontextmanager
async def open_plane(groups: Sequence[APIGroup], options: PlaneOptions | None = None) -> AsyncIterator[Plane]:
    """Serve declared groups. Ready when the block is entered; drained and stopped when it is left. Raises
    DeclarationError for groups that can't be served."""
    _check_groups(groups)
    options = options or PlaneOptions()
    name = options.name or next((group.name for group in groups if group.name), "localplane")
    async with _authorizer(options) as authorizer, open_home(storage_named(options.storage, name)) as home:
        credentials = ServerCredentials.in_directory(home.keys, options.server)
        kernel = Kernel(home, lambda _: authorizer, options.admission)
        for group in groups:
            kernel.installer.install(group)
        extensions = Extensions(tokens=credentials.tokens(), controllers=options.controllers)
        async with open_server(kernel, name, options.server, credentials, extensions) as plane:
            yield plane


_KUBERNETES_OWN: Final = frozenset({"apps", "autoscaling", "batch", "extensions", "policy"})


def _check_groups(groups: Sequence[APIGroup]) -> None:
    check_items("groups", groups, APIGroup)
    require_once("the group", [group.name for group in groups])
    for group in groups:
        if group.name and "." not in group.name and group.name not in _KUBERNETES_OWN:
            raise DeclarationError(
                f"APIGroup({group.name!r}): groups without a dot are Kubernetes' own: {group.name}.example.com"
            )


@asynccontextmanager
async def _authorizer(options: PlaneOptions) -> AsyncIterator[Authorizer]:
    """Those who may do all may do so without the cluster; for the rest it is asked."""
    own = options.authorizer or default_authorizer()
    if options.authorization_kubeconfig is None:
        yield own
        return
    async with Client.connect(resolve(load(options.authorization_kubeconfig))) as client:
        yield UnionAuthorizer(NamedAuthorizer("own", own), NamedAuthorizer("delegated", DelegatedAuthorizer(client)))


@asynccontextmanager
async def open_server(
    kernel: Kernel[Any], name: str, options: ServerOptions, credentials: ServerCredentials, extensions: Extensions
) -> AsyncIterator[Plane]:
    """Serve what is installed in a kernel, as `open_plane` does."""
    async with AsyncExitStack() as stack:
        config = credentials.config
        guards = Guards(
            authenticator=credentials.authenticator(extensions.tokens),
            authorizer=kernel.authorizer,
            demands=kernel.demands,
            in_flight=InFlight(
                read_limit=options.max_requests_in_flight, mutating_limit=options.max_mutating_requests_in_flight
            ),
            auditor=await _auditor(options.audit, stack),
            request_timeout=options.request_timeout,
            faults=kernel.faults,
            revision_before=kernel.storage.cacher.revision_before,
            clock=kernel.clock,
        )
        instruments = Instruments()
        instruments.mount("requests", Requests(kernel.request_log).handle)
        history = History(kernel.storage.cacher, kernel.installer, kernel.request_log, kernel.installer.handle)
        instruments.mount("history", history.handle)
        archive = archive_of(kernel.storage.cacher, kernel.installer)
        instruments.mount("snapshots", Snapshots(archive, plane=name, store=lambda: kernel.storage.store).handle)
        instruments.mount("rbac", _permissions(kernel.demands))
        instruments.mount("clock", _clock(kernel.clock))
        plane = Plane(
            name=name,
            kernel=kernel,
            server=_server(kernel, config, guards, extensions, instruments),
            kubeconfig=credentials.kubeconfig_in(kernel.directory),
            tokens=extensions.tokens,
            flow_schemas=guards.flow_schemas,
            instruments=instruments,
            authority=config.authority,
            client_authority=config.client_authority,
            signer=config.generated,
        )
        _let_faults_strike(plane)
        await stack.enter_async_context(kernel.running())
        prepared = _prepare(plane, extensions.preparations)
        await stack.enter_async_context(plane.server)
        await prepared()
        entry = credentials.admin_entry(name, plane.url)
        if credentials.are_passing:
            stack.callback(plane.kubeconfig.unlink, missing_ok=True)
            write_passing_kubeconfig(plane.kubeconfig, entry)
        else:
            write_kubeconfig(plane.kubeconfig, entry)
        await plane.informers.wait_for_sync()
        for controller in extensions.controllers:
            await stack.enter_async_context(Background(partial(controller, plane)))
        stack.callback(kernel.faults.clear)  # nothing goes wrong on purpose while it stops
        stack.callback(plane.server.request_stop)  # readyz says so before anything has stopped
        yield plane


def _clock(clock: VirtualClock | None) -> Instrument:
    """It is imported when somebody asks."""

    async def handle(request: Request, rest: str) -> Answer:
        from localplane.instruments.clock import ClockInstrument

        return await ClockInstrument(clock).handle(request, rest)

    return handle


def _permissions(demands: Demands) -> Instrument:
    """It is imported when somebody asks: a server of declared groups has no roles of its own."""

    async def handle(request: Request, rest: str) -> Answer:
        from localplane.instruments.permissions import Permissions

        return await Permissions(demands).handle(request, rest)

    return handle


def _let_faults_strike(plane: Plane) -> None:
    """Requests meet them in the chain; the rest of the plane hears of them here. What that takes is imported with the
    first rule."""
    faults, storage = plane.kernel.faults, plane.storage
    outage = StoreOutage(storage.backend, storage.cacher.lose_feed)

    def begin(active: ActiveRule) -> None:
        from localplane.apiserver.server.interruptions import Interruptions

        if active.rule.fault.down == STORE:
            outage.begin()
        Interruptions(faults, plane.server.http.streams).begin(active)

    def end(active: ActiveRule) -> None:
        if active.rule.fault.down == STORE:
            outage.end()

    async def answer(request: Request, name: str) -> Answer:
        from localplane.instruments.faults import FaultsInstrument

        return await FaultsInstrument(faults).answer(request, name)

    faults.observe(begin=begin, end=end)
    plane.instruments.mount("faults", answer)


def _server(
    kernel: Kernel[Any], config: ServerConfig, guards: Guards, extensions: Extensions, instruments: Instruments
) -> GenericServer:
    storage, installer, enablement = kernel.storage, kernel.installer, extensions.enablement
    kernel.routers[:] = [
        *_routers(kernel, extensions, lambda: server.url.partition("//")[2]),
        instruments.handle,
    ]
    server = GenericServer(
        config,
        filters=filters(guards),
        routers=_for_others(kernel.routers, extensions),
        checks=storage.readiness()[1:],  # ping is the server's own
        unsynced=kernel.informers.unsynced,
        shutdown=guards.shutdown,
        unfinished_writes=guards.unfinished_writes,
        work=kernel.work,
        ring=kernel.request_log.requests,
    )
    server.paths.list_also(lambda: [*_listed(enablement.shown(installer.describe())), *extensions.listed_paths])
    storage.observe_calls(lambda operation, seconds: server.metrics.store_request(operation, "", "", seconds))
    server.metrics.add_collector(lambda: _storage_families(storage.cacher, installer.definitions()))
    server.metrics.add_collector(lambda: _flow_families(guards))
    return server


def _for_others(routers: list[Router], extensions: Extensions) -> list[Router]:
    """Those that answer clients outside: for them, what is switched off is not there, unless another server has it."""
    front, enablement = extensions.front, extensions.enablement
    if not enablement.disabled:
        return routers

    async def hide(request: Request) -> Answer | None:
        return not_found() if enablement.hides(request) else None

    return [*([front.handle] if front else []), hide, *routers]


def _routers(kernel: Kernel[Any], extensions: Extensions, address: Callable[[], str]) -> list[Router]:
    """The order in which paths are looked for; discovery first, because it is asked for on every connection."""
    front, installer = extensions.front, kernel.installer

    def describe() -> Sequence[InstalledGroup]:
        return [*(front.describe() if front else ()), *described()]

    def described() -> Sequence[InstalledGroup]:
        return extensions.enablement.shown(installer.describe())

    discovery = DiscoveryHandler(describe, server_address=address)
    others = front.openapi if front else dict
    openapi = OpenAPI(described, others=others, descriptions=extensions.descriptions, beside=BESIDE_GROUPS)
    installer.on_change(discovery.changed)
    installer.on_change(openapi.changed)
    own: list[Router] = [discovery.handle, openapi.handle, *kernel.routers, *extensions.routers]
    if front is None:
        return own
    front.on_change(discovery.changed)
    return [front.handle, *own]


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
        for check in _OTHER_NAMES.get(name, ()):
            plane.server.name_post_start_hook(check, name)

    async def wait() -> None:
        await asyncio.gather(*done.values())

    return wait


def _flow_families(guards: Guards) -> Iterator[Family]:
    text = "Nominal number of execution seats configured for each priority level"
    seats = Family("apiserver_flowcontrol_nominal_limit_seats", "gauge", text)
    limit = guards.in_flight.reads.limit + guards.in_flight.mutations.limit
    for level, count in sorted(guards.flow_schemas.seats(limit).items()):
        seats.add(count, priority_level=level)
    yield seats


def _storage_families(cacher: Cacher, definitions: Iterable[Definition]) -> Iterator[Family]:
    """How much there is, who watches, and how much of the past is at hand."""
    objects = Family("apiserver_storage_objects", "gauge", "Objects that are stored, by resource.")
    for definition in definitions:
        group, resource = definition.resource.group, definition.resource.resource
        objects.add(cacher.count(definition.prefix), group=group, resource=resource)
    yield objects
    for name, text, value in (
        ("apiserver_registered_watchers", "Watches that are open.", len(cacher.watchers)),
        ("watch_cache_capacity", "Events that the watch cache may hold.", cacher.window.capacity),
        ("apiserver_watch_cache_events", "Events that the watch cache holds.", len(cacher.window)),
        ("apiserver_watch_cache_objects", "Objects that the watch cache holds.", len(cacher.index)),
        ("apiserver_storage_discontinuities", "How often the store was another than before.", cacher.discontinuities),
        ("apiserver_watch_cache_resource_version", "How far the watch cache has come.", cacher.revision),
    ):
        family = Family(name, "gauge", text)
        family.add(value)
        yield family


def _listed(groups: Iterable[InstalledGroup]) -> list[str]:
    """What `/` says that there is to see."""
    paths = ["/openapi/v2", "/openapi/v3"]
    for group in groups:
        root = f"/apis/{group.name}" if group.name else "/api"
        paths += ["/apis", root] if group.name else [root]
        paths += [f"{root}/{version.version}" for version in group.versions]
    return sorted(set(paths))


def default_authorizer() -> Authorizer:
    """Everybody may see that the server lives; whoever is known may see what it serves; the masters may do all."""
    return UnionAuthorizer(
        NamedAuthorizer("kubernetes.io/system-privileged-group", PrivilegedGroups(SYSTEM_MASTERS)),
        NamedAuthorizer("PublicPaths", PathAuthorizer(PUBLIC_PATHS)),
        NamedAuthorizer("Discovery", PathAuthorizer(DISCOVERY_PATHS, groups=("system:authenticated",))),
    )


async def _auditor(options: AuditOptions, stack: AsyncExitStack) -> Auditor | None:
    """Raises InvalidOptions for a policy that is none and a log that can't be written."""
    if options.policy is None or options.log is None:
        return None
    try:
        policy = read_policy_file(options.policy)
    except PolicyInvalid as error:
        raise InvalidOptions([f"the audit policy can't be used: {error}"]) from error
    log = AuditLogFile(
        options.log,
        legacy=options.log_format == "legacy",
        max_bytes=(options.log_max_megabytes or _USUAL_MEGABYTES) << 20,
        max_backups=options.log_max_backups,
        max_age=timedelta(days=options.log_max_age),
    )
    try:
        await stack.enter_async_context(log)
    except OSError as error:
        raise InvalidOptions([f"the audit log {options.log} can't be written: {error.strerror}"]) from error
    return Auditor(policy, log)
