"""Ports of a node that its pods have taken, for the scheduler and for simulated kubelets.

Kubernetes: kube-scheduler/framework/types.go, HostPortInfo.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

ANY_ADDRESS: Final = "0.0.0.0"  # noqa: S104 - a port on it is taken on all addresses


@dataclass(frozen=True, slots=True)
class HostPort:
    address: str
    protocol: str
    port: int


def host_ports(spec: Mapping[str, Any]) -> tuple[HostPort, ...]:
    """Those of the containers that stay as long as the pod."""
    lasting = [each for each in spec.get("initContainers") or () if each.get("restartPolicy") == "Always"]
    return tuple(
        HostPort(port.get("hostIP") or ANY_ADDRESS, port.get("protocol") or "TCP", port["hostPort"])
        for container in (*lasting, *spec["containers"])
        for port in container.get("ports") or ()
        if port.get("hostPort", 0) > 0
    )


class TakenPorts:
    """A port may be taken several times, by pods that nobody asked; it is free when the last of them is gone."""

    __slots__ = ("_taken",)

    def __init__(self, taken: dict[tuple[str, int], dict[str, int]] | None = None) -> None:
        self._taken = taken or {}

    def copy(self) -> TakenPorts:
        return TakenPorts({port: dict(addresses) for port, addresses in self._taken.items()})

    def add(self, ports: Iterable[HostPort]) -> None:
        for port in ports:
            addresses = self._taken.setdefault((port.protocol, port.port), {})
            addresses[port.address] = addresses.get(port.address, 0) + 1

    def remove(self, ports: Iterable[HostPort]) -> None:
        for port in ports:
            addresses = self._taken.get((port.protocol, port.port), {})
            count = addresses.pop(port.address, 0)
            if count > 1:
                addresses[port.address] = count - 1
            elif not addresses:
                self._taken.pop((port.protocol, port.port), None)

    def conflict(self, ports: Iterable[HostPort]) -> bool:
        for port in ports:
            addresses = self._taken.get((port.protocol, port.port))
            if addresses and (port.address == ANY_ADDRESS or port.address in addresses or ANY_ADDRESS in addresses):
                return True
        return False
