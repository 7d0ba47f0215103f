"""A pod's phase and the conditions that a kubelet writes, out of what its containers do.

Kubernetes: pkg/kubelet (getPhase) and pkg/kubelet/status/generate.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject

from .behaviour import ContainerKind, containers
from .containers import is_to_restart

OWNED: Final = (
    "PodResizePending",
    "PodResizeInProgress",
    "PodReadyToStartContainers",
    "Initialized",
    "Ready",
    "ContainersReady",
    "PodScheduled",
)
"""The conditions that are the kubelet's, in its order."""


@dataclass(frozen=True, slots=True)
class PodJudgement:
    """What a condition says."""

    status: str
    reason: str = ""
    message: str = ""


_TRUE: Final = PodJudgement("True")


@dataclass(slots=True)
class _Counts:
    pending: int = 0
    failed: int = 0
    pending_sidecars: int = 0
    unknown: int = 0
    running: int = 0
    waiting: int = 0
    stopped: int = 0
    final: int = 0
    succeeded: int = 0


def phase(pod: Mapping[str, Any], statuses: Mapping[str, JSONObject], *, is_ending: bool = False) -> str:
    """`is_ending` is that no container will start again, whatever the restart policy says."""
    counts = _counted(pod, statuses)
    if counts.failed:
        return "Failed"
    initialized = _any_regular_started(pod, statuses)
    if counts.pending or (counts.pending_sidecars and not initialized) or counts.waiting:
        return "Pending"
    if counts.running and not counts.unknown:
        return "Running"
    if not counts.running and counts.stopped and not counts.unknown:
        if not is_ending and counts.stopped != counts.final:
            return "Running"
        return "Succeeded" if counts.stopped == counts.succeeded else "Failed"
    return "Pending"


def _counted(pod: Mapping[str, Any], statuses: Mapping[str, JSONObject]) -> _Counts:
    counts = _Counts()
    for kind, container in containers(pod):
        status = statuses.get(container["name"], {})
        state = status.get("state") or {}
        match kind:
            case ContainerKind.INIT:
                _count_init(counts, pod, container, status)
            case ContainerKind.SIDECAR:
                _count_sidecar(counts, status)
            case ContainerKind.REGULAR:
                if "running" in state:
                    counts.running += 1
                elif (ended := _ended(status)) is not None:
                    counts.stopped += 1
                    counts.final += not is_to_restart(pod, container, ended["exitCode"])
                    counts.succeeded += "terminated" in state and ended["exitCode"] == 0
                elif "waiting" in state:
                    counts.waiting += 1
                else:
                    counts.unknown += 1
    return counts


def _count_init(counts: _Counts, pod: Mapping[str, Any], container: Mapping[str, Any], status: JSONObject) -> None:
    ended = _ended(status)
    if "running" in (status.get("state") or {}) or ended is None:
        counts.pending += 1
    elif ended["exitCode"] != 0 and not is_to_restart(pod, container, ended["exitCode"]):
        counts.failed += 1


def _count_sidecar(counts: _Counts, status: JSONObject) -> None:
    state = status.get("state") or {}
    if "running" in state:
        counts.pending_sidecars += not status.get("started")
        counts.running += 1
    elif "waiting" in state and "terminated" not in (status.get("lastState") or {}):
        counts.pending_sidecars += 1
        counts.waiting += 1
    elif not state:
        counts.unknown += 1


def _ended(status: JSONObject) -> JSONObject | None:
    """How its last run ended, if it does not run."""
    state: JSONObject = status.get("state") or {}
    if "running" in state:
        return None
    ended: JSONObject | None = state.get("terminated") or (status.get("lastState") or {}).get("terminated")
    return ended


def _any_regular_started(pod: Mapping[str, Any], statuses: Mapping[str, JSONObject]) -> bool:
    for kind, container in containers(pod):
        status = statuses.get(container["name"], {})
        if kind is ContainerKind.REGULAR and ("running" in (status.get("state") or {}) or _ended(status) is not None):
            return True
    return False


