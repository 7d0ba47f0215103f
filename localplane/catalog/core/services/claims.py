"""What one write takes from the pools: kept when the write is done, given back when it failed.

A dry run takes nothing, and answers with values that nobody gets. Kubernetes: pkg/registry/core/service/storage
(transaction.go) and portallocator/operation.go.
"""

from __future__ import annotations

from localplane.apiserver.storage.errors import StorageError
from localplane.catalog.validation.addresses import Address, parse_ip

from .ip_objects import Owner
from .pools import Pools

_DRY_RUN_PORT = 32769


class NotAllocated(Exception):
    """Why a value is not to be had, in Kubernetes' words."""


class RangeFull(NotAllocated):
    def __init__(self) -> None:
        super().__init__("range is full")


class ServiceClaims:
    def __init__(self, pools: Pools, owner: Owner, *, dry_run: bool) -> None:
        self._pools = pools
        self._owner = owner
        self._dry_run = dry_run
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
        if await self._pools.is_taken(self._pools.ips, str(address)) or not await self._take(str(address)):
            raise NotAllocated("provided IP is already allocated")
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
            while (ip := each.free(self._pools.ips.__contains__)) is not None:
                if await self._take(ip):
                    return ip
        raise RangeFull

    async def _take(self, ip: str) -> bool:
        """Ours from here on; the object decides when somebody else got in between."""
        self._pools.ips.pending.add(ip)
        try:
            is_free = await self._pools.objects.create(ip, self._owner)
        except BaseException:
            self._pools.ips.pending.discard(ip)
            self._pools.doubt()
            raise
        if is_free:
            self._ips.append(ip)
        else:
            self._pools.ips.keep(ip)
        return is_free

    async def port(self, wanted: int) -> None:
        """Raises NotAllocated."""
        if not self._dry_run and wanted not in self._pools.ports:
            band = f"{self._pools.ports.first}-{self._pools.ports.last}"
            raise NotAllocated(f"provided port is not in the valid range. The range of valid ports is {band}")
        if wanted in self._ports or await self._pools.is_taken(self._pools.node_ports, wanted):
            raise NotAllocated("provided port is already allocated")
        self._take_port(wanted)

    async def next_port(self) -> int:
        """Raises NotAllocated."""
        if self._dry_run:
            found: int | None = max(self._ports) + 1 if self._ports else _DRY_RUN_PORT
        else:
            found = self._free_port()
            if found is None:
                await self._pools.reread()
                found = self._free_port()
        if found is None:
            raise RangeFull
        self._take_port(found)
        return found

    def _free_port(self) -> int | None:
        return self._pools.ports.free(self._pools.node_ports.__contains__)

    def _take_port(self, port: int) -> None:
        self._ports.append(port)
        if not self._dry_run:
            self._pools.node_ports.pending.add(port)

    def release_ip(self, ip: str) -> None:
        """When the write is done."""
        self._released_ips.append(ip)

    def release_port(self, port: int) -> None:
        self._released_ports.append(port)

    async def commit(self) -> None:
        if self._dry_run:
            return
        for ip in self._ips:
            self._pools.ips.keep(ip)
        for port in self._ports:
            self._pools.node_ports.keep(port)
        await self._give_back(self._released_ips, self._released_ports)

    async def revert(self) -> None:
        """Give back, once: there is nothing left to settle after it."""
        ips, ports = self._ips, self._ports
        self._ips, self._ports = [], []
        if not self._dry_run:
            await self._give_back(ips, ports)

    def leave_open(self) -> None:
        """Nobody knows whether the write was done: what was claimed stays so until the store has been asked."""
        if self._dry_run:
            return
        for ip in self._ips:
            self._pools.ips.keep(ip)
        for port in self._ports:
            self._pools.node_ports.keep(port)
        self._pools.doubt()

    async def _give_back(self, ips: list[str], ports: list[int]) -> None:
        """Nobody hears of what could not be given back: it stays taken until the store has been asked."""
        names = [str(parse_ip(ip)) for ip in ips]
        for port in ports:
            self._pools.node_ports.release(port)
        for name in names:
            self._pools.ips.keep(name)
        try:
            for name in names:
                await self._pools.objects.delete(name)
                self._pools.ips.release(name)
        except StorageError:
            self._pools.doubt()
        except BaseException:
            self._pools.doubt()
            raise
