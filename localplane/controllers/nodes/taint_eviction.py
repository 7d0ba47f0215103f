"""Pods go from nodes with NoExecute taints that they don't tolerate, at once or after as long as they do tolerate them.

Kubernetes: pkg/controller/tainteviction.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from localplane.apimachinery.clock.waiting import loop_time
from localplane.apimachinery.errors import Conflict, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.time_slices import TimeSlices
from localplane.apimachinery.times import now
from localplane.client import (
    Client,
    GroupVersionResource,
    HandlerFunctions,
    Indexer,
    Lister,
    PatchType,
    WorkQueue,
    deleted_object,
    object_key,
    split_key,
)
from localplane.controllers.context import ControllerContext
from localplane.controllers.events import EventRecorder, EventSubject
from localplane.controllers.node_selection import NO_EXECUTE, taints_of, tolerates
from localplane.controllers.pods import NODE_INDEX, PODS, condition, index_by_node
from localplane.controllers.worker import TryAfter, work

_NODES: Final = GroupVersionResource("", "v1", "nodes")
_ACCOUNT: Final = "node-controller"
_NAME: Final = "taint-eviction-controller"
_WORKERS: Final = 8
_FOR_EVER: Final = timedelta.max


async def start(context: ControllerContext) -> None:
    pods, nodes = context.informers.informer(PODS), context.informers.informer(_NODES)
    controller = TaintEvictionController(
        context.client_of(_ACCOUNT), context.recorder(_ACCOUNT, _NAME), index_by_node(pods), nodes.lister
    )
    await pods.wait_for_sync()
    await nodes.wait_for_sync()
    listeners = (
        nodes.add_handler(HandlerFunctions(add=controller.hear_node, update=controller.hear_node_change)),
        pods.add_handler(
            HandlerFunctions(
                add=controller.hear_pod,
                update=controller.hear_pod_change,
                delete=lambda pod: controller.hear_pod(deleted_object(pod)),
            )
        ),
    )
    try:
        await controller.run()
    finally:
        for listener in listeners:
            listener.remove()


@dataclass(slots=True)
class _Eviction:
    """Of a pod that is to go. `since` and `due` are by `loop_time`; one without a delay can't be taken back."""

    uid: str
    since: float
    due: float
    is_delayed: bool
    is_begun: bool = False


