"""Pod IPs: out of the range that node-ipam gave a node or, while there is none or it is full, out of one of our own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any, Final

Network = IPv4Network | IPv6Network
_OWN: Final = ip_network("100.64.0.0/10")
_OWN_PREFIX: Final = 20
_RANGES: Final = 2 ** (_OWN_PREFIX - _OWN.prefixlen)


class NoFreeAddress(Exception):
    """All addresses of a node are taken."""


class PodAddresses:
    """Who has which address. Nothing is stored: what pods say in their statuses is noted before anybody takes one."""

    def __init__(self) -> None:
        self._holders: dict[str, str] = {}
        self._cursors: dict[Network, int] = {}
        self._ranges: dict[str, Network] = {}

    def note(self, pod: Mapping[str, Any]) -> None:
        uid = pod["metadata"]["uid"]
        for address in _addresses(pod):
            self._holders.setdefault(address, uid)

    def release(self, pod: Mapping[str, Any]) -> None:
        uid = pod["metadata"]["uid"]
        for address in _addresses(pod):
            if self._holders.get(address) == uid:
                del self._holders[address]

    def take(self, node: Mapping[str, Any], uid: str) -> tuple[str, ...]:
        """One of each family that the node has a range of. Raises NoFreeAddress."""
        spec = node.get("spec") or {}
        ranges = spec.get("podCIDRs") or ([spec["podCIDR"]] if spec.get("podCIDR") else [])
        taken = [address for text in ranges if (address := self._next(ip_network(text), uid))]
        if not taken or len(taken) < len(ranges):
            own = self._next(self._own_range(node["metadata"]["name"]), uid)
            taken = [own] if own else []
        if not taken:
            raise NoFreeAddress(f"no address is left on node {node['metadata']['name']}")
        return tuple(taken)

    def _next(self, network: Network, uid: str) -> str | None:
        """Round and round, so that an address that became free is not used again at once."""
        size = min(network.num_addresses, 2**16)
        first, last = (2, size - 1) if network.version == 4 else (2, size)
        start = self._cursors.get(network, first)
        for number in _around(first, last, start):
            address = str(network[number])
            if address not in self._holders:
                self._holders[address] = uid
                self._cursors[network] = number + 1
                return address
        return None

    def _own_range(self, node: str) -> Network:
        if node not in self._ranges:
            taken = set(self._ranges.values())
            number = int.from_bytes(sha256(node.encode()).digest()[:4], "big")
            base = int(_OWN.network_address)
            for offset in range(_RANGES):
                chosen = base + ((number + offset) % _RANGES) * 2 ** (32 - _OWN_PREFIX)
                network = IPv4Network((chosen, _OWN_PREFIX))
                if network not in taken:
                    break
            self._ranges[node] = network
        return self._ranges[node]


def _around(first: int, last: int, start: int) -> Iterator[int]:
    yield from range(start, last)
    yield from range(first, min(start, last))


def _addresses(pod: Mapping[str, Any]) -> Iterator[str]:
    if not (pod.get("spec") or {}).get("hostNetwork"):
        for each in (pod.get("status") or {}).get("podIPs") or ():
            yield each["ip"]
