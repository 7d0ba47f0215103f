"""One look at a node whenever it changes or its time is over. Kubernetes: node_lifecycle_controller.go."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from localplane.apimachinery.clock.waiting import loop_time, time_limit
from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import now
from localplane.client import (
    Client,
    ClientError,
    GroupVersionResource,
    HandlerFunctions,
    Indexer,
    Lister,
    PatchType,
    WorkQueue,
    deleted_object,
    object_key,
)
from localplane.controllers.context import ControllerContext
from localplane.controllers.events import EventRecorder, EventSubject
from localplane.controllers.node_selection import taints_of
from localplane.controllers.pods import NODE_INDEX, PODS, condition, has_condition, index_by_node, is_ready
from localplane.controllers.worker import TryAfter, hearing, work

from . import marks
from .health import Heartbeats, silent
from .zones import ClusterTurn, EvictionRates, Zones, zone_of

_NODES: Final = GroupVersionResource("", "v1", "nodes")
_LEASES: Final = GroupVersionResource("coordination.k8s.io", "v1", "leases")
_LEASE_NAMESPACE: Final = "kube-node-lease"
_EXCLUDED: Final = "node.kubernetes.io/exclude-disruption"
_ACCOUNT: Final = "node-controller"
_NODE_WORKERS: Final = 8
_POD_WORKERS: Final = 4


@dataclass(frozen=True, slots=True)
class NodeLifecycleOptions:
    """--node-monitor-grace-period, --node-startup-grace-period and --node-monitor-period: how long a node may be
    silent, how long a new one, and when to look again if what was seen can't be trusted."""

    grace_period: timedelta = timedelta(seconds=50)
    startup_grace_period: timedelta = timedelta(seconds=60)
    monitor_period: timedelta = timedelta(seconds=5)
    rates: EvictionRates = field(default_factory=EvictionRates)


async def start(context: ControllerContext, options: NodeLifecycleOptions | None = None) -> None:
    nodes, leases = context.informers.informer(_NODES), context.informers.informer(_LEASES)
    pods = context.informers.informer(PODS)
    controller = NodeLifecycleController(
        context.client_of(_ACCOUNT),
        context.recorder(_ACCOUNT),
        options or NodeLifecycleOptions(),
        nodes=nodes.lister,
        leases=leases.lister.namespaced(_LEASE_NAMESPACE),
        pods=index_by_node(pods),
    )
    for informer in (leases, nodes, pods):
        await informer.wait_for_sync()
    listeners = (
        leases.add_handler(
            HandlerFunctions(
                add=controller.hear_lease,
                update=lambda _, lease: controller.hear_lease(lease),
                delete=lambda lease: controller.hear_lease(deleted_object(lease), is_gone=True),
            )
        ),
        pods.add_handler(HandlerFunctions(add=controller.hear_pod, update=controller.hear_pod_change)),
    )
    try:
        with hearing(nodes, controller.hear_node):
            await controller.run()
    finally:
        for listener in listeners:
            listener.remove()