class TaintEvictionController:
    def __init__(self, client: Client, events: EventRecorder, pods: Indexer, nodes: Lister) -> None:
        self._client = client
        self._events = events
        self._pods = pods
        self._nodes = nodes
        self._changed_nodes = WorkQueue[str]()
        self._changed_pods = WorkQueue[str]()
        self._due = WorkQueue[str]()
        self._evictions: dict[str, _Eviction] = {}

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(work(self._changed_nodes, self._look_at_node))
            tasks.create_task(work(self._changed_pods, self._look_at_pod))
            tasks.create_task(work(self._due, self._evict, workers=_WORKERS))

    def hear_node(self, node: JSONObject) -> None:
        self._changed_nodes.add(node["metadata"]["name"])

    def hear_node_change(self, old: JSONObject, new: JSONObject) -> None:
        if _no_execute(old) != _no_execute(new):
            self.hear_node(new)

    def hear_pod(self, pod: JSONObject) -> None:
        self._changed_pods.add(object_key(pod))

    def hear_pod_change(self, old: JSONObject, new: JSONObject) -> None:
        if _placement(old) != _placement(new):
            self.hear_pod(new)

    async def _look_at_node(self, name: str) -> None:
        node = self._nodes.get(name)
        if node is None:
            return
        taints, slices = _no_execute(node), TimeSlices()
        for pod in self._pods.index(NODE_INDEX, name):
            self._judge(pod, taints)
            if slices.is_over:
                await slices.next()

    async def _look_at_pod(self, key: str) -> None:
        pod = self._pods.get(key)
        eviction = self._evictions.get(key)
        if eviction is not None and (pod is None or pod["metadata"]["uid"] != eviction.uid):
            self._cancel(key)
        node = self._nodes.get(pod["spec"].get("nodeName", "")) if pod is not None else None
        if pod is not None and node is not None and (taints := _no_execute(node)):
            self._judge(pod, taints)

    def _judge(self, pod: JSONObject, taints: Sequence[JSONObject]) -> None:
        key = object_key(pod)
        delay = tolerated_for(taints, pod["spec"].get("tolerations") or ())
        if delay == _FOR_EVER:
            self._cancel(key)
            return
        moment = loop_time()
        if not delay:
            self._cancel(key)
            self._schedule(pod, _Eviction(pod["metadata"]["uid"], moment, moment, is_delayed=False))
            return
        eviction = self._evictions.get(key)
        if eviction is None:
            due = moment + delay.total_seconds()
            self._schedule(pod, _Eviction(pod["metadata"]["uid"], moment, due, is_delayed=True))
        # Otherwise the time that it was given first counts on, as upstream's does.

    def _schedule(self, pod: JSONObject, eviction: _Eviction) -> None:
        key = object_key(pod)
        if key not in self._evictions:
            self._evictions[key] = eviction
            self._due.add_after(key, timedelta(seconds=eviction.due - eviction.since))

    def _cancel(self, key: str) -> None:
        """What has begun goes on."""
        eviction = self._evictions.get(key)
        if eviction is None or eviction.is_begun:
            return
        del self._evictions[key]
        if eviction.is_delayed:
            self._tell(key, f"Cancelling deletion of Pod {key}")

    async def _evict(self, key: str) -> None:
        eviction = self._evictions.get(key)
        if eviction is None:  # it was cancelled
            return
        if (left := eviction.due - loop_time()) > 0:
            raise TryAfter(timedelta(seconds=left))
        if not eviction.is_begun:
            eviction.is_begun = True
            self._tell(key, f"Marking for deletion Pod {key}")
        try:
            await self._delete(key, eviction.uid)
        except (NotFound, Conflict) as error:
            if isinstance(error, Conflict) and self._is_there(key, eviction.uid):
                raise
        self._evictions.pop(key, None)
        if self._pods.get(key) is not None and not self._is_there(key, eviction.uid):
            self._changed_pods.add(key)  # somebody has made it anew meanwhile

    def _is_there(self, key: str, uid: str) -> bool:
        pod = self._pods.get(key)
        return pod is not None and pod["metadata"]["uid"] == uid

    async def _delete(self, key: str, uid: str) -> None:
        namespace, name = split_key(key)
        pods = self._client.resource(PODS, namespace)
        pod = await pods.get(name)
        if pod["metadata"]["uid"] != uid:
            return
        if (target := _disruption_target(pod)) is not None:
            patch = {"metadata": {"uid": uid}, "status": {"conditions": [target]}}
            await pods.patch(name, patch, PatchType.STRATEGIC, subresource="status")
        await pods.delete(name, uid=uid)

    def _tell(self, key: str, message: str) -> None:
        namespace, name = split_key(key)
        self._events.normal(EventSubject("v1", "Pod", namespace, name, ""), "TaintManagerEviction", message)


def tolerated_for(taints: Sequence[JSONObject], tolerations: Sequence[Mapping[str, Any]]) -> timedelta:
    """How long a pod may stay where these taints are: zero if it must go at once, timedelta.max if it may for ever. Of
    the tolerations that match a taint the first counts, of all the shortest."""
    shortest = _FOR_EVER
    for taint in taints:
        toleration = next((toleration for toleration in tolerations if tolerates(toleration, taint)), None)
        if toleration is None:
            return timedelta(0)
        seconds = toleration.get("tolerationSeconds")
        if seconds is not None:
            shortest = min(shortest, _delay(seconds))
    return shortest


def _delay(seconds: int) -> timedelta:
    try:
        return timedelta(seconds=max(seconds, 0))
    except OverflowError:
        return _FOR_EVER


def _no_execute(node: Mapping[str, Any]) -> list[JSONObject]:
    return [taint for taint in taints_of(node) if taint.get("effect") == NO_EXECUTE]


def _placement(pod: Mapping[str, Any]) -> tuple[Any, Any]:
    """What decides whether a pod must go."""
    return pod["spec"].get("nodeName"), pod["spec"].get("tolerations")


def _disruption_target(pod: Mapping[str, Any]) -> JSONObject | None:
    """The condition that says why it goes, if the pod does not say it yet."""
    target: JSONObject = {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": "DeletionByTaintManager",
        "message": "Taint manager: deleting due to NoExecute taint",
    }
    current = condition(pod, "DisruptionTarget") or {}
    if target.items() <= current.items():
        return None
    is_news = current.get("status") != "True"
    target["lastTransitionTime"] = now() if is_news else current.get("lastTransitionTime")
    if generation := pod["metadata"].get("generation"):
        target["observedGeneration"] = generation
    return target
