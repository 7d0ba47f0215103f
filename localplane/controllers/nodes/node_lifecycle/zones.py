"""How many of a zone's nodes are well, and so how fast pods may be driven from the others. If all nodes of a cluster
are lost, then more likely we are, and nobody is driven away.

Kubernetes: node_lifecycle_controller.go, handleDisruption and ComputeZoneState, and its scheduler package.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Final

_NEVER: Final = float("inf")


@dataclass(frozen=True, slots=True)
class EvictionRates:
    """--node-eviction-rate and --secondary-node-eviction-rate, in nodes for each second, --large-cluster-size-threshold
    and --unhealthy-zone-threshold."""

    normal: float = 0.1
    secondary: float = 0.01
    large_cluster: int = 50
    unhealthy_zone: float = 0.55


class ZoneState(Enum):
    INITIAL = auto()
    NORMAL = auto()
    PARTIAL_DISRUPTION = auto()
    FULL_DISRUPTION = auto()


class ClusterTurn(Enum):
    """What became of the whole cluster."""

    NONE = auto()
    ALL_LOST = auto()
    SOME_BACK = auto()


@dataclass(slots=True)
class _Zone:
    rate: float
    state: ZoneState = ZoneState.INITIAL
    nodes: dict[str, bool] = field(default_factory=dict)
    ready: int = 0
    waiting: dict[str, None] = field(default_factory=dict)
    free_at: float = 0.0

    def state_now(self, unhealthy_share: float) -> ZoneState:
        lost = len(self.nodes) - self.ready
        if lost and not self.ready:
            return ZoneState.FULL_DISRUPTION
        if lost > 2 and lost / len(self.nodes) >= unhealthy_share:
            return ZoneState.PARTIAL_DISRUPTION
        return ZoneState.NORMAL

    def set_rate(self, rate: float, moment: float) -> None:
        """Whoever waited for the next turn waits for one of the new length."""
        if rate != self.rate:
            if moment < self.free_at or not self.rate:
                self.free_at = moment + 1 / rate if rate else 0.0
            self.rate = rate

    def due(self) -> float:
        return self.free_at if self.waiting and self.rate else _NEVER


class Zones:
    """Nodes by zone, and those that wait for a NoExecute taint. Moments are by `loop_time`."""

    def __init__(self, rates: EvictionRates) -> None:
        self._rates = rates
        self._zones: dict[str, _Zone] = {}
        self._zone_of: dict[str, str] = {}
        self._all_lost = False

    def place(self, name: str, zone: str, *, is_ready: bool, is_counted: bool) -> None:
        if self._zone_of.get(name, zone) != zone:
            self.remove(name)
        self._zone_of[name] = zone
        found = self._zones.setdefault(zone, _Zone(self._rates.normal))
        if not is_counted:
            self._uncount(found, name)
        elif found.nodes.get(name) is not is_ready:
            self._uncount(found, name)
            found.nodes[name] = is_ready
            found.ready += is_ready

    def remove(self, name: str) -> None:
        if (zone := self._zone_of.pop(name, None)) is None:
            return
        found = self._zones[zone]
        self._uncount(found, name)
        found.waiting.pop(name, None)

    def settle(self, moment: float) -> ClusterTurn:
        """Set every zone's rate by the state it is in now."""
        zones = [zone for zone in self._zones.values() if zone.nodes]
        states = [zone.state_now(self._rates.unhealthy_zone) for zone in zones]
        all_were_lost, self._all_lost = self._all_lost, bool(zones) and set(states) == {ZoneState.FULL_DISRUPTION}
        for zone, state in zip(zones, states, strict=True):
            if self._all_lost:
                zone.set_rate(0.0, moment)
            elif state is not zone.state or all_were_lost:
                zone.set_rate(self._rate(state, len(zone.nodes)), moment)
            zone.state = state
        if self._all_lost is all_were_lost:
            return ClusterTurn.NONE
        return ClusterTurn.ALL_LOST if self._all_lost else ClusterTurn.SOME_BACK

    def wait(self, name: str) -> None:
        """A node that was placed is to get its taint when it is its turn."""
        self._zones[self._zone_of[name]].waiting[name] = None

    def leave(self, name: str) -> None:
        if (zone := self._zone_of.get(name)) is not None:
            self._zones[zone].waiting.pop(name, None)

    def next_due(self) -> float:
        """When somebody has their turn, infinity if nobody waits."""
        return min((zone.due() for zone in self._zones.values()), default=_NEVER)

    def take(self, moment: float) -> list[str]:
        """Those whose turn it is."""
        names = []
        for zone in self._zones.values():
            if zone.due() <= moment:
                name = next(iter(zone.waiting))
                del zone.waiting[name]
                zone.free_at = moment + 1 / zone.rate
                names.append(name)
        return names

    def _rate(self, state: ZoneState, size: int) -> float:
        if state is not ZoneState.PARTIAL_DISRUPTION:
            return self._rates.normal
        return self._rates.secondary if size > self._rates.large_cluster else 0.0

    @staticmethod
    def _uncount(zone: _Zone, name: str) -> None:
        zone.ready -= zone.nodes.pop(name, False)
        if not zone.nodes:
            zone.state = ZoneState.INITIAL


def zone_of(node: Mapping[str, Any]) -> str:
    """Kubernetes: component-helpers/node/topology, GetZoneKey."""
    labels = node["metadata"].get("labels") or {}
    region, zone = (
        labels.get(f"failure-domain.beta.kubernetes.io/{kind}", labels.get(f"topology.kubernetes.io/{kind}", ""))
        for kind in ("region", "zone")
    )
    return f"{region}:\x00:{zone}" if region or zone else ""
