"""The next step in a pod's life: out of what the API says, what the kubelet remembers and the time comes a new status,
what is to be said about it, and when to look again.

Nothing here waits or writes. A step that finds nothing due changes nothing, so it may be taken at any time: after every
change of the pod, whenever something is due, and after a restart of the server. Kubernetes: pkg/kubelet (SyncPod,
SyncTerminatingPod) and pkg/kubelet/kuberuntime (computePodActions).
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import format_time
from localplane.catalog.core.pods.qos import has_pod_level_resources, qos_class
from localplane.nodes.options import NodeOptions

from . import containers as status_of
from . import resize
from .admission import PodRejection
from .behaviour import ContainerKind, InvalidSimulation, Wishes, containers, wishes
from .conditions import OWNED, PodJudgement, judgements, merged, phase
from .life import ContainerLife, Scene
from .memory import Line, PodMemory, Saying, Stop
from .node_view import NodeView

_DEADLINE: Final = "DeadlineExceeded"
_DEADLINE_MESSAGE: Final = "Pod was active on the node longer than the specified deadline"
_FIELDS: Final = (
    ("initContainerStatuses", (ContainerKind.INIT, ContainerKind.SIDECAR)),
    ("containerStatuses", (ContainerKind.REGULAR,)),
    ("ephemeralContainerStatuses", (ContainerKind.EPHEMERAL,)),
)
_NOT_THE_KUBELETS: Final = (
    "extendedResourceClaimStatus",
    "nodeAllocatableResourceClaimStatuses",
    "nominatedNodeName",
    "resourceClaimStatuses",
)


@dataclass(frozen=True, slots=True)
class Step:
    """`due` is when to look again, in seconds since the epoch. `is_over` is that nothing is left but the object: it may
    be deleted."""

    status: JSONObject
    due: float | None = None
    is_over: bool = False
    sayings: tuple[Saying, ...] = ()
    lines: tuple[Line, ...] = ()


def step(pod: Mapping[str, Any], memory: PodMemory, place: NodeView, options: NodeOptions, now: float) -> Step:
    """The pod is not changed; the memory is."""
    status: JSONObject = deepcopy(pod.get("status") or {})
    scene = Scene(pod, memory, place, options, now, status, _known(pod, status))
    stepper = _Stepper(scene, status)
    stepper.go()
    return Step(status, scene.due, stepper.is_over, tuple(scene.say.sayings), tuple(scene.say.lines))


def _known(pod: Mapping[str, Any], status: Mapping[str, Any]) -> dict[str, JSONObject]:
    """What is said of each container so far; of one that is new, that it waits."""
    said: dict[str, JSONObject] = {}
    for name, _ in _FIELDS:
        said |= {each["name"]: each for each in status.get(name) or ()}
    reason = "PodInitializing" if pod["spec"].get("initContainers") else "ContainerCreating"
    known = {}
    for kind, container in containers(pod):
        name = container["name"]
        known[name] = status_of.waiting_status(container, reason) | said.get(name, {})
        if not known[name]["state"]:
            known[name]["state"] = {"waiting": {"reason": reason}}
        if "waiting" in known[name]["state"]:
            known[name]["image"] = container.get("image", "")
        if kind is ContainerKind.EPHEMERAL:
            known[name].pop("started", None)
    return known


class _Stepper:
    def __init__(self, scene: Scene, status: JSONObject) -> None:
        self._scene = scene
        self._pod = scene.pod
        self._status = status
        self._statuses = scene.statuses
        self._resize: dict[str, PodJudgement] = {}
        self._asked = Wishes({})
        self.is_over = False

    def go(self) -> None:
        if self._status.get("phase") in ("Succeeded", "Failed"):
            if not self._status.get("containerStatuses"):  # it was rejected
                self.is_over = True
                return
            self._stop_the_rest()
            self.is_over = True
            self._write(self._status["phase"], has_sandbox=False)
        elif "deletionTimestamp" in self._pod["metadata"]:
            self._terminate()
        elif self._is_past_its_deadline():
            self._exceed()
        else:
            self._live()

    # A pod that is to run

    def _live(self) -> None:
        has_sandbox, is_new = self._has_sandbox(), "startTime" not in self._status
        if is_new and (rejection := self._scene.place.rejection()) is not None:
            self._reject(rejection)
            return
        if is_new:
            self._status["startTime"] = format_time(self._scene.moment)
            self._scene.look_at(self._scene.now + self._time_to_begin())
        elif has_sandbox or self._may_begin():
            has_sandbox = True
            self._give_addresses()
            self._run_all()
            if self._scene.regulars_are_done():
                self._stop_the_rest()
        pod_phase = phase(self._pod, self._statuses)
        if pod_phase in ("Succeeded", "Failed"):
            self._stop_the_rest()
            has_sandbox = False
        else:
            self._resized()
        self._write(pod_phase, has_sandbox=has_sandbox)

    def _reject(self, rejection: PodRejection) -> None:
        """Nothing is said of its containers, nor in conditions: nobody has begun with it."""
        self._scene.say.warn(rejection.reason, rejection.message)
        others = [each for each in self._status.get("conditions") or () if each["type"] not in OWNED]
        status = {key: value for key, value in self._status.items() if key in _NOT_THE_KUBELETS}
        status |= {
            "phase": "Failed",
            "reason": rejection.reason,
            "message": f"Pod was rejected: {rejection.message}",
            "qosClass": qos_class(self._pod),
            "startTime": format_time(self._scene.moment),
            "observedGeneration": self._pod["metadata"].get("generation", 0),
        }
        self._status.clear()
        self._status |= status | ({"conditions": others} if others else {})

    def _has_sandbox(self) -> bool:
        conditions = self._status.get("conditions") or ()
        return any(each["type"] == "PodReadyToStartContainers" and each["status"] == "True" for each in conditions)

    def _time_to_begin(self) -> float:
        """And from when on it counts."""
        options = self._scene.options
        pause = options.pace.start.total_seconds() / options.speed
        self._scene.memory.may_begin = self._scene.now + pause
        return pause

    def _may_begin(self) -> bool:
        troubles = self._scene.place.troubles.volumes
        for message in troubles:
            if self._scene.memory.is_news(message):
                self._scene.say.warn("FailedMount", message)
        if not troubles and self._scene.now < self._scene.memory.may_begin:
            self._scene.look_at(self._scene.memory.may_begin)
            return False
        return not troubles

    def _give_addresses(self) -> None:
        if not self._status.get("podIP"):
            place = self._scene.place
            addresses = place.host_ips if self._pod["spec"].get("hostNetwork") else place.address()
            self._status["podIP"] = addresses[0]
            self._status["podIPs"] = [{"ip": address} for address in addresses]

    def _run_all(self) -> None:
        """Init containers one after the other, then all regular ones; ephemeral ones whenever they come."""
        try:
            self._asked = wishes(self._pod)
        except InvalidSimulation as error:
            self._refuse(str(error))
            if all("waiting" in status["state"] for status in self._statuses.values()):
                return
        initialized = any(
            kind is ContainerKind.REGULAR and _has_run(self._statuses[container["name"]])
            for kind, container in self._scene.containers
        )
        is_blocked = False
        for kind, container in self._scene.containers:
            if (is_blocked and kind is not ContainerKind.EPHEMERAL) or (initialized and kind is ContainerKind.INIT):
                continue
            status = self._statuses[container["name"]]
            ContainerLife(self._scene, kind, container, self._asked.of(container["name"])).go_on()
            if not initialized and kind is ContainerKind.INIT:
                is_blocked = not status["ready"]
            elif not initialized and kind is ContainerKind.SIDECAR:
                is_blocked = not status.get("started")

    def _refuse(self, message: str) -> None:
        if self._scene.memory.is_news(message):
            self._scene.say.warn("InvalidSimulation", message)
        for status in self._statuses.values():
            if "waiting" in status["state"]:
                status_of.wait(status, "InvalidSimulation", message)

    def _resized(self) -> None:
        outcome = resize.resized(self._pod, self._statuses, self._scene.place.room)
        self._resize = outcome.conditions
        for saying in outcome.sayings:
            self._scene.say.record(saying)
        for kind, container in self._scene.containers:
            if container["name"] in outcome.restarts:
                life = ContainerLife(self._scene, kind, container, self._asked.of(container["name"]))
                life.end(status_of.TERMINATED)
                life.start()
        if outcome.is_under_way:
            self._scene.look_at(self._scene.now + self._scene.options.pace.look.total_seconds())

    # A pod that ends

    def _is_past_its_deadline(self) -> bool:
        seconds: int | None = self._pod["spec"].get("activeDeadlineSeconds")
        began = status_of.time_of(self._status.get("startTime"))
        if seconds is None or began is None:
            return False
        deadline = began.timestamp() + seconds
        if self._scene.now < deadline:
            self._scene.look_at(deadline)
        return self._scene.now >= deadline

    def _exceed(self) -> None:
        self._scene.say.normal(_DEADLINE, _DEADLINE_MESSAGE)
        self._status |= {"reason": _DEADLINE, "message": _DEADLINE_MESSAGE}
        self._stop_the_rest()
        self._write("Failed", has_sandbox=False)

    def _terminate(self) -> None:
        """Containers are told to stop, and have stopped a little later."""
        memory, now, last = self._scene.memory, self._scene.now, self._last_moment()
        if memory.stops is None:
            memory.stops = self._told_to_stop(last)
        until = min(last, max((stop.at for stop in memory.stops.values()), default=now))
        if now < until:
            self._scene.look_at(until)
            self._write(phase(self._pod, self._statuses), has_sandbox=self._has_sandbox())
            return
        initialized = self._was_initialized()
        self._stop_the_rest(memory.stops)
        for kind, container in self._scene.containers:
            status = self._statuses[container["name"]]
            if kind is ContainerKind.REGULAR and initialized and "waiting" in status["state"]:
                status_of.lose(status)
        final = phase(self._pod, self._statuses, is_ending=True)
        self._write(final if final in ("Succeeded", "Failed") else "Failed", has_sandbox=False)
        self.is_over = True

    def _last_moment(self) -> float:
        """When the grace period ends, which may have been running before we saw it, and may have been shortened."""
        last = status_of.time_of(self._pod["metadata"]["deletionTimestamp"])
        return last.timestamp() if last is not None else float("inf")

    def _told_to_stop(self, last: float) -> dict[str, Stop]:
        stops = {}
        for kind, container in self._scene.containers:
            if "running" in self._statuses[container["name"]]["state"]:
                stops[container["name"]] = ContainerLife(self._scene, kind, container, {}).stop(last)
                self._scene.say.normal("Killing", f"Stopping container {container['name']}", kind, container)
        return stops

    def _was_initialized(self) -> bool:
        inits = [
            container["name"]
            for kind, container in self._scene.containers
            if kind in (ContainerKind.INIT, ContainerKind.SIDECAR)
        ]
        return all(self._statuses[name]["ready"] for name in inits)

    def _stop_the_rest(self, stops: Mapping[str, Stop] | None = None) -> None:
        """As they were told to, those that take too long by force."""
        are_done, now = self._scene.regulars_are_done(), self._scene.now
        for kind, container in self._scene.containers:
            name = container["name"]
            if "running" in self._statuses[name]["state"]:
                stop = (stops or {}).get(name, Stop(now, status_of.TERMINATED))
                code = stop.exit_code if stop.at <= now else status_of.KILLED
                is_last = kind is ContainerKind.SIDECAR and are_done and code == status_of.TERMINATED
                ContainerLife(self._scene, kind, container, {}).end(0 if is_last else code)
        self._scene.due = None

    # What is written

    def _write(self, pod_phase: str, *, has_sandbox: bool) -> None:
        pod, status, place = self._pod, self._status, self._scene.place
        moment, generation = format_time(self._scene.moment), pod["metadata"].get("generation", 0)
        judged = self._resize | judgements(pod, self._statuses, pod_phase, has_sandbox=has_sandbox)
        status["conditions"] = merged(status.get("conditions") or (), judged, generation=generation, moment=moment)
        status["phase"] = pod_phase
        status["observedGeneration"] = generation
        status.setdefault("qosClass", qos_class(pod))
        status["hostIP"] = place.host_ips[0]
        status["hostIPs"] = [{"ip": address} for address in place.host_ips]
        status.setdefault("startTime", moment)
        if pod["spec"].get("hostNetwork"):
            self._give_addresses()
        self._write_resources()
        for name, kinds in _FIELDS:
            statuses = [self._statuses[each["name"]] for kind, each in self._scene.containers if kind in kinds]
            if statuses:
                is_ordered = name == "initContainerStatuses"
                status[name] = statuses if is_ordered else sorted(statuses, key=lambda each: str(each["name"]))

    def _write_resources(self) -> None:
        pod = self._pod
        if allocated := resize.pod_requests(pod, self._statuses):
            self._status["allocatedResources"] = allocated
        if has_pod_level_resources(pod["spec"]):
            self._status["resources"] = deepcopy(pod["spec"]["resources"])


def _has_run(status: Mapping[str, Any]) -> bool:
    return "waiting" not in status["state"] or bool(status.get("lastState"))
