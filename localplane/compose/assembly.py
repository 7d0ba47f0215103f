"""What a cluster is made of, put together: the built-in kinds, who may do what, what a fresh cluster has, controllers.

`cluster` imports this while the store starts: nearly everything else is imported with it.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from localplane.apimachinery.errors import InternalError
from localplane.apis.descriptions import descriptions
from localplane.apiserver.admission import Plugin
from localplane.apiserver.authentication import TokenHolder
from localplane.apiserver.authentication.groups import with_authenticated
from localplane.apiserver.authorization import (
    SYSTEM_MASTERS,
    Authorizer,
    NamedAuthorizer,
    PrivilegedGroups,
    UnionAuthorizer,
    UnionRules,
)
from localplane.apiserver.outbound import WebhookFailed
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.lookup import Lookup
from localplane.apiserver.resource import APIGroup
from localplane.apiserver.server.options import InvalidOptions
from localplane.catalog.groups import groups as builtin_groups
from localplane.catalog.kubelets import KubeletConnections
from localplane.catalog.options import CatalogOptions
from localplane.catalog.service_addresses import NoAddress, service_address
from localplane.client import Client, GroupVersionResource
from localplane.client.workqueue.rate_limiters import Backoff, BackoffPolicy
from localplane.client.workqueue.supervision import keep_running
from localplane.servers.aggregator import api_services
from localplane.servers.aggregator.connections import Connections
from localplane.servers.aggregator.following import AvailabilityController
from localplane.servers.aggregator.front_proxy import FrontProxyFiles, ensure_front_proxy
from localplane.servers.aggregator.proxying import Proxy
from localplane.servers.aggregator.publishing import publish
from localplane.servers.aggregator.registration import LocalVersion, follow, register
from localplane.servers.aggregator.serving import Aggregator
from localplane.servers.apiextensions.kind import make_group as make_definitions
from localplane.servers.apiextensions.rules import RuleCompiler
from localplane.servers.apiextensions.serving import CustomResources
from localplane.servers.kube import bootstrap, upkeep
from localplane.servers.kube.admission import select_plugins
from localplane.servers.kube.node_authorizer import NodeAuthorizer
from localplane.servers.kube.rbac import RBACAuthorizer
from localplane.servers.kube.rbac.escalation import GROUP as RBAC_GROUP
from localplane.servers.kube.rbac.escalation import guarded
from localplane.servers.kube.tokens import (
    OPENID_PATHS,
    ServiceAccountAuthenticator,
    ServiceAccountTokens,
    openid_router,
    track_legacy_tokens,
)
from localplane.servers.metrics import make_group as make_metrics

from .cluster import SIGNING_KEY, ClusterOptions
from .place import Place
from .server import Plane, PlaneOptions, Preparation, open_plane_at
from .waking import awakened

if TYPE_CHECKING:
    from localplane.controllers.context import CertificateAuthority, ControllerContext

_log = logging.getLogger(__name__)
_RESTART = BackoffPolicy(initial=timedelta(seconds=1), maximum=timedelta(minutes=1), jitter=0.2)
_NO_CONTROLLERS = ("none",)
_NOBODY = "192.0.2.1"
"""An address that is reserved for documents: a machine without a network tells this one."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Controllers are imported when the server is ready, so there is only whether there are any."""

    controllers: bool
    plugins: list[Plugin]


def wanted_parts(options: ClusterOptions) -> Wanted:
    """The names in the options, found; all that are unknown are told at once."""
    problems = _unknown_controllers(options.controllers)
    plugins: list[Plugin] = []
    try:
        plugins = select_plugins(enabled=options.enabled_admission_plugins, disabled=options.disabled_admission_plugins)
    except ValueError as error:
        problems.append(str(error))
    if problems:
        raise InvalidOptions(problems)
    return Wanted(tuple(options.controllers) != _NO_CONTROLLERS, plugins)


