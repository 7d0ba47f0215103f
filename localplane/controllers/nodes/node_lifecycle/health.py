"""When a node was last heard of. Kubernetes: node_lifecycle_controller.go, tryUpdateNodeHealth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from localplane.apimachinery.clock import present
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import InvalidTime, parse_time
from localplane.controllers.pods import condition

# NetworkUnavailable is not among them: the kubelet does not write it.
_TYPES: Final = ("Ready", "MemoryPressure", "DiskPressure", "PIDPressure")


@dataclass(slots=True)
class _Heard:
    """`at` is by `loop_time`; `heartbeat` is that of the Ready condition then, None without one."""

    at: float
    heartbeat: str | None


class Heartbeats:
    """Of all nodes, by name. Moments are seconds by `loop_time`: what others write as a time is compared with what
    they wrote before and never with our own clock."""

    def __init__(self) -> None:
        self._statuses: dict[str, _Heard] = {}
        self._renewals: dict[str, str] = {}
        self._renewed: dict[str, float] = {}

    def hear_lease(self, name: str, renew_time: str, moment: float) -> None:
        if renew_time > self._renewals.get(name, ""):
            self._renewals[name] = renew_time
            self._renewed[name] = moment

    def hear_status(self, node: Mapping[str, Any], moment: float) -> None:
        name, ready = node["metadata"]["name"], condition(node, "Ready")
        heartbeat = None if ready is None else ready.get("lastHeartbeatTime") or ""
        heard = self._statuses.get(name)
        if heard is None and heartbeat is None:
            self._statuses[name] = _Heard(moment - _age(node).total_seconds(), None)
        elif heard is None or heard.heartbeat != heartbeat:
            self._statuses[name] = _Heard(moment, heartbeat)

    def last(self, name: str) -> float:
        """Raises KeyError for a node whose status was never looked at."""
        return max(self._statuses[name].at, self._renewed.get(name, float("-inf")))

    def excuse(self, moment: float) -> None:
        """All that are known, as if they had been heard of just now."""
        for heard in self._statuses.values():
            heard.at = moment

    def forget(self, name: str) -> None:
        self._statuses.pop(name, None)

    def forget_lease(self, name: str) -> None:
        self._renewals.pop(name, None)
        self._renewed.pop(name, None)


def silent(node: JSONObject, moment: str) -> JSONObject:
    """The node as it is when nobody has heard of it for too long; the same if that was known."""
    if (ready := condition(node, "Ready")) is not None and ready.get("status") == "Unknown":
        return node
    status = node.get("status") or {}
    conditions = [_unknown(each, moment) for each in status.get("conditions") or ()]
    there = {each.get("type") for each in conditions}
    conditions += [_never_updated(node, kind, moment) for kind in _TYPES if kind not in there]
    return node | {"status": status | {"conditions": conditions}}


def _unknown(current: JSONObject, moment: str) -> JSONObject:
    if current.get("type") not in _TYPES or current.get("status") == "Unknown":
        return current
    return current | {
        "status": "Unknown",
        "reason": "NodeStatusUnknown",
        "message": "Kubelet stopped posting node status.",
        "lastTransitionTime": moment,
    }


def _never_updated(node: JSONObject, kind: str, moment: str) -> JSONObject:
    return {
        "type": kind,
        "status": "Unknown",
        "lastHeartbeatTime": node["metadata"].get("creationTimestamp"),
        "lastTransitionTime": moment,
        "reason": "NodeStatusNeverUpdated",
        "message": "Kubelet never posted node status.",
    }


def _age(node: Mapping[str, Any]) -> timedelta:
    try:
        created = parse_time(node["metadata"].get("creationTimestamp") or "")
    except InvalidTime:
        return timedelta(0)
    return max(timedelta(0), present() - created)
