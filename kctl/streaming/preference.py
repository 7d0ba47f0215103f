"""Which of several pods is the best to talk to. Kubernetes: kubectl/pkg/util/podutils (ByLogging, ActivePods)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from localplane.apimachinery.objects import JSONObject

if TYPE_CHECKING:
    from collections.abc import Iterable


_PHASES = {"Running": 0, "Unknown": 1, "Pending": 2}
_NEVER = "~"
"""Sorts after every time."""


def best_to_log(pods: Iterable[JSONObject]) -> list[JSONObject]:
    """On a node, running, ready for long, often restarted, old: first."""
    return sorted(pods, key=lambda pod: (*_running(pod, others=0), _ready_since(pod), *_restarts(pod), _created(pod)))


def most_active(pods: Iterable[JSONObject]) -> list[JSONObject]:
    """The same, but those that are about to go come later, and those that were often restarted last."""
    return sorted(
        pods,
        key=lambda pod: (
            *_running(pod, others=2),
            *_going(pod),
            _ready_since(pod),
            *(-number for number in _restarts(pod)),
            _created(pod),
        ),
    )


def _running(pod: JSONObject, *, others: int) -> tuple[bool, int, bool]:
    """`others` is the rank of phases that have none, such as Succeeded."""
    on_a_node = bool((pod.get("spec") or {}).get("nodeName"))
    return not on_a_node, _PHASES.get(str((pod.get("status") or {}).get("phase")), others), _ready_since(pod) == ""


def _going(pod: JSONObject) -> tuple[bool, str]:
    """Those that go last are first."""
    deleted = str((pod.get("metadata") or {}).get("deletionTimestamp") or "")
    return bool(deleted), "".join(chr(0x7F - ord(one)) for one in deleted)


def _ready_since(pod: JSONObject) -> str:
    """Nothing for a pod that is not ready."""
    for one in (pod.get("status") or {}).get("conditions") or ():
        if one.get("type") == "Ready" and one.get("status") == "True":
            return str(one.get("lastTransitionTime") or _NEVER)
    return ""


def _restarts(pod: JSONObject) -> tuple[int, int]:
    """Of containers and of sidecars, negative: more restarts come first."""
    status, spec = pod.get("status") or {}, pod.get("spec") or {}
    sidecars = {one["name"] for one in spec.get("initContainers") or () if one.get("restartPolicy") == "Always"}
    regular = [one.get("restartCount", 0) for one in status.get("containerStatuses") or ()]
    beside = [
        one.get("restartCount", 0) for one in status.get("initContainerStatuses") or () if one.get("name") in sidecars
    ]
    return -max(regular, default=0), -max(beside, default=0)


def _created(pod: JSONObject) -> str:
    return str((pod.get("metadata") or {}).get("creationTimestamp") or _NEVER)
