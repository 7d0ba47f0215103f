"""A cluster's parts on their kernel: the built-in kinds and custom resources, the aggregator, who may do what, whose
tokens are believed; then the server with all of it.

`cluster` imports this while the store starts: nearly everything else is imported with it.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from localplane.apimachinery.clock.virtual import VirtualClock
from localplane.apis.descriptions import descriptions
from localplane.apiserver.admission import Plugin
from localplane.apiserver.authentication import TokenAuthenticator, TokenHolder
from localplane.apiserver.authentication.union import with_authenticated
from localplane.apiserver.authorization import (
    SYSTEM_MASTERS,
    AlwaysAllow,
    AlwaysDeny,
    NamedAuthorizer,
    PrivilegedGroups,
    UnionAuthorizer,
    UnionRules,
)
from localplane.apiserver.authorization.delegated import WebhookAuthorizer
from localplane.apiserver.outbound import WebhookFailed
from localplane.apiserver.registry.lookup import Lookup
from localplane.apiserver.resource import APIGroup
from localplane.apiserver.server.options import InvalidOptions
from localplane.apiserver.storage.interface import Storage
from localplane.catalog.core.services.port_range import PREFIX as RANGES
from localplane.catalog.core.services.repair import ServiceRepair
from localplane.catalog.groups import groups as builtin_groups
from localplane.catalog.kubelets import KubeletConnections
from localplane.catalog.options import CatalogOptions
from localplane.catalog.service_addresses import NoAddress, service_address
from localplane.servers.aggregator import api_services
from localplane.servers.aggregator.aggregator import Aggregator
from localplane.servers.aggregator.available_controller import AvailabilityController
from localplane.servers.aggregator.connections import Connections
from localplane.servers.aggregator.front_proxy import FrontProxyFiles, ensure_front_proxy
from localplane.servers.aggregator.proxy import Proxy
from localplane.servers.aggregator.registration import follow
from localplane.servers.apiextensions.custom_resources import CustomResources
from localplane.servers.kube import upkeep
from localplane.servers.kube.admission import select_plugins
from localplane.servers.kube.node_authorizer import NodeAuthorizer
from localplane.servers.kube.rbac import RBACAuthorizer
from localplane.servers.kube.rbac.escalation import GROUP as RBAC_GROUP
from localplane.servers.kube.rbac.escalation import guarded
from localplane.servers.kube.tokens import (
    OPENID_PATHS,
    Issuance,
    ServiceAccountAuthenticator,
    ServiceAccountTokens,
    openid_router,
)
from localplane.servers.metrics import make_group as make_metrics

from .cluster import SIGNING_KEY
from .credentials import ServerCredentials
from .home import Home, branch_home
from .kernel import Kernel
from .life import Life, kept_running
from .options import AuthorizationMode, ClusterOptions, ServiceAccountOptions, StorageKind
from .outside import outside_authenticators, webhook_authorizer
from .preparations import Preparations
from .server import Extensions, Plane, open_server

_NO_CONTROLLERS = ("none",)


@dataclass(frozen=True, slots=True)
class WantedParts:
    """Controllers are imported when the server is ready, so there is only whether there are any, and whether one makes
    accounts."""

    controllers: bool
    accounts: bool
    plugins: list[Plugin]


def wanted_parts(options: ClusterOptions) -> WantedParts:
    """The names in the options, found; all that are unknown are told at once."""
    problems: list[str] = []
    accounts = False
    plugins: list[Plugin] = []
    try:
        accounts = _make_accounts(options.controllers)
    except ValueError as error:
        problems.append(str(error))
    try:
        plugins = select_plugins(enabled=options.enabled_admission_plugins, disabled=options.disabled_admission_plugins)
    except ValueError as error:
        problems.append(str(error))
    problems += options.authorization.problems()
    problems += options.leader_election.problems()
    if problems:
        raise InvalidOptions(problems)
    return WantedParts(tuple(options.controllers) != _NO_CONTROLLERS, accounts, plugins)


def _make_accounts(controllers: Sequence[str]) -> bool:
    """Whether one of these makes accounts. Raises ValueError for one that there isn't."""
    if tuple(controllers) in (("*",), _NO_CONTROLLERS):
        return tuple(controllers) != _NO_CONTROLLERS  # there is nothing to misspell
    from localplane.controllers import select

    return any(spec.name == "serviceaccount-controller" for spec in select(controllers))


