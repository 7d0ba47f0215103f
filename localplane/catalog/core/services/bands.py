"""Numbers to hand out: the upper band first, so that those who ask for a certain one find the lower band free.

Kubernetes: pkg/registry/core/service/{ipallocator,portallocator}, calculateRangeOffset, and KEP-3070.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import ip_network

from localplane.catalog.validation.addresses import IPV4, IPV6, Address, Network

_LEAST_RESERVED = 16


@dataclass(frozen=True, slots=True)
class Band:
    """Numbers from `first` to `last`, of which the lowest `reserved` are handed out last."""

    first: int
    last: int
    reserved: int

    def __contains__(self, number: int) -> bool:
        return self.first <= number <= self.last

    def free(self, is_taken: Callable[[int], bool]) -> int | None:
        """A number that nobody has."""
        middle = min(self.first + self.reserved, self.last + 1)
        for low, high in ((middle, self.last), (self.first, middle - 1)):
            found = next((number for number in _from_anywhere(low, high) if not is_taken(number)), None)
            if found is not None:
                return found
        return None


def _from_anywhere(low: int, high: int) -> Iterator[int]:
    """All numbers once, beginning at a random one and going round."""
    if low > high:
        return
    start = random.randint(low, high)  # noqa: S311 - to spread them, not to hide them
    yield from range(start, high + 1)
    yield from range(low, start)


def _reserved(size: int, *, step: int, most: int) -> int:
    return 0 if size <= _LEAST_RESERVED else min(max(size // step, _LEAST_RESERVED), most)


def port_band(ports: range) -> Band:
    return Band(ports.start, ports.stop - 1, _reserved(len(ports), step=32, most=128))


@dataclass(frozen=True, slots=True)
class AddressRange:
    """A block of addresses. The network's own address is not handed out, nor is IPv4's broadcast address."""

    network: Network
    band: Band

    @classmethod
    def of(cls, network: Network) -> AddressRange:
        last = int(network.broadcast_address) - (network.version == 4)
        reserved = _reserved(network.num_addresses, step=16, most=256)
        return cls(network, Band(int(network.network_address) + 1, last, reserved))

    @classmethod
    def parse(cls, cidr: str) -> AddressRange:
        """Raises ValueError."""
        return cls.of(ip_network(cidr.strip()))

    @property
    def family(self) -> str:
        return IPV4 if self.network.version == 4 else IPV6

    def __contains__(self, address: Address) -> bool:
        return address.version == self.network.version and int(address) in self.band

    def free(self, is_taken: Callable[[str], bool]) -> str | None:
        kind = type(self.network.network_address)
        found = self.band.free(lambda number: is_taken(str(kind(number))))
        return None if found is None else str(kind(found))
