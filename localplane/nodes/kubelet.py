"""The kubelet of all simulated nodes: one watch on pods, one queue of what is due, and one write for every change of a
pod's status. It is imported when there is a pod for it; `machines` keeps its nodes alive until then, and afterwards.

No pod has a task or a timer of its own. A step of a pod's life (`pods.step`) is taken when the pod has changed, when
something that it waited for is there, and when its next step is due. What is written is built on what the API says, so
a restart of the server goes on where the last one was.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any, Final

from localplane.apimachinery.clock import timestamp
from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apis.amounts import read
from localplane.client import HandlerFunctions, WorkQueue, deleted_object, object_key
from localplane.client.workqueue.supervision import Contained
from localplane.controllers.context import ControllerContext
from localplane.controllers.events import EventSubject
from localplane.controllers.pods import NODE_INDEX, PODS, index_by_node, is_terminal
from localplane.controllers.worker import NotYet, work

from . import registration
from .addresses import NoFreeAddress, PodAddresses
from .logs import SimulatedLogs
from .machines import Machines, Tenant, Turn, is_moving
from .needs import PodNeeds
from .occupancy import Occupancy
from .options import NodeOptions
from .pods.admission import matches, rejection
from .pods.containers import RUNTIME
from .pods.memory import PodMemory
from .pods.node_view import NodeView
from .pods.resize import Room, is_asked, urgency
from .pods.step import Step, step
from .stages.driver import Driver
from .stages.stage_watch import Stages
from .stages.templates import Neighbourhood

_OURS: Final = f"{RUNTIME}://"
_MIRROR: Final = "kubernetes.io/config.mirror"
_POD_WORKERS: Final = 8


@dataclass(slots=True)
class _Life:
    """What is remembered of a pod; `written` is the pod as it was written last, until the watch has caught up."""

    uid: str
    memory: PodMemory = field(default_factory=PodMemory)
    written: JSONObject | None = None


class SimulatedKubelet:
    def __init__(
        self, context: ControllerContext, options: NodeOptions, machines: Machines, logs: SimulatedLogs
    ) -> None:
        self._options = options
        self._machines = machines
        self._logs = logs
        self._client = machines.client
        self._pods = context.informers.informer(PODS)
        self._by_node = index_by_node(self._pods)
        self._queue: WorkQueue[str] = WorkQueue()
        self._lives: dict[str, _Life] = {}
        self._addresses = PodAddresses()
        self._occupancy = Occupancy()
        self._hearing = ExitStack()
        self._needs = PodNeeds(context.informers, self._hearing, self._queue.add)
        self._stages = Stages(self._client, machines.recorder(""), self._look_at_everything)
        self._driver = Driver(self._client, self._stages, self._neighbourhood, options.seed)

    async def run(self) -> None:
        """Until it is cancelled."""
        await self._pods.wait_for_sync()
        for pod in self._pods.indexer.list():
            with Contained(partial("the first look at pod {}".format, object_key(pod))):
                self._note(pod)
        self._machines.let(Tenant(self._drive_node, self._look_at_pods_on))
        with self._hearing:
            handler = HandlerFunctions(
                add=self._hear_pod, update=lambda _, new: self._hear_pod(new), delete=self._forget
            )
            self._hearing.callback(self._pods.add_handler(handler).remove)
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._stages.run())
                tasks.create_task(work(self._queue, self._sync_pod, workers=_POD_WORKERS))

    def _note(self, pod: JSONObject) -> None:
        if not is_terminal(pod):
            self._addresses.note(pod)
            self._occupancy.note(pod)

    # Nodes

    async def _drive_node(self, node: JSONObject) -> Turn:
        recorder = self._machines.recorder(node["metadata"]["name"])
        drive = await self._driver.drive("Node", node, recorder, timestamp())
        return Turn(drive.is_driven, _until(drive.due) if drive.due is not None else None)

    def _look_at_pods_on(self, node: str) -> None:
        for key in self._by_node.index_keys(NODE_INDEX, node):
            self._queue.add(key)

    # Pods

    def _hear_pod(self, pod: JSONObject) -> None:
        if is_terminal(pod):
            self._occupancy.release(pod)
        if pod["spec"].get("nodeName") not in self._machines:
            return
        key = object_key(pod)
        life = self._lives.get(key)
        if life is not None and life.written is not None:
            behind = _version(pod) - _version(life.written)
            if behind >= 0:
                life.written = None
            if behind <= 0:
                return  # what was written here is no news, nor is what came before
        self._queue.add(key)

    def _forget(self, gone: Any) -> None:
        pod = deleted_object(gone)
        key = object_key(pod)
        self._addresses.release(pod)
        self._occupancy.release(pod)
        self._lives.pop(key, None)
        self._needs.forget(key)
        self._driver.forget(pod["metadata"]["uid"])
        for container_id in _container_ids(pod):
            self._logs.forget(container_id)
        self._make_room(pod["spec"].get("nodeName", ""))
        if self._by_node.get(key) is not None:  # another of the same name
            self._queue.add(key)

    def _make_room(self, node: str) -> None:
        machine = self._machines.machine(node) if node in self._machines else None
        if machine is not None and machine.deferred:
            pods = [(pod, key) for key in machine.deferred if (pod := self._current(key)) is not None]
            machine.deferred = set()
            for _, key in sorted(pods, key=lambda each: urgency(each[0])):
                self._queue.add(key)

    def _current(self, key: str) -> JSONObject | None:
        pod, life = self._by_node.get(key), self._lives.get(key)
        if pod is None or life is None or life.written is None or life.uid != pod["metadata"]["uid"]:
            return pod
        return life.written if _version(life.written) > _version(pod) else pod

    async def _sync_pod(self, key: str) -> None:
        pod = self._current(key)
        node = self._machines.node(pod["spec"].get("nodeName") or "") if pod is not None else None
        if pod is None or node is None or not is_moving(node) or _MIRROR in (pod["metadata"].get("annotations") or {}):
            return
        if is_terminal(pod) and "deletionTimestamp" not in pod["metadata"] and _is_steady(pod):
            return
        life = self._life(key, pod)
        if await self._is_driven(key, pod, life):
            return
        if is_asked(pod):
            async with self._machines.machine(node["metadata"]["name"]).granting:
                await self._take_step(key, self._current(key) or pod, node, life)
        else:
            await self._take_step(key, pod, node, life)

    async def _take_step(self, key: str, pod: JSONObject, node: JSONObject, life: _Life) -> None:
        place = await self._place(key, pod, await self._up_to_date(pod, node))
        try:
            taken = step(pod, life.memory, place, self._options, timestamp())
        except NoFreeAddress as error:
            message = f"Failed to create pod sandbox: {error}"
            self._machines.recorder(place.name).warn(pod, "FailedCreatePodSandBox", message)
            raise NotYet(message) from error
        if taken.status != pod.get("status"):
            if self._is_there(key, pod):
                self._occupancy.note({**pod, "status": taken.status})
            try:
                life.written = await self._pods_in(pod).update({**pod, "status": taken.status}, subresource="status")
            except NotFound:
                return
            if self._stages.of("Pod"):  # one may select the pod as it is now
                self._queue.add(key)
        self._tell(pod, taken)
        self._after(key, pod, taken)
        if taken.due is not None:
            self._queue.add_after(key, _until(taken.due))
        if taken.is_over:
            await self._delete(pod)

    def _is_there(self, key: str, pod: JSONObject) -> bool:
        """It is not gone, nor was it ended by others: nobody would hear of that a second time."""
        heard = self._by_node.get(key)
        return heard is not None and heard["metadata"]["uid"] == pod["metadata"]["uid"] and not is_terminal(heard)

    async def _is_driven(self, key: str, pod: JSONObject, life: _Life) -> bool:
        """Whether stages look after the pod: one selects it, or one has started what runs."""
        drive = await self._driver.drive("Pod", pod, self._machines.recorder(pod["spec"]["nodeName"]), timestamp())
        if drive.written is not None:
            life.written = drive.written
            self._addresses.note(drive.written)
            self._occupancy.note(drive.written)
            self._queue.add(key)
        elif drive.due is not None:
            self._queue.add_after(key, _until(drive.due))
        return drive.is_driven or _is_others(pod)

    def _neighbourhood(self, obj: Mapping[str, Any]) -> Neighbourhood:
        def pod_ips(node: str, on_host: bool, uid: str) -> list[str]:  # noqa: FBT001 - kwok's order
            found = self._machines.node(node)
            if found is None or on_host:
                return self._machines.addresses(node)
            said = (obj.get("status") or {}).get("podIPs")
            return [each["ip"] for each in said] if said else list(self._addresses.take(found, uid))

        is_node = obj.get("kind") == "Node"
        name = obj["metadata"]["name"] if is_node else obj["spec"].get("nodeName", "")
        return Neighbourhood(self._machines.addresses, pod_ips, name)

    def _look_at_everything(self) -> None:
        """Others say now what becomes of pods and nodes."""
        self._machines.look_at_all()
        for name in self._machines.names():
            self._look_at_pods_on(name)

    def _life(self, key: str, pod: JSONObject) -> _Life:
        life = self._lives.get(key)
        if life is None or life.uid != pod["metadata"]["uid"]:
            life = self._lives[key] = _Life(pod["metadata"]["uid"])
        return life

    def _pods_in(self, pod: JSONObject) -> Any:
        return self._client.resource(PODS, pod["metadata"]["namespace"])

    async def _up_to_date(self, pod: JSONObject, node: JSONObject) -> JSONObject:
        """Before a new pod is rejected for the node's labels, somebody looks whether they have just been written."""
        if "startTime" in (pod.get("status") or {}) or matches(pod, node):
            return node
        current: JSONObject = await self._client.resource(registration.NODES).get(node["metadata"]["name"])
        return current

    async def _place(self, key: str, pod: JSONObject, node: JSONObject) -> NodeView:
        """The node as the pod finds it."""
        name = node["metadata"]["name"]
        machine, uid = self._machines.machine(name), pod["metadata"]["uid"]
        return NodeView(
            name=name,
            host_ips=registration.host_ips(node),
            address=lambda: self._addresses.take(node, uid),
            images=machine.images,
            files=machine.files,
            troubles=await self._needs.troubles(key, pod),
            room=Room(
                lambda: read((node.get("status") or {}).get("allocatable")),
                lambda: self._occupancy.others(name, uid).amounts,
            ),
            found=partial(self._needs.found, pod),
            rejection=lambda: rejection(pod, node, self._occupancy.others(name, uid)),
        )

    def _tell(self, pod: JSONObject, taken: Step) -> None:
        recorder = self._machines.recorder(pod["spec"]["nodeName"])
        for saying in taken.sayings:
            recorder.record(
                EventSubject.of(pod, field_path=saying.field_path), saying.type, saying.reason, saying.message
            )
        for line in taken.lines:
            self._logs.add(line)

    def _after(self, key: str, pod: JSONObject, taken: Step) -> None:
        node = pod["spec"]["nodeName"]
        if taken.status["phase"] in ("Succeeded", "Failed"):
            self._addresses.release({**pod, "status": taken.status})
            self._make_room(node)
        if any(saying.reason == "ResizeCompleted" for saying in taken.sayings):
            self._make_room(node)
        if any(each["type"] == "PodResizePending" for each in taken.status.get("conditions") or ()):
            self._machines.machine(node).deferred.add(key)

    async def _delete(self, pod: JSONObject) -> None:
        """Nothing runs any more: the object may go, unless it waits for its finalizers already. A server that dies
        while it deletes leaves an object without a grace period behind, and nobody else would ask for its end."""
        metadata = pod["metadata"]
        is_let_go = metadata.get("deletionGracePeriodSeconds") == 0
        if "deletionTimestamp" not in metadata or (is_let_go and metadata.get("finalizers")):
            return
        try:
            await self._pods_in(pod).delete(metadata["name"], grace_period_seconds=0, uid=metadata["uid"])
        except NotFound:
            return