@asynccontextmanager
async def open_cluster_at(
    home: Home, options: ClusterOptions, *, spare_key: RSAPrivateKey | None
) -> AsyncIterator[Plane]:
    """A whole cluster for whoever has opened the storage already. Raises InvalidOptions."""
    wanted = wanted_parts(options)
    if AuthorizationMode.ALWAYS_ALLOW in options.authorization.modes:
        # Whoever is known may do everything, and nobody comes in unknown: so says kube-apiserver, too.
        known = replace(options.server.authentication, anonymous=False)
        options = replace(options, server=replace(options.server, authentication=known))
    async with AsyncExitStack() as stack:
        signing = await _signing(options.service_accounts, home.keys / SIGNING_KEY, spare_key)
        identity = Identity(
            signing,
            ensure_front_proxy(home.keys),
            ServerCredentials.in_directory(home.keys, options.server, administrator=options.administrator),
            await outside_authenticators(options.server.authentication, signing.audiences, stack),
            await webhook_authorizer(options.authorization, stack),
        )
        yield await stack.enter_async_context(_opened(home, options, wanted, identity))


async def _signing(
    options: ServiceAccountOptions, own_key: Path, spare_key: RSAPrivateKey | None
) -> ServiceAccountTokens:
    issuance = Issuance(
        issuers=options.issuers or Issuance().issuers,
        audiences=options.audiences,
        jwks_uri=options.jwks_uri,
        longest=options.longest_token,
    )
    return await ServiceAccountTokens.open(
        own_key, spare=spare_key, signing_key=options.signing_key, key_files=options.key_files, issuance=issuance
    )


@dataclass(frozen=True, slots=True)
class Identity:
    """What a cluster is known by, and whom it asks. `signing` signs tokens of service accounts, `front_proxy` is what
    other servers know this one by; `others` know tokens of somebody else's, and `webhook` what somebody may do."""

    signing: ServiceAccountTokens
    front_proxy: FrontProxyFiles
    credentials: ServerCredentials
    others: Sequence[TokenAuthenticator] = ()
    webhook: WebhookAuthorizer | None = None


@asynccontextmanager
async def _opened(
    home: Home, options: ClusterOptions, wanted: WantedParts, identity: Identity, *, is_branch: bool = False
) -> AsyncIterator[Plane]:
    authorizer = partial(ClusterAuthorizer, modes=options.authorization.modes, webhook=identity.webhook)
    kernel = Kernel(home, authorizer, wanted.plugins)
    parts = ControlPlane(kernel, options, identity)
    extensions = parts.extensions(wanted, is_branch=is_branch)
    async with open_server(kernel, options.name, options.server, identity.credentials, extensions) as plane:
        can_branch = options.storage.kind is StorageKind.MEMORY
        yield replace(plane, branch=partial(_branch, home, options, identity)) if can_branch else plane


def _branch(trunk: Home, options: ClusterOptions, identity: Identity) -> AbstractAsyncContextManager[Plane]:
    """Another cluster in this process that has all that this one has at this moment: nothing is made anew, and what
    does not change is shared. It listens on a port of its own, and has an administrator and a clock of its own."""
    if trunk.clock is None:
        return _branched(trunk, options, identity, None)
    clock = trunk.clock.branch()
    return clock.around(_branched(trunk, options, identity, clock))


@asynccontextmanager
async def _branched(
    trunk: Home, options: ClusterOptions, identity: Identity, clock: VirtualClock | None
) -> AsyncIterator[Plane]:
    identity = replace(identity, credentials=identity.credentials.for_branch())
    async with (
        branch_home(trunk, options.storage, clock=clock) as home,
        _opened(home, options, wanted_parts(options), identity, is_branch=True) as plane,
    ):
        yield plane


class ClusterAuthorizer(UnionAuthorizer):
    """The masters stand before all roles, so that nobody can lock them out. Everybody else, the anonymous included,
    has what those of the `modes` give them: as a rule what the roles do that a fresh cluster has; a kubelet, what the
    pods on its node refer to. `rbac` is there in any mode: who writes a role must have what is in it."""

    def __init__(
        self, objects: Lookup, *, modes: Sequence[AuthorizationMode], webhook: WebhookAuthorizer | None = None
    ) -> None:
        self.rbac = RBACAuthorizer(objects)
        chosen = [(mode, self._of(mode, objects, webhook)) for mode in modes]
        self.rules = UnionRules([resolver for _, resolver in chosen])
        super().__init__(
            NamedAuthorizer("kubernetes.io/system-privileged-group", PrivilegedGroups(SYSTEM_MASTERS)),
            *(NamedAuthorizer(mode.lower(), authorizer) for mode, authorizer in chosen),
        )

    def _of(
        self, mode: AuthorizationMode, objects: Lookup, webhook: WebhookAuthorizer | None
    ) -> NodeAuthorizer | RBACAuthorizer | WebhookAuthorizer | AlwaysAllow | AlwaysDeny:
        match mode:
            case AuthorizationMode.NODE:
                return NodeAuthorizer(objects)
            case AuthorizationMode.RBAC:
                return self.rbac
            case AuthorizationMode.WEBHOOK:
                assert webhook is not None, "options were checked"
                return webhook
            case AuthorizationMode.ALWAYS_ALLOW:
                return AlwaysAllow()
            case AuthorizationMode.ALWAYS_DENY:
                return AlwaysDeny()


