"""Addresses and node ports where several servers use one store: the store alone decides who has what.

An address is taken by creating its IPAddress object, a port by setting its bit in the range object. Both are there
before the Service is, and a server may die in between; so claims that no Service stands behind are given back, but not
before `GRACE` is over (`repair`). Whoever has claimed something must have written the Service well before that, or
gives up; and whoever gives something back that late leaves it to the repair.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any, Final

from localplane.apimachinery.errors import Timeout
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.storage.errors import StorageError
from localplane.apiserver.storage.interface import Storage
from localplane.catalog.options import CatalogOptions

from .bands import AddressRange, Band, port_band
from .ip_objects import IPObjects, Owner
from .pools import addresses_of, all_ranges, held_by_services, ports_held
from .port_range import PortRange

GRACE: Final = timedelta(seconds=60)
"""How long a claim counts that nobody seems to need. Kubernetes: ipallocator/controller/repairip.go, gracePeriod."""

_CLAIMED_FOR: Final = timedelta(seconds=40)
"""The store may take another fifteen seconds to say what became of a write."""


class SharedPools:
    """Of one server among several. `ranges` is the storage of range objects."""

    def __init__(self, services: Definition, options: CatalogOptions, ranges: Storage) -> None:
        self.ranges = [AddressRange.parse(cidr) for cidr in options.service_cluster_ip_range.split(",")]
        self.ports: Band = port_band(options.service_node_port_range)
        self._services = services
        self._definition_of = options.storage_of
        self._port_range = PortRange(ranges, self.ports, self._stored_ports)

    @property
    def families(self) -> list[str]:
        return [each.family for each in self.ranges]

    def all_ranges(self) -> AsyncIterator[AddressRange]:
        return all_ranges(self.ranges, self._find("networking.k8s.io/servicecidrs"))

    async def ready(self) -> None:
        """There is nothing to know beforehand."""

    async def take_ip(self, ip: str, owner: Owner) -> bool:
        return await self._objects.create(ip, owner)

    async def take_free_ip(self, addresses: AddressRange, owner: Owner) -> str | None:
        """What is at hand tells where to try; others may be faster."""
        objects, tried = self._objects, set[str]()
        while (ip := addresses.free(lambda ip: ip in tried or objects.is_known(ip))) is not None:
            if await objects.create(ip, owner):
                break
            tried.add(ip)
        return ip

    async def has_port(self, port: int) -> bool:
        return port in await self._port_range.taken()

    async def take_port(self, port: int) -> bool:
        return await self._port_range.take(port)

    async def take_free_port(self) -> int | None:
        return await self._port_range.take_any()

    def keep(self, ips: Sequence[str], ports: Sequence[int]) -> None:
        """It is in the store already."""

    def leave_open(self, ips: Sequence[str], ports: Sequence[int]) -> None:
        """The repair finds out."""

    async def give_back(self, ips: Sequence[str], ports: Sequence[int], owner: Owner, *, age: float) -> None:
        since = time.monotonic() - age

        def in_time() -> bool:
            return time.monotonic() - since < _CLAIMED_FOR.total_seconds()

        with suppress(StorageError):
            await self._port_range.release(ports, while_true=in_time)
            for ip in ips:
                await self._objects.delete_of(ip, owner, while_true=in_time)

    async def forget(self, owner: Owner, spec: dict[str, Any]) -> None:
        await self.give_back(addresses_of(spec), ports_held(spec), owner, age=0)

    def check_claims(self, age: float) -> None:
        if age >= _CLAIMED_FOR.total_seconds():
            raise Timeout(
                f"Timeout: the service's address was claimed {age:.0f} seconds ago, which is too long: "
                "nothing was written, so try again",
                retry_after_seconds=1,
            )

    async def _stored_ports(self) -> Collection[int]:
        return (await held_by_services(self._services)).ports

    @property
    def _objects(self) -> IPObjects:
        return IPObjects(self._find("networking.k8s.io/ipaddresses"))

    def _find(self, name: str) -> Definition | None:
        try:
            return self._definition_of(name)
        except LookupError:
            return None