def _until(moment: float) -> timedelta:
    return timedelta(seconds=max(0.0, moment - timestamp()))


def _is_others(pod: Mapping[str, Any]) -> bool:
    """Whether what runs there was started by somebody else, such as a stage."""
    if "deletionTimestamp" in pod["metadata"]:
        return False
    running = [each for each in (pod.get("status") or {}).get("containerStatuses") or () if "running" in each["state"]]
    return bool(running) and not any(str(each.get("containerID", "")).startswith(_OURS) for each in running)


def _version(obj: Mapping[str, Any]) -> int:
    text = obj["metadata"].get("resourceVersion", "")
    return int(text) if text.isdecimal() else 0


def _is_steady(pod: Mapping[str, Any]) -> bool:
    """Nothing is known to be due for it: it runs well, or it is over."""
    status = pod.get("status") or {}
    if "deletionTimestamp" in pod["metadata"] or status.get("phase") not in ("Running", "Succeeded", "Failed"):
        return False
    kind = "running" if status["phase"] == "Running" else "terminated"
    return all(kind in (each.get("state") or {}) for each in status.get("containerStatuses") or ())


def _container_ids(pod: Mapping[str, Any]) -> set[str]:
    status, ids = pod.get("status") or {}, set[str]()
    for name in ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"):
        for each in status.get(name) or ():
            ends = [(each.get(state) or {}).get("terminated") for state in ("state", "lastState")]
            for state in (each, *ends):
                if state and state.get("containerID"):
                    ids.add(state["containerID"])
    return ids
