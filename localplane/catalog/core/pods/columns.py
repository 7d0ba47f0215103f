"""A pod's row in a table. Kubernetes: pkg/printers/internalversion, printPod."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import InvalidTime, age, parse_time

from .conditions import condition_of, is_true

NONE = "<none>"
_ENDED = ("Failed", "Succeeded")
_LOST = "NodeLost"
_MESSAGES = {"Succeeded": "The pod has completed successfully.", "Failed": "The pod failed."}


@dataclass(slots=True)
class _Summary:
    """What the containers come to, put together one by one."""

    reason: str
    ready: int = 0
    restarts: int = 0
    last_restart: str = ""

    def count_restarts(self, container: JSONObject) -> None:
        self.restarts += container.get("restartCount") or 0
        ended = ((container.get("lastState") or {}).get("terminated") or {}).get("finishedAt") or ""
        if ended and (not self.last_restart or _moment(ended) > _moment(self.last_restart)):
            self.last_restart = ended


def pod_cells(pod: JSONObject) -> list[Any]:
    metadata, spec, status = pod.get("metadata") or {}, pod.get("spec") or {}, pod.get("status") or {}
    sidecars = {each.get("name") for each in spec.get("initContainers") or () if each.get("restartPolicy") == "Always"}
    summary = _summary(pod, sidecars)
    total = len(spec.get("containers") or ()) + len(sidecars)
    restarts = str(summary.restarts)
    if summary.restarts and summary.last_restart:
        restarts = f"{restarts} ({age(summary.last_restart)} ago)"
    addresses = status.get("podIPs") or [{}]
    return [
        metadata.get("name", ""),
        f"{summary.ready}/{total}",
        _reason(pod, summary.reason),
        restarts,
        age(metadata.get("creationTimestamp")),
        addresses[0].get("ip") or NONE,
        spec.get("nodeName") or NONE,
        status.get("nominatedNodeName") or NONE,
        _readiness_gates(pod),
    ]


def row_conditions(pod: JSONObject) -> list[dict[str, str]]:
    """What a table says of a row beside its cells: that the pod will never run again."""
    phase = (pod.get("status") or {}).get("phase", "")
    if phase not in _MESSAGES:
        return []
    return [{"type": "Completed", "status": "True", "reason": phase, "message": _MESSAGES[phase]}]


def _summary(pod: JSONObject, sidecars: set[Any]) -> _Summary:
    status = pod.get("status") or {}
    summary = _Summary(status.get("reason") or status.get("phase") or "")
    gated = any(
        each.get("type") == "PodScheduled" and each.get("reason") == "SchedulingGated"
        for each in status.get("conditions") or ()
    )
    if gated:
        summary.reason = "SchedulingGated"
    of_sidecars = _Summary("")
    initializing = _initialize(pod, summary, of_sidecars, sidecars)
    if not initializing or is_true(pod, "Initialized"):
        # What happened during initialization is history, except for the sidecars, which go on.
        summary.restarts, summary.last_restart = of_sidecars.restarts, of_sidecars.last_restart
        _run(pod, summary)
    return summary


def _initialize(pod: JSONObject, summary: _Summary, of_sidecars: _Summary, sidecars: set[Any]) -> bool:
    """Go through the init containers up to the one that is not done; True if there is one."""
    total = len((pod.get("spec") or {}).get("initContainers") or ())
    for index, container in enumerate((pod.get("status") or {}).get("initContainerStatuses") or ()):
        is_sidecar = container.get("name") in sidecars
        summary.count_restarts(container)
        if is_sidecar:
            of_sidecars.count_restarts(container)
        state = container.get("state") or {}
        terminated, waiting = state.get("terminated"), (state.get("waiting") or {}).get("reason") or ""
        if terminated is not None and not terminated.get("exitCode"):
            continue
        if is_sidecar and container.get("started"):
            summary.ready += bool(container.get("ready"))
            continue
        if terminated is not None:
            summary.reason = f"Init:{_ending(terminated)}"
        elif waiting and waiting != "PodInitializing":
            summary.reason = f"Init:{waiting}"
        else:
            summary.reason = f"Init:{index}/{total}"
        return True
    return False


def _run(pod: JSONObject, summary: _Summary) -> None:
    """Go through the containers, the last one first, so that the first one has the last word."""
    some_run, failure = False, ""
    for container in reversed((pod.get("status") or {}).get("containerStatuses") or ()):
        summary.count_restarts(container)
        state = container.get("state") or {}
        terminated, waiting = state.get("terminated"), (state.get("waiting") or {}).get("reason") or ""
        if waiting:
            summary.reason = waiting
        elif terminated is not None:
            summary.reason = _ending(terminated)
            failure = summary.reason if terminated.get("exitCode") else failure
        elif container.get("ready") and state.get("running") is not None:
            some_run = True
            summary.ready += 1
    if summary.reason != "Completed":
        return
    if some_run and _is_ready(pod):
        summary.reason = "Running"
    elif failure:
        summary.reason = failure
    elif some_run:
        summary.reason = "NotReady"


def _ending(terminated: JSONObject) -> str:
    if terminated.get("reason"):
        return str(terminated["reason"])
    if terminated.get("signal"):
        return f"Signal:{terminated['signal']}"
    return f"ExitCode:{terminated.get('exitCode') or 0}"


def _is_ready(pod: JSONObject) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any(each.get("type") == "Ready" and each.get("status") == "True" for each in conditions)


def _reason(pod: JSONObject, reason: str) -> str:
    status = pod.get("status") or {}
    if not (pod.get("metadata") or {}).get("deletionTimestamp"):
        return reason
    if status.get("reason") == _LOST:
        return "Unknown"
    return reason if status.get("phase") in _ENDED else "Terminating"


def _readiness_gates(pod: JSONObject) -> str:
    gates = (pod.get("spec") or {}).get("readinessGates") or ()
    if not gates:
        return NONE
    kinds = [gate.get("conditionType", "") for gate in gates]
    passed = sum((condition_of(pod, kind) or {}).get("status") == "True" for kind in kinds)
    return f"{passed}/{len(kinds)}"


def _moment(text: str) -> datetime:
    try:
        return parse_time(text)
    except InvalidTime:
        return datetime.min.replace(tzinfo=UTC)
