"""The devices that a node can use, and those that somebody has.

Kubernetes: dynamic-resource-allocation/structured/internal/stable/pools_stable.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from localplane.controllers.node_selection import NodeSelector
from localplane.scheduler.state.node_info import NodeInfo


@dataclass(frozen=True, slots=True)
class DeviceName:
    driver: str
    pool: str
    device: str


@dataclass(frozen=True, slots=True, eq=False)
class Device:
    """`near` says which nodes can use it: a part of its slice, or of itself."""

    name: DeviceName
    body: Mapping[str, Any]
    near: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Inventory:
    """Of one node. It is not `complete` while a driver is publishing a pool."""

    devices: list[Device]
    complete: bool


def inventory(slices: Iterable[Mapping[str, Any]], node: NodeInfo) -> Inventory:
    pools: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for each in slices:
        spec = each["spec"]
        pools.setdefault((spec["driver"], spec["pool"]["name"]), []).append(spec)
    devices: list[Device] = []
    complete = True
    for specs in pools.values():
        newest = max(spec["pool"].get("generation", 0) for spec in specs)
        current = [spec for spec in specs if spec["pool"].get("generation", 0) == newest]
        found = [device for spec in current for device in _devices(spec, node)]
        if len(current) == current[0]["pool"].get("resourceSliceCount", 1):
            devices += found
        elif found:
            complete = False
    return Inventory(devices, complete)


def _devices(spec: Mapping[str, Any], node: NodeInfo) -> list[Device]:
    """Devices that share counters with others, or take several claims, are left out."""
    each_for_itself = bool(spec.get("perDeviceNodeSelection"))
    if spec.get("sharedCounters") or (not each_for_itself and not _is_near(spec, node)):
        return []
    pool = spec["pool"]["name"]
    return [
        Device(DeviceName(spec["driver"], pool, device["name"]), device, device if each_for_itself else spec)
        for device in spec.get("devices") or ()
        if not device.get("consumesCounters")
        and not device.get("allowMultipleAllocations")
        and (not each_for_itself or _is_near(device, node))
    ]


def _is_near(selection: Mapping[str, Any], node: NodeInfo) -> bool:
    if selection.get("allNodes"):
        return True
    if name := selection.get("nodeName"):
        return bool(name == node.name)
    selector = selection.get("nodeSelector")
    return selector is not None and node.node is not None and NodeSelector(selector).matches(node.node)


def devices_of(allocation: Mapping[str, Any]) -> set[DeviceName]:
    """Those that nobody else may have while this allocation lasts."""
    results = (allocation.get("devices") or {}).get("results") or ()
    return {DeviceName(each["driver"], each["pool"], each["device"]) for each in results if not each.get("adminAccess")}
