"""What one write takes from the pools: kept when the write is done, given back when it failed.

A dry run takes nothing, and answers with values that nobody gets. Kubernetes: pkg/registry/core/service/storage
(transaction.go) and portallocator/operation.go.
"""

from __future__ import annotations

import time

from localplane.catalog.validation.addresses import Address, parse_ip

from .ip_objects import Owner
from .pools import ServicePools

_DRY_RUN_PORT = 32769


class NotAllocated(Exception):
    """Why a value is not to be had, in Kubernetes' words."""


class RangeFull(NotAllocated):
    def __init__(self) -> None:
        super().__init__("range is full")


class ServiceClaims:
    def __init__(self, pools: ServicePools, owner: Owner, *, dry_run: bool) -> None:
        self._pools = pools
        self._owner = owner
        self._dry_run = dry_run
        self._since = time.monotonic()
        self._ips: list[str] = []
        self._ports: list[int] = []
        self._released_ips: list[str] = []
        self._released_ports: list[int] = []

    async def ip(self, family: str, wanted: str) -> str:
        """The wanted address or, without one, any of the family; raises NotAllocated."""
        address = parse_ip(wanted) if wanted else None
        if self._dry_run:
            return self._pretended_ip(family, wanted, address)
        if address is None:
            return await self._any_ip(family)
        await self._check_range(address)
        if not await self._pools.take_ip(str(address), self._owner):
            raise NotAllocated("provided IP is already allocated")
        self._ips.append(str(address))
        return wanted

    def _pretended_ip(self, family: str, wanted: str, address: Address | None) -> str:
        own = next(each for each in self._pools.ranges if each.family == family)
        if address is not None and address not in own:
            valid = f"The range of valid IPs is {own.network}"
            raise NotAllocated(f"the provided IP ({address}) is not in the valid range. {valid}")
        return wanted or str(own.network.network_address)

    async def _check_range(self, address: Address) -> None:
        async for each in self._pools.all_ranges():
            if address in each:
                return
        raise NotAllocated("the provided network does not match the current range")

    async def _any_ip(self, family: str) -> str:
        async for each in self._pools.all_ranges():
            if each.family != family:
                continue
            if (ip := await self._pools.take_free_ip(each, self._owner)) is not None:
                self._ips.append(ip)
                return ip
        raise RangeFull

    async def port(self, wanted: int) -> None:
        """Raises NotAllocated."""
        if not self._dry_run and wanted not in self._pools.ports:
            band = f"{self._pools.ports.first}-{self._pools.ports.last}"
            raise NotAllocated(f"provided port is not in the valid range. The range of valid ports is {band}")
        if wanted in self._ports or not await self._take_port(wanted):
            raise NotAllocated("provided port is already allocated")
        self._ports.append(wanted)

    async def _take_port(self, wanted: int) -> bool:
        if self._dry_run:
            return not await self._pools.has_port(wanted)
        return await self._pools.take_port(wanted)

    async def next_port(self) -> int:
        """Raises NotAllocated."""
        if self._dry_run:
            port: int | None = max(self._ports) + 1 if self._ports else _DRY_RUN_PORT
        else:
            port = await self._pools.take_free_port()
        if port is None:
            raise RangeFull
        self._ports.append(port)
        return port

    def release_ip(self, ip: str) -> None:
        """When the write is done."""
        self._released_ips.append(ip)

    def release_port(self, port: int) -> None:
        self._released_ports.append(port)

    def check(self) -> None:
        """Right before the Service is written. Raises APIError if it took too long until then."""
        if self._ips or self._ports:
            self._pools.check_claims(self._age)

    async def commit(self) -> None:
        if self._dry_run:
            return
        self._pools.keep(self._ips, self._ports)
        await self._give_back(self._released_ips, self._released_ports, age=0)

    async def revert(self) -> None:
        """Give back, once: there is nothing left to settle after it."""
        ips, ports = self._ips, self._ports
        self._ips, self._ports = [], []
        if not self._dry_run:
            await self._give_back(ips, ports, age=self._age)

    def leave_open(self) -> None:
        """Nobody knows whether the write was done: what was claimed stays so until the store has been asked."""
        if not self._dry_run:
            self._pools.leave_open(self._ips, self._ports)

    async def _give_back(self, ips: list[str], ports: list[int], *, age: float) -> None:
        if ips or ports:
            await self._pools.give_back([str(parse_ip(ip)) for ip in ips], ports, self._owner, age=age)

    @property
    def _age(self) -> float:
        return time.monotonic() - self._since
