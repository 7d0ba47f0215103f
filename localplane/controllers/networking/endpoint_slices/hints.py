"""For which zones and nodes an endpoint is: what a service's trafficDistribution asks for, or the older annotation
`service.kubernetes.io/topology-mode: Auto`, which spreads endpoints over zones as their CPUs are.

Kubernetes: k8s.io/endpointslice/trafficdist and topologycache.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import ZERO, InvalidQuantity, Quantity, parse
from localplane.controllers.pods import has_condition

from .membership import labels_of
from .slices import ZONE

_CLOSE: Final = ("PreferClose", "PreferSameZone", "PreferSameNode")
_ANNOTATIONS: Final = ("service.kubernetes.io/topology-aware-hints", "service.kubernetes.io/topology-mode")
_EXCLUDING: Final = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")
_OVERLOAD: Final = 0.2
"""How much more than its share of the traffic an endpoint may get."""

_NO_ZONE: Final = "One or more endpoints do not have a zone specified"
_NO_HINTS: Final = "No hints allocated for zones"
_ENABLED: Final = "Topology Aware Hints has been enabled"
_DISABLED: Final = "Topology Aware Hints has been disabled"
_NO_NODES: Final = "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes"
_FEW_ENDPOINTS: Final = "Insufficient number of endpoints"
_NO_MINIMUM: Final = "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold"


@dataclass(frozen=True, slots=True)
class Telling:
    """An event about the service."""

    type: str
    reason: str
    message: str


@dataclass(slots=True)
class SlicesOfFamily:
    """The slices of a service after a change: `written` are dictionaries of our own, `unchanged` are the informer's.
    One of these that gets other hints becomes an own one, in `more`."""

    service_key: str
    family: str
    written: list[JSONObject]
    unchanged: list[JSONObject]
    more: list[JSONObject] = field(default_factory=list)

    def own(self, endpoint_slice: JSONObject) -> JSONObject:
        mine = {**endpoint_slice, "endpoints": list(endpoint_slice.get("endpoints") or ())}
        self.unchanged = [each for each in self.unchanged if each is not endpoint_slice]
        self.more.append(mine)
        return mine


def asks_for_zones(service: Mapping[str, Any]) -> bool:
    """By the annotation; its older name counts first."""
    annotations = service["metadata"].get("annotations") or {}
    for key in _ANNOTATIONS:
        if key in annotations:
            return annotations[key] in ("Auto", "auto")
    return False


def is_close(distribution: str | None) -> bool:
    return distribution in _CLOSE


def hint_closely(slices: SlicesOfFamily, distribution: str) -> None:
    """Every ready endpoint is for its own zone, and for its own node if that is wanted."""
    nodes = distribution == "PreferSameNode"
    for endpoint_slice in slices.written:
        endpoint_slice["endpoints"] = [_closely(each, nodes=nodes) for each in endpoint_slice["endpoints"]]
    for endpoint_slice in list(slices.unchanged):
        endpoints = [_closely(each, nodes=nodes) for each in endpoint_slice.get("endpoints") or ()]
        if endpoints != (endpoint_slice.get("endpoints") or []):
            slices.own(endpoint_slice)["endpoints"] = endpoints


def remove_hints(slices: SlicesOfFamily) -> None:
    for endpoint_slice in slices.written:
        endpoint_slice["endpoints"] = [_hinted(each) for each in endpoint_slice["endpoints"]]
    for endpoint_slice in list(slices.unchanged):
        endpoints = endpoint_slice.get("endpoints") or ()
        if any("hints" in each for each in endpoints):
            slices.own(endpoint_slice)["endpoints"] = [_hinted(each) for each in endpoints]


def _closely(endpoint: JSONObject, *, nodes: bool) -> JSONObject:
    if not _is_ready(endpoint):
        return endpoint
    return _hinted(endpoint, zone=endpoint.get("zone"), node=endpoint.get("nodeName") if nodes else None)


def _hinted(endpoint: JSONObject, *, zone: str | None = None, node: str | None = None) -> JSONObject:
    """A new endpoint, with these hints and no others."""
    hints: JSONObject = {}
    if zone is not None:
        hints["forZones"] = [{"name": zone}]
    if node is not None:
        hints["forNodes"] = [{"name": node}]
    plain = {key: value for key, value in endpoint.items() if key != "hints"}
    return plain | {"hints": hints} if hints else plain


def _is_ready(endpoint: Mapping[str, Any]) -> bool:
    return bool((endpoint.get("conditions") or {}).get("ready"))


@dataclass(frozen=True, slots=True)
class _Share:
    minimum: int
    maximum: int
    desired: float


class _NotPossible(Exception):
    """In the words of an event."""


class ZoneHints:
    """Remembers how CPUs are spread over zones, and how the endpoints of services with the annotation are."""

    def __init__(self) -> None:
        self._ratios: dict[str, float] | None = {}
        self._hinted: dict[str, dict[str, dict[str, int]]] = {}
        self._populated: set[str] = set()

    def set_nodes(self, nodes: Iterable[Mapping[str, Any]]) -> None:
        counted = [
            node
            for node in nodes
            if has_condition(node, "Ready") and not any(label in labels_of(node) for label in _EXCLUDING)
        ]
        by_zone: dict[str, Quantity] = {}
        for node in counted:
            zone, cpu = labels_of(node).get(ZONE), _cpu(node)
            if not zone or not cpu.number:
                by_zone = {}
                break
            by_zone[zone] = by_zone.get(zone, ZERO) + cpu
        total = sum(cpu.milli_value() for cpu in by_zone.values())
        is_enough = total > 0 and len(by_zone) >= 2
        self._ratios = {zone: cpu.milli_value() / total for zone, cpu in by_zone.items()} if is_enough else None

    def overloaded(self) -> list[str]:
        """The services whose endpoints are spread otherwise than the nodes are now."""
        ratios = self._ratios or {}
        return [
            key
            for key, families in self._hinted.items()
            if any(_is_overloaded(zones, ratios) for zones in families.values())
        ]

    def forget(self, service_key: str, family: str = "") -> None:
        if family:
            self._hinted.get(service_key, {}).pop(family, None)
        if not family or not self._hinted.get(service_key):
            self._hinted.pop(service_key, None)
        self._populated.discard(service_key)

    def give_up(self, slices: SlicesOfFamily) -> list[Telling]:
        """The service does not want zones any more, or never did."""
        was_hinted = slices.service_key in self._populated
        self.forget(slices.service_key, slices.family)
        return [_telling(slices, "Warning", "TopologyAwareHintsDisabled", _DISABLED)] if was_hinted else []

    def hint(self, slices: SlicesOfFamily) -> list[Telling]:
        """Hints for all slices of one family, or for none, with what is to be told about it."""
        try:
            self._hint(slices)
        except _NotPossible as reason:
            self.forget(slices.service_key, slices.family)
            remove_hints(slices)
            return [_telling(slices, "Warning", "TopologyAwareHintsDisabled", str(reason))]
        if slices.service_key in self._populated:
            return []
        self._populated.add(slices.service_key)
        return [_telling(slices, "Normal", "TopologyAwareHintsEnabled", _ENABLED)]

    def _hint(self, slices: SlicesOfFamily) -> None:
        everything = [*slices.written, *slices.unchanged]
        shares = self._shares(sum(map(_is_ready, each.get("endpoints") or ())) for each in everything)
        hinted = _adopted(slices, shares)
        own = [*slices.written, *slices.more]
        for endpoint_slice in own:
            endpoints = endpoint_slice["endpoints"]
            for index, endpoint in enumerate(endpoints):
                if not _is_ready(endpoint):
                    continue
                zone = endpoint.get("zone")
                if not zone:
                    raise _NotPossible(_NO_ZONE)
                hinted[zone] = hinted.get(zone, 0) + 1
                endpoints[index] = _hinted(endpoint, zone=zone)
        _redistribute(own, shares, hinted)
        if not hinted:
            raise _NotPossible(_NO_HINTS)
        self._hinted.setdefault(slices.service_key, {})[slices.family] = hinted

    def _shares(self, ready: Iterable[int]) -> dict[str, _Share]:
        count, ratios = sum(ready), self._ratios
        if ratios is None:
            raise _NotPossible(_NO_NODES)
        if len(ratios) < 2:
            raise _NotPossible("Nodes only ready in one zone")
        numbers = f"({count} endpoints, {len(ratios)} zones)"
        if len(ratios) > count:
            raise _NotPossible(f"{_FEW_ENDPOINTS} {numbers}")
        minimums = {zone: math.ceil(ratio * count * (1 / (1 + _OVERLOAD))) for zone, ratio in ratios.items()}
        total = sum(minimums.values())
        if total > count:
            raise _NotPossible(f"{_NO_MINIMUM} {numbers}")
        return {
            zone: _Share(minimums[zone], minimums[zone] + count - total, max(ratio * count, float(minimums[zone])))
            for zone, ratio in ratios.items()
        }


def _telling(slices: SlicesOfFamily, event_type: str, reason: str, message: str) -> Telling:
    return Telling(event_type, reason, f"{message}, addressType: {slices.family}")


def _cpu(node: Mapping[str, Any]) -> Quantity:
    try:
        return parse(str(((node.get("status") or {}).get("allocatable") or {}).get("cpu", "0")))
    except InvalidQuantity:
        return ZERO


def _is_overloaded(hinted: Mapping[str, int], ratios: Mapping[str, float]) -> bool:
    if not hinted:
        return False
    total = sum(hinted.values())
    return not ratios or any(
        zone not in hinted or hinted[zone] < math.ceil(total * ratio * (1 / (1 + _OVERLOAD)))
        for zone, ratio in ratios.items()
    )


def _adopted(slices: SlicesOfFamily, shares: Mapping[str, _Share]) -> dict[str, int]:
    """How many endpoints each zone has from slices that may stay as they are; the others are hinted anew."""
    hinted: dict[str, int] = {}
    for endpoint_slice in list(slices.unchanged):
        zones = _zones_of(endpoint_slice, hinted, shares)
        if zones is None:
            slices.own(endpoint_slice)
        else:
            for zone, count in zones.items():
                hinted[zone] = hinted.get(zone, 0) + count
    return hinted


def _zones_of(
    endpoint_slice: Mapping[str, Any], hinted: Mapping[str, int], shares: Mapping[str, _Share]
) -> dict[str, int] | None:
    zones: dict[str, int] = {}
    for endpoint in endpoint_slice.get("endpoints") or ():
        if not _is_ready(endpoint):
            continue
        names = [each["name"] for each in (endpoint.get("hints") or {}).get("forZones") or ()]
        if not names or any(name not in shares for name in names):
            return None
        for name in names:
            zones[name] = zones.get(name, 0) + 1
    is_too_much = any(count + hinted.get(zone, 0) > shares[zone].maximum for zone, count in zones.items())
    return None if is_too_much else zones


def _redistribute(slices: Sequence[JSONObject], shares: Mapping[str, _Share], hinted: dict[str, int]) -> None:
    """From zones that have more than their share to those that have less, in place."""
    giving, receiving = _exchange(shares, hinted)
    for endpoint_slice in slices:
        endpoints = endpoint_slice["endpoints"]
        for index, endpoint in enumerate(endpoints):
            giver = endpoint.get("zone")
            if not receiving or not _is_ready(endpoint) or giver not in giving:
                continue
            receiver = next(iter(receiving))
            endpoints[index] = _hinted(endpoint, zone=receiver)
            for zones, zone in ((giving, giver), (receiving, receiver)):
                zones[zone] -= 1
                if not zones[zone]:
                    del zones[zone]
            hinted[giver] = hinted.get(giver, 0) - 1
            hinted[receiver] = hinted.get(receiver, 0) + 1


def _exchange(shares: Mapping[str, _Share], hinted: Mapping[str, int]) -> tuple[dict[str, int], dict[str, int]]:
    """How many endpoints each zone gives and receives."""
    over = {zone: hinted.get(zone, 0) - share.desired for zone, share in shares.items()}
    surplus = {zone: number for zone, number in over.items() if number > 0}
    need = {zone: -number for zone, number in over.items() if number < 0}
    giving: dict[str, int] = {}
    receiving: dict[str, int] = {}
    while surplus and need:
        giver, receiver = max(surplus, key=lambda zone: surplus[zone]), max(need, key=lambda zone: need[zone])
        most, least = max(surplus[giver], need[receiver]), min(surplus[giver], need[receiver])
        if most < 1.0 or least < 0.5:
            break
        giving[giver] = giving.get(giver, 0) + 1
        receiving[receiver] = receiving.get(receiver, 0) + 1
        surplus[giver] -= 1
        need[receiver] -= 1
    return giving, receiving
