"""Which addresses and node ports are taken, and the claims of writes that are under way.

What is taken is read from the store when it is first asked for. From then on every write tells what it claims, and
then keeps or gives back. Before anything is refused as taken, and after a write whose end nobody knows, the store is
asked again: it alone is right. Kubernetes: pkg/registry/core/service/{ipallocator,portallocator}.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Any, Generic, TypeVar

from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.storage.errors import StorageError
from localplane.apiserver.storage.interface import ListOptions
from localplane.apiserver.storage.objects import StoredObject
from localplane.catalog.options import CatalogOptions
from localplane.catalog.validation.addresses import parse_ip

from .bands import AddressRange, Band, port_band
from .ip_objects import IPObjects, Owner
from .shape import EXTERNAL_NAME, HEADLESS, needs_health_check, node_ports_of

T = TypeVar("T", str, int)


class Taken(Generic[T]):
    """`held` by what is stored, `pending` for what is being written."""

    def __init__(self) -> None:
        self.held: set[T] = set()
        self.pending: set[T] = set()

    def __contains__(self, value: T) -> bool:
        return value in self.held or value in self.pending

    def keep(self, value: T) -> None:
        self.pending.discard(value)
        self.held.add(value)

    def release(self, value: T) -> None:
        self.pending.discard(value)
        self.held.discard(value)

    def correct(self, before: set[T], stored: set[T]) -> None:
        """What was held before the store was asked, and is not stored, has gone; what came since is true."""
        self.held = (self.held - before) | stored


@dataclass(frozen=True, slots=True)
class _Stored:
    """What the Services that are stored hold; not `is_complete` if there are some that can't be read."""

    owners: dict[str, Owner]
    ports: set[int]
    is_complete: bool


class Pools:
    """Of one server; `services` is where the truth is."""

    def __init__(self, services: Definition, options: CatalogOptions) -> None:
        self.ranges = [AddressRange.parse(cidr) for cidr in options.service_cluster_ip_range.split(",")]
        self.ports: Band = port_band(options.service_node_port_range)
        self.ips = Taken[str]()
        self.node_ports = Taken[int]()
        self._services = services
        self._definition_of = options.storage_of
        self._objects: IPObjects | None = None
        self._is_known = False
        self._reading = asyncio.Lock()

    @property
    def families(self) -> list[str]:
        return [each.family for each in self.ranges]

    @property
    def objects(self) -> IPObjects:
        """Found late: not all kinds are there yet when this one is installed."""
        if self._objects is None:
            self._objects = IPObjects(self._find("networking.k8s.io/ipaddresses"))
        return self._objects

    def _find(self, name: str) -> Definition | None:
        try:
            return self._definition_of(name)
        except LookupError:
            return None

    def doubt(self) -> None:
        """Nobody knows what is stored: the next one who asks looks."""
        self._is_known = False

    async def ready(self) -> None:
        async with self._reading:
            if not self._is_known:
                await self._read()

    async def reread(self) -> None:
        async with self._reading:
            await self._read()

    async def settle(self) -> None:
        """After a write is done: what the store does not answer now is asked later, and no client hears of it."""
        try:
            await self.reread()
        except StorageError:
            self.doubt()

    async def _read(self) -> None:
        """Ask the store who has what, and put the IPAddress objects right. Whoever doubts meanwhile is heard."""
        self._is_known = True
        try:
            await self._compare()
        except BaseException:
            self._is_known = False
            raise

    async def _compare(self) -> None:
        ips_before, ports_before = set(self.ips.held), set(self.node_ports.held)
        stored = await self._stored()
        owners, ports = stored.owners, stored.ports
        if stored.is_complete:  # the address of a Service that can't be read is not free
            await self.objects.delete_orphans(lambda ip: ip in owners or self._was_claimed(ip, since=ips_before))
        named = await self.objects.names()
        for ip, owner in owners.items():
            if ip not in named:
                await self.objects.create(ip, owner)
        self.ips.correct(ips_before, {*owners, *named})
        self.node_ports.correct(ports_before, ports)

    def _was_claimed(self, ip: str, *, since: set[str]) -> bool:
        return ip in self.ips.pending or (ip in self.ips.held and ip not in since)

    async def _stored(self) -> _Stored:
        listed = await self._services.storage.list(self._services.prefix, ListOptions(only_readable=True))
        owners: dict[str, Owner] = {}
        ports: set[int] = set()
        for item in listed.items:
            spec = item.decode().get("spec") or {}
            owners.update(dict.fromkeys(addresses_of(spec), _owner(item)))
            ports.update(ports_held(spec))
        return _Stored(owners, ports, is_complete=not listed.left_out)

    async def all_ranges(self) -> AsyncIterator[AddressRange]:
        """The server's own blocks and, for those who go on asking, what ServiceCIDR objects add to them."""
        for each in self.ranges:
            yield each
        definition = self._find("networking.k8s.io/servicecidrs")
        if definition is None:
            return
        listed = await definition.storage.list(definition.prefix, ListOptions(only_readable=True))
        for item in listed.items:
            for each in _ranges_of(item.decode()):
                if each not in self.ranges:
                    yield each

    async def is_taken(self, pool: Taken[T], value: T) -> bool:
        """Asks the store before it says yes."""
        if value in pool:
            await self.reread()
        return value in pool


def addresses_of(spec: dict[str, Any]) -> list[str]:
    """The addresses that a stored Service holds, as their objects are named."""
    if spec.get("type") == EXTERNAL_NAME:
        return []
    found = (parse_ip(ip) for ip in spec.get("clusterIPs") or () if ip != HEADLESS)
    return [str(address) for address in found if address is not None]


def ports_held(spec: dict[str, Any]) -> list[int]:
    health = spec.get("healthCheckNodePort") if needs_health_check(spec) else None
    return [*node_ports_of(spec), *([health] if health else [])]


def _owner(item: StoredObject) -> Owner:
    _, namespace, name = item.key.rsplit("/", 2)
    return Owner(namespace, name)


def _ranges_of(service_cidr: dict[str, Any]) -> list[AddressRange]:
    """Those of a ServiceCIDR that is ready; one of which nobody says anything is."""
    if (service_cidr.get("metadata") or {}).get("deletionTimestamp"):
        return []
    for condition in (service_cidr.get("status") or {}).get("conditions") or ():
        if condition.get("type") == "Ready" and condition.get("status") != "True":
            return []
    found = []
    for cidr in (service_cidr.get("spec") or {}).get("cidrs") or ():
        with suppress(ValueError):  # nobody could have written it through us
            found.append(AddressRange.of(ip_network(cidr)))
    return found