class NodeLifecycleController:
    def __init__(
        self,
        client: Client,
        events: EventRecorder,
        options: NodeLifecycleOptions,
        *,
        nodes: Lister,
        leases: Lister,
        pods: Indexer,
    ) -> None:
        self._client = client
        self._events = events
        self._options = options
        self._nodes = nodes
        self._leases = leases
        self._pods = pods
        self._heartbeats = Heartbeats()
        self._zones = Zones(options.rates)
        self._known: dict[str, str] = {}
        self._deadlines: dict[str, float] = {}
        self._excused: set[str] = set()
        self._driven: set[str] = set()
        self._unmarked: set[str] = set()
        self._changed_nodes = WorkQueue[str]()
        self._changed_pods = WorkQueue[str]()
        self._zones_changed = asyncio.Event()

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(work(self._changed_nodes, self._look_at, workers=_NODE_WORKERS))
            tasks.create_task(work(self._changed_pods, self._look_at_pod, workers=_POD_WORKERS))
            tasks.create_task(self._drive_in_turn())

    def hear_node(self, node: JSONObject) -> None:
        self._changed_nodes.add(node["metadata"]["name"])

    def hear_lease(self, lease: JSONObject, *, is_gone: bool = False) -> None:
        if lease["metadata"].get("namespace") != _LEASE_NAMESPACE:
            return
        name, renew_time = lease["metadata"]["name"], (lease.get("spec") or {}).get("renewTime")
        if is_gone:
            self._heartbeats.forget_lease(name)
        elif renew_time:
            self._heartbeats.hear_lease(name, renew_time, loop_time())

    def hear_pod(self, pod: JSONObject) -> None:
        """One that comes to a node that is not well; those that are there when it ceases to be are found with it."""
        if is_ready(pod) and self._is_lost(pod["spec"].get("nodeName", "")):
            self._changed_pods.add(object_key(pod))

    def hear_pod_change(self, old: JSONObject, new: JSONObject) -> None:
        if old["spec"].get("nodeName") != new["spec"].get("nodeName"):
            self.hear_pod(new)

    # Nodes

    async def _look_at(self, name: str) -> None:
        node = self._nodes.get(name)
        if node is None:
            self._remove(name)
            return
        if name not in self._known:
            self._register(node)
        was_ready = has_condition(node, "Ready")
        node = await self._judged(node)
        if was_ready and not has_condition(node, "Ready"):
            self._tell(node, "NodeNotReady", f"Node {name} status is now: NodeNotReady")
            self._unmarked.add(name)
        self._place(node)
        await self._mark(node)
        await self._mark_pods(node)
        self._look_again(node)

    def _register(self, node: JSONObject) -> None:
        name = node["metadata"]["name"]
        self._known[name] = node["metadata"]["uid"]
        self._excused.add(name)
        self._tell(node, "RegisteredNode", f"Node {name} event: Registered Node {name} in Controller")

    def _remove(self, name: str) -> None:
        self._zones.remove(name)
        self._settle()
        self._heartbeats.forget(name)
        self._deadlines.pop(name, None)
        for names in (self._excused, self._driven, self._unmarked):
            names.discard(name)
        if (uid := self._known.pop(name, None)) is not None:
            node = {"metadata": {"name": name, "uid": uid}}
            self._tell(node, "RemovingNode", f"Node {name} event: Removing Node {name} from Controller")

    async def _judged(self, node: JSONObject) -> JSONObject:
        """The node, which is written as unknown if it has been silent for too long."""
        self._notice_own_silence(self._deadlines.pop(node["metadata"]["name"], loop_time()))
        self._heartbeats.hear_status(node, loop_time())
        if self._silence(node) <= self._grace(node) or (unknown := silent(node, now())) is node:
            return node
        await self._check_lease(node["metadata"]["name"])
        with suppress(NotFound):
            node = await self._client.resource(_NODES).update(unknown, subresource="status")
        return node

    def _notice_own_silence(self, deadline: float) -> None:
        """Who looks much later than they wanted to was stopped, and has heard of nobody meanwhile."""
        if loop_time() - deadline > self._options.monitor_period.total_seconds():
            self._heartbeats.excuse(loop_time())

    async def _check_lease(self, name: str) -> None:
        """Whether what we have heard is what there is to hear. Raises TryAfter if not."""
        known = self._leases.get(name)
        try:
            lease = await self._client.resource(_LEASES, _LEASE_NAMESPACE).get(name)
        except NotFound:
            return
        version = known["metadata"]["resourceVersion"] if known is not None else ""
        if lease["metadata"]["resourceVersion"] != version:
            raise TryAfter(self._options.monitor_period)

    def _silence(self, node: JSONObject) -> float:
        return loop_time() - self._heartbeats.last(node["metadata"]["name"])

    def _grace(self, node: JSONObject) -> float:
        is_new = condition(node, "Ready") is None
        grace = self._options.startup_grace_period if is_new else self._options.grace_period
        return grace.total_seconds()

    def _look_again(self, node: JSONObject) -> None:
        """When its time is over, unless that is known already."""
        if (condition(node, "Ready") or {}).get("status") != "Unknown":
            name, left = node["metadata"]["name"], max(0.0, self._grace(node) - self._silence(node))
            self._deadlines[name] = loop_time() + left
            self._changed_nodes.add_after(name, timedelta(seconds=left, milliseconds=1), is_upkeep=True)

    def _place(self, node: JSONObject) -> None:
        name, taint = node["metadata"]["name"], marks.driving_taint(node)
        is_counted = _EXCLUDED not in (node["metadata"].get("labels") or {})
        self._zones.place(name, zone_of(node), is_ready=has_condition(node, "Ready"), is_counted=is_counted)
        if taint and not marks.has_driving_taint(node):
            self._zones.wait(name)
        else:
            self._zones.leave(name)
        self._settle()

    def _settle(self) -> None:
        match self._zones.settle(loop_time()):
            case ClusterTurn.ALL_LOST:
                for node in self._nodes.list():
                    if marks.has_driving_taint(node):
                        self._excused.add(node["metadata"]["name"])
                        self.hear_node(node)
            case ClusterTurn.SOME_BACK:
                self._heartbeats.excuse(loop_time())
            case ClusterTurn.NONE:
                pass
        if self._zones.next_due() < float("inf"):
            self._zones_changed.set()

    async def _mark(self, node: JSONObject) -> None:
        name = node["metadata"]["name"]
        taints = marks.taints(node, now(), is_excused=name in self._excused, is_driven=name in self._driven)
        labels = marks.labels(node)
        patch: JSONObject = {"metadata": {"resourceVersion": node["metadata"]["resourceVersion"]}}
        if taints != taints_of(node):
            patch["spec"] = {"taints": taints or None}
        if labels:
            patch["metadata"]["labels"] = labels
        if "spec" in patch or labels:
            with suppress(NotFound):
                await self._client.resource(_NODES).patch(name, patch, PatchType.STRATEGIC)
        self._excused.discard(name)
        self._driven.discard(name)

    async def _drive_in_turn(self) -> None:
        """NoExecute taints, as fast as zones allow."""
        while True:
            self._zones_changed.clear()
            left = self._zones.next_due() - loop_time()
            if left > 0:
                with suppress(TimeoutError):
                    async with time_limit(None if left == float("inf") else left):
                        await self._zones_changed.wait()
                continue
            for name in self._zones.take(loop_time()):
                self._driven.add(name)
                self._changed_nodes.add(name)

    # Pods

    async def _look_at_pod(self, key: str) -> None:
        pod = self._pods.get(key)
        if pod is not None and self._is_lost(pod["spec"].get("nodeName", "")):
            await self._mark_not_ready([pod])

    def _is_lost(self, name: str) -> bool:
        node = self._nodes.get(name)
        return node is not None and bool(marks.driving_taint(node))

    async def _mark_pods(self, node: JSONObject) -> None:
        """The pods of a node that has fallen silent; those that could not be written are tried again with it."""
        name = node["metadata"]["name"]
        if name not in self._unmarked:
            return
        if not has_condition(node, "Ready"):
            await self._mark_not_ready(self._pods.index(NODE_INDEX, name))
        self._unmarked.discard(name)

    async def _mark_not_ready(self, pods: Iterable[JSONObject]) -> None:
        """Tries all; then raises the last refusal."""
        refusal: APIError | ClientError | None = None
        for pod in pods:
            if not is_ready(pod):
                continue
            metadata = pod["metadata"]
            ready = {"type": "Ready", "status": "False", "lastTransitionTime": now()}
            patch = {"metadata": {"resourceVersion": metadata["resourceVersion"]}, "status": {"conditions": [ready]}}
            try:
                await self._client.resource(PODS, metadata["namespace"]).patch(
                    metadata["name"], patch, PatchType.STRATEGIC, subresource="status"
                )
            except NotFound:
                continue
            except (APIError, ClientError) as error:
                refusal = error
            else:
                self._events.warn(pod, "NodeNotReady", "Node is not ready")
        if refusal is not None:
            raise refusal

    def _tell(self, node: JSONObject, reason: str, message: str) -> None:
        metadata = node["metadata"]
        self._events.normal(EventSubject("v1", "Node", "", metadata["name"], metadata["uid"]), reason, message)
