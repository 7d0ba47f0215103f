"""Which addresses and node ports are taken, and the claims of writes that are under way.

What is taken is read from the store when it is first asked for. From then on every write tells what it claims, and
then keeps or gives back. Before anything is refused as taken, and after a write whose end nobody knows, the store is
asked again: it alone is right. Kubernetes: pkg/registry/core/service/{ipallocator,portallocator}.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Any, Generic, Protocol, TypeVar

from localplane.apimachinery.time_slices import TimeSlices
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


class ServicePools(Protocol):
    """What writes of Services take from. Where the store is this server's alone, `Pools` know what is taken; where
    others use it too, it is the store that decides (`shared_pools`)."""

    @property
    def ranges(self) -> list[AddressRange]: ...
    @property
    def ports(self) -> Band: ...
    @property
    def families(self) -> list[str]: ...
    def all_ranges(self) -> AsyncIterator[AddressRange]:
        """The server's own blocks and, for those who go on asking, what ServiceCIDR objects add to them."""

    async def ready(self) -> None: ...
    async def take_ip(self, ip: str, owner: Owner) -> bool:
        """Whether it was free, and is the caller's now."""

    async def take_free_ip(self, addresses: AddressRange, owner: Owner) -> str | None: ...
    async def has_port(self, port: int) -> bool: ...
    async def take_port(self, port: int) -> bool:
        """As take_ip."""

    async def take_free_port(self) -> int | None: ...
    def keep(self, ips: Sequence[str], ports: Sequence[int]) -> None:
        """What was taken is stored."""

    def leave_open(self, ips: Sequence[str], ports: Sequence[int]) -> None:
        """Nobody knows whether what was taken is stored."""

    async def give_back(self, ips: Sequence[str], ports: Sequence[int], owner: Owner, *, age: float) -> None:
        """What was taken, or stored, so many seconds ago. Nobody hears of what could not be given back: it stays taken
        until the store has been asked."""

    async def forget(self, owner: Owner, spec: dict[str, Any]) -> None:
        """The Service has gone with its last finalizer."""

    def check_claims(self, age: float) -> None:
        """Raises APIError if claims that were made so many seconds ago are no longer sure to be the caller's."""


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
class Held:
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

    async def forget(self, owner: Owner, spec: dict[str, Any]) -> None:
        """What the store does not answer now is asked later, and no client hears of it."""
        self.doubt()
        with suppress(StorageError):
            await self.ready()

    def check_claims(self, age: float) -> None:
        """Nobody else takes anything."""

    async def take_ip(self, ip: str, owner: Owner) -> bool:
        return not await self.is_taken(self.ips, ip) and await self._take_ip(ip, owner)

    async def take_free_ip(self, addresses: AddressRange, owner: Owner) -> str | None:
        while (ip := addresses.free(self.ips.__contains__)) is not None:
            if await self._take_ip(ip, owner):
                break
        return ip

    async def _take_ip(self, ip: str, owner: Owner) -> bool:
        """Ours from here on; the object decides when somebody else got in between."""
        self.ips.pending.add(ip)
        try:
            is_free = await self.objects.create(ip, owner)
        except BaseException:
            self.ips.pending.discard(ip)
            self.doubt()
            raise
        if not is_free:
            self.ips.keep(ip)
        return is_free

    async def has_port(self, port: int) -> bool:
        return await self.is_taken(self.node_ports, port)

    async def take_port(self, port: int) -> bool:
        if await self.has_port(port):
            return False
        self.node_ports.pending.add(port)
        return True

    async def take_free_port(self) -> int | None:
        port = self.ports.free(self.node_ports.__contains__)
        if port is None:
            await self.reread()
            port = self.ports.free(self.node_ports.__contains__)
        if port is not None:
            self.node_ports.pending.add(port)
        return port

    def keep(self, ips: Sequence[str], ports: Sequence[int]) -> None:
        for ip in ips:
            self.ips.keep(ip)
        for port in ports:
            self.node_ports.keep(port)

    def leave_open(self, ips: Sequence[str], ports: Sequence[int]) -> None:
        """It stays taken until the store has been asked."""
        self.keep(ips, ports)
        self.doubt()

    async def give_back(self, ips: Sequence[str], ports: Sequence[int], owner: Owner, *, age: float) -> None:
        for port in ports:
            self.node_ports.release(port)
        for ip in ips:
            self.ips.keep(ip)
        try:
            for ip in ips:
                await self.objects.delete(ip)
                self.ips.release(ip)
        except StorageError:
            self.doubt()
        except BaseException:
            self.doubt()
            raise

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
        stored = await held_by_services(self._services)
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

    def all_ranges(self) -> AsyncIterator[AddressRange]:
        return all_ranges(self.ranges, self._find("networking.k8s.io/servicecidrs"))

    async def is_taken(self, pool: Taken[T], value: T) -> bool:
        """Asks the store before it says yes."""
        if value in pool:
            await self.reread()
        return value in pool


async def held_by_services(services: Definition) -> Held:
    """As the store has it now. Raises StorageError."""
    listed = await services.storage.list(services.prefix, ListOptions(only_readable=True))
    owners: dict[str, Owner] = {}
    ports: set[int] = set()
    slices = TimeSlices()
    for item in listed.items:
        spec = item.decode().get("spec") or {}
        owners.update(dict.fromkeys(addresses_of(spec), _owner(item)))
        ports.update(ports_held(spec))
        if slices.is_over:
            await slices.next()
    return Held(owners, ports, is_complete=not listed.left_out)


async def all_ranges(own: Sequence[AddressRange], service_cidrs: Definition | None) -> AsyncIterator[AddressRange]:
    for each in own:
        yield each
    if service_cidrs is None:
        return
    listed = await service_cidrs.storage.list(service_cidrs.prefix, ListOptions(only_readable=True))
    for item in listed.items:
        for each in _ranges_of(item.decode()):
            if each not in own:
                yield each


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