def _unknown_controllers(patterns: Sequence[str]) -> list[str]:
    if tuple(patterns) in (("*",), _NO_CONTROLLERS):
        return []  # there is nothing to misspell
    from localplane.controllers import select

    try:
        select(patterns)
    except ValueError as error:
        return [str(error)]
    return []


@asynccontextmanager
async def open_cluster_at(
    place: Place, options: ClusterOptions, *, spare_key: RSAPrivateKey | None
) -> AsyncIterator[Plane]:
    """A whole cluster for whoever has opened the storage already. Raises InvalidOptions."""
    wanted = wanted_parts(options)
    tokens = await ServiceAccountTokens.open(place.directory / SIGNING_KEY, spare=spare_key)
    cluster = _Cluster(options, wanted, tokens, ensure_front_proxy(place.directory / "pki"))
    plane_options = PlaneOptions(name=options.name, storage=options.storage, server=options.server)
    async with open_plane_at(place, cluster.groups, cluster.completed(plane_options)) as plane:
        yield plane


class _Cluster:
    """What is put together before there is a server. What needs its objects asks for them when it is called."""

    def __init__(
        self, options: ClusterOptions, wanted: Wanted, tokens: ServiceAccountTokens, front_proxy: FrontProxyFiles
    ) -> None:
        self._front_proxy = front_proxy
        self._aggregator = Aggregator()
        self._availability: AvailabilityController | None = None
        self._options = options
        self._wanted = wanted
        self._tokens = tokens
        self._plane: Plane | None = None
        self._objects = Lookup(self._definitions)
        self._accounts = ServiceAccountAuthenticator(tokens, lambda: self._objects, self._client)
        self._kubelets = KubeletConnections()
        rbac, nodes = RBACAuthorizer(self._objects), NodeAuthorizer(self._objects)
        self._authorizer = _authorizer(nodes, rbac)
        catalog = CatalogOptions(
            service_cluster_ip_range=options.service_cluster_ip_range,
            objects=self._objects,
            token_signer=tokens,
            authenticate_token=self._authenticate_token,
            authorizer=self._authorizer,
            rule_resolver=UnionRules((nodes, rbac)),
            kubelets=self._kubelets,
        )
        rules = RuleCompiler()
        self._custom = CustomResources(self._service_address, rules)
        self.groups: list[APIGroup] = [
            api_services.GROUP,
            *(
                guarded(group, rbac, self._authorizer) if group.name == RBAC_GROUP else group
                for group in builtin_groups(catalog)
            ),
            make_definitions(self._custom.written, rules),
        ]
        if options.simulated_nodes:
            self.groups.append(make_metrics(self._objects))

    def _remember(self, plane: Plane) -> None:
        self._plane = plane
        connections = Connections(self._front_proxy)
        self._aggregator.attach(Proxy(plane.objects, connections))
        self._availability = AvailabilityController(
            self._aggregator,
            client=plane.client,
            informers=plane.informers,
            objects=plane.objects,
            connections=connections,
        )

    def _definitions(self) -> list[Definition]:
        assert self._plane is not None, "nobody asks before the server listens"
        return self._plane.installer.definitions()

    async def _service_address(self, namespace: str, name: str, port: int) -> tuple[str, int]:
        try:
            return await service_address(self._objects, namespace, name, port)
        except NoAddress as error:
            raise WebhookFailed(str(error)) from error

    def _client(self) -> Client:
        assert self._plane is not None, "nobody asks before the server listens"
        return self._plane.client

    async def _authenticate_token(self, token: str, audiences: tuple[str, ...]) -> TokenHolder:
        assert self._plane is not None, "nobody asks before the server listens"
        tokens = self._plane.tokens
        holder = await tokens.holder(token, audiences or tokens.audiences, [])
        return replace(holder, user=with_authenticated(holder.user))

    def completed(self, options: PlaneOptions) -> PlaneOptions:
        return replace(
            options,
            admission=self._wanted.plugins,
            authorizer=self._authorizer,
            tokens=[self._accounts],
            audiences=self._tokens.audiences,
            front=self._aggregator,
            descriptions=descriptions,
            routers=[openid_router(self._tokens)],
            listed_paths=OPENID_PATHS,
            assembled=self._remember,
            preparations=self._preparations(),
            controllers=[
                self._run_custom_resources,
                self._run_aggregator,
                self._run_upkeep,
                *([self._run_life] if self._wanted.controllers or self._options.simulated_nodes else []),
            ],
        )

    def _preparations(self) -> dict[str, Preparation]:
        """By the names that readyz gives them in kube-apiserver."""
        namespaces = asyncio.Event()

        def after_namespaces(make: Callable[[Client, bootstrap.Facts], Awaitable[None]]) -> Preparation:
            async def prepare(plane: Plane) -> None:
                await namespaces.wait()
                await make(plane.observer, self._facts(plane))

            return prepare

        async def make_namespaces(plane: Plane) -> None:
            await bootstrap.make_namespaces(plane.observer, self._facts(plane))
            namespaces.set()

        async def make_system_objects(plane: Plane) -> None:
            await after_namespaces(bootstrap.make_system_objects)(plane)
            if self._makes_accounts():
                await bootstrap.make_first_account(plane.observer)
            if self._options.simulated_nodes:
                await bootstrap.make_metrics_role(plane.observer)
                await bootstrap.make_storage_class(plane.observer)

        async def track_tokens(plane: Plane) -> None:
            await namespaces.wait()
            with _unreadable_is_logged("the use of legacy tokens is not noted"):
                await track_legacy_tokens(plane.client)

        async def publish_authorities(plane: Plane) -> None:
            await namespaces.wait()
            authority = _text(self._front_proxy.authority)
            with _unreadable_is_logged("other servers are not told whom to believe"):
                await publish(plane.client, client_authority=_text(plane.authority), proxy_authority=authority)

        async def load_definitions(plane: Plane) -> None:
            installer = plane.installer
            definitions = installer.served("apiextensions.k8s.io", ("v1", "customresourcedefinitions", ""))
            assert definitions is not None, "it is one of our groups"
            self._custom.attach(installer, definitions.definition, plane.storage.cacher.resource)
            await self._custom.load()

        async def register_versions(plane: Plane) -> None:
            await namespaces.wait()
            await register(plane.observer, _versions(self.groups))

        return {
            "start-system-namespaces-controller": make_namespaces,
            "crd-informer-synced": load_definitions,
            "bootstrap-controller": make_system_objects,
            "rbac/bootstrap-roles": after_namespaces(bootstrap.make_roles),
            "scheduling/bootstrap-system-priority-classes": after_namespaces(bootstrap.make_priority_classes),
            "priority-and-fairness-config-producer": after_namespaces(bootstrap.make_flow_control),
            "start-legacy-token-tracking-controller": track_tokens,
            "start-cluster-authentication-info-controller": publish_authorities,
            "apiservice-registration-controller": register_versions,
        }

    def _makes_accounts(self) -> bool:
        if not self._wanted.controllers or tuple(self._options.controllers) == ("*",):
            return self._wanted.controllers
        from localplane.controllers import select

        return any(spec.name == "serviceaccount-controller" for spec in select(self._options.controllers))

    def _facts(self, plane: Plane) -> bootstrap.Facts:
        network = ipaddress.ip_network(self._options.service_cluster_ip_range)
        return bootstrap.Facts(
            address=_advertised(self._options.server.addresses[0]),
            port=plane.server.port,
            service_cluster_ip_range=str(network),
            first_service_ip=str(network[1]),
            client_ca=_text(plane.authority),
        )

    async def _run_custom_resources(self, plane: Plane) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(_kept_running("the server of custom resources", self._custom.run))
            versions = partial(follow, plane.observer, self._custom.versions, self._custom.versions_changed)
            tasks.create_task(_kept_running("the registration of custom resources", versions))

    async def _run_aggregator(self, _: Plane) -> None:
        assert self._availability is not None, "it was made before the server listened"
        await _kept_running("the aggregator", self._availability.run)

    async def _run_upkeep(self, plane: Plane) -> None:
        cidrs = (self._facts(plane).service_cluster_ip_range,)
        run = partial(upkeep.run, plane.observer, plane.informers, plane.flow_schemas, service_cidrs=cidrs)
        await _kept_running("the upkeep of the server", run)

    async def _run_life(self, plane: Plane) -> None:
        """Controllers, scheduler and nodes. They are imported here, beside the loop: the server is ready, and nobody
        waits for them."""
        await asyncio.to_thread(import_module, "localplane.controllers")
        from localplane.controllers import run, select
        from localplane.controllers.context import ControllerContext

        context = ControllerContext(
            plane.observer,
            plane.informers,
            strict=plane.client,
            creates_are_over=plane.entrances.closed,
            awakened=partial(awakened, plane),
            root_ca=_text(plane.authority),
            authority=_signing(plane),
            sign_token=self._tokens.sign,
        )
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(run(select(self._options.controllers), context))
            if self._options.simulated_nodes:
                tasks.create_task(_kept_running("the scheduler", partial(self._schedule, plane, context)))
                tasks.create_task(_kept_running("the simulation of nodes", partial(self._simulate, context)))

    async def _schedule(self, plane: Plane, context: ControllerContext) -> None:
        from localplane.controllers.context import Wake

        await awakened(plane, Wake(GroupVersionResource("", "v1", "pods")))
        scheduler = await asyncio.to_thread(import_module, "localplane.scheduler")
        await scheduler.start(context, seed=self._options.seed)

    async def _simulate(self, context: ControllerContext) -> None:
        nodes = await asyncio.to_thread(import_module, "localplane.nodes")
        count, seed = self._options.simulated_nodes, self._options.seed or 0
        await nodes.start(context, nodes.NodeOptions(count=count, seed=seed, connections=self._kubelets))