def judgements(
    pod: Mapping[str, Any], statuses: Mapping[str, JSONObject], pod_phase: str, *, has_sandbox: bool
) -> dict[str, PodJudgement]:
    """Of the conditions that follow from all this."""
    together = _containers_ready(pod, statuses, pod_phase)
    return {
        "PodReadyToStartContainers": _TRUE if has_sandbox else _no_sandbox(pod, pod_phase),
        "Initialized": _initialized(pod, statuses, pod_phase),
        "Ready": _ready(pod, together),
        "ContainersReady": together,
        "PodScheduled": _TRUE,
    }


def _no_sandbox(pod: Mapping[str, Any], pod_phase: str) -> PodJudgement:
    over = pod_phase in ("Succeeded", "Failed") or "deletionTimestamp" in pod["metadata"]
    message = "pod sandbox is not ready" if over else "no pod sandbox exists"
    return PodJudgement("False", "PodSandboxNotReady", message)


def _containers_ready(pod: Mapping[str, Any], statuses: Mapping[str, JSONObject], pod_phase: str) -> PodJudgement:
    if pod_phase == "Succeeded":
        return PodJudgement("False", "PodCompleted")
    if pod_phase == "Failed":
        return PodJudgement("False", "PodFailed")
    unready = [
        container["name"]
        for kind, container in containers(pod)
        if kind in (ContainerKind.SIDECAR, ContainerKind.REGULAR)
        and not statuses.get(container["name"], {}).get("ready")
    ]
    if unready:
        return PodJudgement("False", "ContainersNotReady", f"containers with unready status: {_listed(unready)}")
    return _TRUE


def _ready(pod: Mapping[str, Any], together: PodJudgement) -> PodJudgement:
    if together.status != "True":
        return together
    conditions = {each["type"]: each for each in (pod.get("status") or {}).get("conditions") or ()}
    problems = []
    for gate in pod["spec"].get("readinessGates") or ():
        kind = gate["conditionType"]
        if kind not in conditions:
            problems.append(f"corresponding condition of pod readiness gate {go_quote(kind)} does not exist.")
        elif conditions[kind]["status"] != "True":
            status = conditions[kind]["status"]
            problems.append(f'the status of pod readiness gate {go_quote(kind)} is not "True", but {status}')
    return PodJudgement("False", "ReadinessGatesNotReady", ", ".join(problems)) if problems else _TRUE


def _initialized(pod: Mapping[str, Any], statuses: Mapping[str, JSONObject], pod_phase: str) -> PodJudgement:
    if pod_phase == "Succeeded":
        return PodJudgement("True", "PodCompleted")
    if _any_regular_started(pod, statuses):
        return _TRUE
    incomplete = [
        container["name"]
        for kind, container in containers(pod)
        if kind in (ContainerKind.INIT, ContainerKind.SIDECAR)
        and not statuses.get(container["name"], {}).get("ready" if kind is ContainerKind.INIT else "started")
    ]
    if incomplete:
        return PodJudgement(
            "False", "ContainersNotInitialized", f"containers with incomplete status: {_listed(incomplete)}"
        )
    return _TRUE


def _listed(names: Sequence[str]) -> str:
    return f"[{' '.join(names)}]"


def merged(
    conditions: Sequence[JSONObject], judged: Mapping[str, PodJudgement], *, generation: int, moment: str
) -> list[JSONObject]:
    """Others' conditions as they are, then the kubelet's own. One that says what it said before keeps its time."""
    before = {each["type"]: each for each in conditions}
    kept = [each for each in conditions if each["type"] not in OWNED]
    return kept + [
        _condition(kind, judged[kind], before.get(kind), generation, moment) for kind in OWNED if kind in judged
    ]


def _condition(kind: str, judged: PodJudgement, before: JSONObject | None, generation: int, moment: str) -> JSONObject:
    since = moment
    if before is not None and before.get("status") == judged.status:
        since = before.get("lastTransitionTime") or moment
    condition: JSONObject = {
        "type": kind,
        "status": judged.status,
        "observedGeneration": generation,
        "lastProbeTime": before.get("lastProbeTime") if before is not None else None,
        "lastTransitionTime": since,
    }
    if judged.reason:
        condition["reason"] = judged.reason
    if judged.message:
        condition["message"] = judged.message
    return condition
