"""What must have happened before anybody may come to a cluster: its post-start hooks, by the names that readyz gives
them in kube-apiserver. All run at once when the server listens; most wait for the first namespaces."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from importlib import import_module
from typing import Final

from localplane.apimachinery.errors import APIError, InternalError
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.endpoints.enablement import Enablement
from localplane.apiserver.resource import APIGroup
from localplane.client import Client
from localplane.servers.aggregator import api_services
from localplane.servers.aggregator.front_proxy import FrontProxyFiles, publish
from localplane.servers.aggregator.registration import LocalVersion, register
from localplane.servers.apiextensions.custom_resources import CustomResources
from localplane.servers.kube import bootstrap
from localplane.servers.kube.tokens import track_legacy_tokens
from localplane.servers.kube.upkeep.server_endpoints import PREFIX as MASTER_LEASES
from localplane.servers.kube.upkeep.server_endpoints import ServerAddress, ServerEndpoints

from .life import node_options, text_of
from .options import ClusterOptions
from .server import Plane, Preparation

_log = logging.getLogger(__name__)
_LONGEST_REGISTRATION: Final = timedelta(seconds=10)
_NOBODY = "192.0.2.1"
"""An address that is reserved for documents: a machine without a network tells this one."""


class Preparations:
    """`groups` are what this process answers for itself. In a branch everything was made before it was branched."""

    def __init__(
        self,
        options: ClusterOptions,
        groups: Sequence[APIGroup],
        custom: CustomResources,
        front_proxy: FrontProxyFiles,
        *,
        makes_accounts: bool,
        is_branch: bool = False,
    ) -> None:
        self._options = options
        self._groups = groups
        self._custom = custom
        self._front_proxy = front_proxy
        self._makes_accounts = makes_accounts
        self._is_branch = is_branch
        self._namespaces = asyncio.Event()
        self.registered: list[JSONObject] = []
        """The nodes that were made."""

    def hooks(self) -> dict[str, Preparation]:
        if self._is_branch:
            return {"crd-informer-synced": self._load_definitions}
        nodes: dict[str, Preparation] = {}
        if self._options.simulated_nodes:
            nodes["simulated-nodes"] = self._register_nodes
        return {
            "start-system-namespaces-controller": self._make_namespaces,
            "crd-informer-synced": self._load_definitions,
            "bootstrap-controller": self._make_system_objects,
            "rbac/bootstrap-roles": self._after_namespaces(bootstrap.make_roles),
            "scheduling/bootstrap-system-priority-classes": self._after_namespaces(bootstrap.make_priority_classes),
            "priority-and-fairness-config-producer": self._after_namespaces(bootstrap.make_flow_control),
            "start-legacy-token-tracking-controller": self._track_tokens,
            "start-cluster-authentication-info-controller": self._publish_authorities,
            "apiservice-registration-controller": self._register_versions,
            **nodes,
        }

    def _after_namespaces(self, make: Callable[[Client, bootstrap.Facts], Awaitable[None]]) -> Preparation:
        async def prepare(plane: Plane) -> None:
            await self._namespaces.wait()
            await make(plane.observer, self._facts(plane))

        return prepare

    async def _make_namespaces(self, plane: Plane) -> None:
        await bootstrap.make_namespaces(plane.observer, self._facts(plane))
        self._namespaces.set()

    async def _load_definitions(self, _: Plane) -> None:
        await self._custom.load()

    async def _make_system_objects(self, plane: Plane) -> None:
        await self._namespaces.wait()
        await bootstrap.make_system_objects(plane.observer, self._facts(plane))
        with _unreadable_is_logged("clients in the cluster are not told where this server is"):
            await self.endpoints(plane).publish()
        if self._makes_accounts:
            await bootstrap.make_first_account(plane.observer)
        if self._options.simulated_nodes:
            await bootstrap.make_metrics_role(plane.observer)
            await bootstrap.make_storage_class(plane.observer)

    async def _track_tokens(self, plane: Plane) -> None:
        await self._namespaces.wait()
        with _unreadable_is_logged("the use of legacy tokens is not noted"):
            await track_legacy_tokens(plane.client)

    async def _publish_authorities(self, plane: Plane) -> None:
        await self._namespaces.wait()
        authority = text_of(self._front_proxy.bundle)
        with _unreadable_is_logged("other servers are not told whom to believe"):
            await publish(plane.client, client_authority=text_of(plane.client_authority), proxy_authority=authority)

    async def _register_versions(self, plane: Plane) -> None:
        await self._namespaces.wait()
        await register(plane.observer, _versions(self._groups, self._options.server.enablement))

    async def _register_nodes(self, plane: Plane) -> None:
        """Nodes that somebody refuses, such as a webhook that is not up, keep no server from starting: they are tried
        again as long as it runs."""
        nodes = await asyncio.to_thread(import_module, "localplane.nodes")
        try:
            async with asyncio.timeout(_LONGEST_REGISTRATION.total_seconds()):
                self.registered += await nodes.register(plane.observer, node_options(self._options))
        except (APIError, TimeoutError) as error:
            _log.warning("nodes will be registered later: %s", str(error) or "nobody answers for them yet")

    def endpoints(self, plane: Plane) -> ServerEndpoints:
        """How this server is found, beside those that use the same store."""
        facts, storage = self._facts(plane), plane.storage
        leases = None if storage.backend.exclusive else storage.cacher.resource(MASTER_LEASES)
        return ServerEndpoints(plane.observer, ServerAddress(facts.address, facts.port), leases)

    def _facts(self, plane: Plane) -> bootstrap.Facts:
        network = ipaddress.ip_network(self._options.service_cluster_ip_range)
        return bootstrap.Facts(
            address=self._options.server.advertise_address or _advertised(plane.server.addresses[0]),
            port=plane.server.port,
            service_cluster_ip_range=str(network),
            first_service_ip=str(network[1]),
            client_ca=text_of(plane.client_authority),
            has_companions=not plane.storage.backend.exclusive,
        )


@contextmanager
def _unreadable_is_logged(consequence: str) -> Iterator[None]:
    """An object that can't be read keeps no server from starting."""
    try:
        yield
    except InternalError as error:
        _log.error("%s: %s", consequence, error)


def _versions(groups: Sequence[APIGroup], enablement: Enablement) -> list[LocalVersion]:
    """The aggregator's own group is nobody's to move."""
    return [
        LocalVersion(group.name, version, group.priority, group.version_priorities.get(version, 15))
        for group in groups
        if group is not api_services.GROUP
        for version in group.versions()
        if enablement.serves_version(group.name, version)
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