class ControlPlane:
    """What a cluster serves, installed on its kernel, and who keeps it."""

    def __init__(self, kernel: Kernel[ClusterAuthorizer], options: ClusterOptions, identity: Identity) -> None:
        self._kernel = kernel
        self._options = options
        self._signing = signing = identity.signing
        self._front_proxy = front_proxy = identity.front_proxy
        self._kubelets = KubeletConnections()
        accounts = ServiceAccountAuthenticator(signing, kernel.objects, kernel.client)
        self._tokens = identity.credentials.tokens(accounts, *identity.others, audiences=signing.audiences)
        connections = Connections(front_proxy, kernel.faults.api_service_failure)
        self._aggregator = Aggregator(Proxy(kernel.objects, connections))
        self._availability = AvailabilityController(
            self._aggregator,
            client=kernel.client,
            informers=kernel.informers,
            objects=kernel.objects,
            connections=connections,
        )
        builtins = [api_services.GROUP, *self._builtin_groups()]
        for group in builtins:
            kernel.installer.install(group)
        self._custom = CustomResources(
            kernel.installer,
            kernel.objects,
            kernel.storage.cacher.resource,
            self._service_address,
            kernel.faults.webhook_failure,
            has_companions=not kernel.storage.backend.exclusive,
        )
        self._groups = [*builtins, self._custom.group]
        if options.simulated_nodes:
            metrics = make_metrics(kernel.objects)
            kernel.installer.install(metrics)
            self._groups.append(metrics)

    def _builtin_groups(self) -> list[APIGroup]:
        authorizer = self._kernel.authorizer
        catalog = CatalogOptions(
            service_cluster_ip_range=self._options.service_cluster_ip_range,
            objects=self._kernel.objects,
            token_signer=self._signing,
            authenticate_token=self._authenticate_token,
            authorizer=authorizer,
            demanding=self._kernel.demanding,
            service_node_port_range=self._options.service_node_ports,
            rule_resolver=authorizer.rules,
            kubelets=self._kubelets,
            shared_ranges=self._shared_ranges(),
        )
        return [
            guarded(group, authorizer.rbac, authorizer) if group.name == RBAC_GROUP else group
            for group in builtin_groups(catalog)
        ]

    def _shared_ranges(self) -> Storage | None:
        storage = self._kernel.storage
        return None if storage.backend.exclusive else storage.cacher.resource(RANGES)

    async def _authenticate_token(self, token: str, audiences: tuple[str, ...]) -> TokenHolder:
        holder = await self._tokens.holder(token, audiences or self._tokens.audiences, [])
        return replace(holder, user=with_authenticated(holder.user))

    async def _service_address(self, namespace: str, name: str, port: int) -> tuple[str, int]:
        try:
            return await service_address(self._kernel.objects, namespace, name, port)
        except NoAddress as error:
            raise WebhookFailed(str(error)) from error

    def extensions(self, wanted: WantedParts, *, is_branch: bool) -> Extensions:
        """What the server has beside its resources."""
        self._preparations = preparations = Preparations(
            self._options,
            self._groups,
            self._custom,
            self._front_proxy,
            makes_accounts=wanted.accounts,
            is_branch=is_branch,
        )
        life = Life(
            self._options, self._signing, self._kubelets, registered=preparations.registered, is_branch=is_branch
        )
        lives = wanted.controllers or self._options.simulated_nodes
        return Extensions(
            tokens=self._tokens,
            front=self._aggregator,
            descriptions=descriptions,
            routers=[openid_router(self._signing)],
            listed_paths=OPENID_PATHS,
            enablement=self._options.server.enablement,
            preparations=preparations.hooks(),
            controllers=[
                self._run_custom_resources,
                self._run_aggregator,
                self._run_upkeep,
                *([life.run] if lives else []),
            ],
        )

    async def _run_custom_resources(self, plane: Plane) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(kept_running("the server of custom resources", self._custom.run))
            versions = partial(follow, plane.observer, self._custom.versions, self._custom.versions_changed)
            tasks.create_task(kept_running("the registration of custom resources", versions))

    async def _run_aggregator(self, _: Plane) -> None:
        await kept_running("the aggregator", self._availability.run)

    async def _run_upkeep(self, plane: Plane) -> None:
        cidrs = (str(ipaddress.ip_network(self._options.service_cluster_ip_range)),)
        run = partial(upkeep.run, plane.observer, plane.informers, plane.flow_schemas, service_cidrs=cidrs)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(kept_running("the upkeep of the server", run))
            if not plane.storage.backend.exclusive:
                endpoints = self._preparations.endpoints(plane)
                tasks.create_task(kept_running("telling where this server is", endpoints.run))
            if (ranges := self._shared_ranges()) is not None:
                repair = ServiceRepair(plane.objects, ranges, self._options.service_node_ports)
                tasks.create_task(kept_running("the repair of what services hold", repair.run))