async def _kept_running(name: str, start: Callable[[], Awaitable[None]]) -> None:
    await keep_running(name, start, Backoff(_RESTART))


@contextmanager
def _unreadable_is_logged(consequence: str) -> Iterator[None]:
    """An object that can't be read keeps no server from starting."""
    try:
        yield
    except InternalError as error:
        _log.error("%s: %s", consequence, error)


def _signing(plane: Plane) -> CertificateAuthority | None:
    """Our own authority. Somebody else's key is not ours to use."""
    from localplane.controllers.context import CertificateAuthority

    if plane.authority is None or plane.authority_key is None:
        return None
    return CertificateAuthority(plane.authority, plane.authority_key)


def _authorizer(nodes: NodeAuthorizer, rbac: RBACAuthorizer) -> Authorizer:
    """The masters stand before all roles, so that nobody can lock them out. Everybody else, the anonymous included,
    has what the roles give them that a fresh cluster has; a kubelet, what the pods on its node refer to."""
    return UnionAuthorizer(
        NamedAuthorizer("kubernetes.io/system-privileged-group", PrivilegedGroups(SYSTEM_MASTERS)),
        NamedAuthorizer("node", nodes),
        NamedAuthorizer("rbac", rbac),
    )


def _versions(groups: Sequence[APIGroup]) -> list[LocalVersion]:
    """What this process answers for itself. The aggregator's own group is nobody's to move."""
    return [
        LocalVersion(group.name, version, group.priority, group.version_priorities.get(version, 15))
        for group in groups
        if group is not api_services.GROUP
        for version in group.versions()
    ]


def _advertised(address: str) -> str:
    """The address that the cluster's own endpoints tell. No endpoint may have a loopback address or none, so it is the
    one by which this machine reaches others; no packet is sent to find it out. Kubernetes: apimachinery/pkg/util/net,
    ChooseHostInterface."""
    ip = ipaddress.ip_address(address)
    if not (ip.is_loopback or ip.is_unspecified):
        return address
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((_NOBODY, 9))
        except OSError:
            return _NOBODY
        found: str = probe.getsockname()[0]
    return _NOBODY if ipaddress.ip_address(found).is_loopback else found


def _text(path: Path | None) -> str:
    return path.read_text(encoding="ascii") if path else ""
