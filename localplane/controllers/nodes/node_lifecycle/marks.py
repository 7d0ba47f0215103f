"""The taints and labels that a node should have, by what it says of itself.

NoSchedule taints mirror conditions and follow them at once, and so does the removal of NoExecute taints. Only the first
NoExecute taint of a node that is not well waits for its turn (`zones`), since it drives pods away. Kubernetes:
node_lifecycle_controller.go, doNoScheduleTaintingPass, processTaintBaseEviction and reconcileNodeLabels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.node_selection import (
    DISK_PRESSURE,
    MEMORY_PRESSURE,
    NETWORK_UNAVAILABLE,
    NO_EXECUTE,
    NO_SCHEDULE,
    NOT_READY,
    PID_PRESSURE,
    UNREACHABLE,
    UNSCHEDULABLE,
    taints_of,
)
from localplane.controllers.pods import condition

_BY_CONDITION: Final = {
    ("Ready", "False"): NOT_READY,
    ("Ready", "Unknown"): UNREACHABLE,
    ("MemoryPressure", "True"): MEMORY_PRESSURE,
    ("DiskPressure", "True"): DISK_PRESSURE,
    ("NetworkUnavailable", "True"): NETWORK_UNAVAILABLE,
    ("PIDPressure", "True"): PID_PRESSURE,
}
_MIRRORED: Final = frozenset((*_BY_CONDITION.values(), UNSCHEDULABLE))
_DRIVING: Final = frozenset((NOT_READY, UNREACHABLE))
_LABELS: Final = {
    "kubernetes.io/os": "beta.kubernetes.io/os",
    "kubernetes.io/arch": "beta.kubernetes.io/arch",
}


def driving_taint(node: Mapping[str, Any]) -> str:
    """The key of the NoExecute taint that a node should have by its Ready condition, empty for none."""
    ready = condition(node, "Ready") or {}
    return _BY_CONDITION.get(("Ready", ready.get("status", "")), "")


def has_driving_taint(node: Mapping[str, Any], key: str = "") -> bool:
    """This one, or any."""
    keys = (key,) if key else _DRIVING
    return any(taint["key"] in keys and taint.get("effect") == NO_EXECUTE for taint in taints_of(node))


def taints(node: Mapping[str, Any], moment: str, *, is_excused: bool, is_driven: bool) -> list[JSONObject]:
    """All taints that the node should have. One that `is_excused` drives nobody away, whatever its conditions are; one
    that `is_driven` does, and so does one that was before. One that says nothing of its readiness keeps what it has."""
    ours = [(key, NO_SCHEDULE) for key in _MIRRORED]
    wanted = [(key, NO_SCHEDULE) for key in _mirrored(node)]
    if is_excused or condition(node, "Ready") is not None:
        ours += [(key, NO_EXECUTE) for key in _DRIVING]
        driving = driving_taint(node)
        if driving and not is_excused and (is_driven or has_driving_taint(node)):
            wanted.append((driving, NO_EXECUTE))
    there = {(taint["key"], taint.get("effect")) for taint in taints_of(node)}
    surplus = set(ours).difference(wanted)
    kept = [taint for taint in taints_of(node) if (taint["key"], taint.get("effect")) not in surplus]
    missing = [taint for taint in dict.fromkeys(wanted) if taint not in there]
    return kept + [{"key": key, "effect": effect, "timeAdded": moment} for key, effect in missing]


def labels(node: Mapping[str, Any]) -> dict[str, str]:
    """Those that are to be written: the old names of some labels say what the new ones do."""
    current = node["metadata"].get("labels") or {}
    return {old: current[new] for new, old in _LABELS.items() if new in current and current.get(old) != current[new]}


def _mirrored(node: Mapping[str, Any]) -> Iterable[str]:
    for each in (node.get("status") or {}).get("conditions") or ():
        if key := _BY_CONDITION.get((each.get("type", ""), each.get("status", ""))):
            yield key
    if node["spec"].get("unschedulable"):
        yield UNSCHEDULABLE
