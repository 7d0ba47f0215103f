"""Pods that nobody looks after any more are taken away: those whose node is gone or out of service, those that were to
go before they had a node, and the oldest of those that have ended, if there are very many.

Kubernetes looks at all pods every twenty seconds; here a pod or a node is looked at when something happens to it.
Kubernetes: pkg/controller/podgc.
"""

from __future__ import annotations

from contextlib import ExitStack
from datetime import timedelta
from typing import Final

from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import now
from localplane.client import GroupVersionResource, PatchType, WorkQueue, object_key, split_key
from localplane.controllers.context import ControllerContext
from localplane.controllers.pods import (
    NODE_INDEX,
    PODS,
    has_condition,
    index_by_node,
    is_terminal,
    is_terminating,
    phase,
)
from localplane.controllers.worker import hearing, together, work

_NODES: Final = GroupVersionResource("", "v1", "nodes")
_ACCOUNT: Final = "pod-garbage-collector"
_TERMINATED_INDEX: Final = "terminated"
_OUT_OF_SERVICE: Final = "node.kubernetes.io/out-of-service"
_POD, _NODE, _COUNT = "pod:", "node:", "count"
_THRESHOLD: Final = 12500
_QUARANTINE: Final = timedelta(seconds=40)
"""How long a node must be unknown before its pods are believed to have lost it."""
_PERIOD: Final = timedelta(seconds=20)
_AT_ONCE: Final = 32


async def start(context: ControllerContext) -> None:
    await PodGarbageCollector(context).run()


class PodGarbageCollector:
    """`threshold` is how many pods may have ended; they are counted once in a `period` in which one did."""

    def __init__(
        self,
        context: ControllerContext,
        *,
        threshold: int = _THRESHOLD,
        quarantine: timedelta = _QUARANTINE,
        period: timedelta = _PERIOD,
    ) -> None:
        self._client = context.client_of(_ACCOUNT)
        self._pods = context.informers.informer(PODS)
        self._nodes = context.informers.informer(_NODES)
        self._threshold = threshold
        self._quarantine = quarantine
        self._period = period
        self._queue = WorkQueue[str]()
        if not index_by_node(self._pods).has_index(_TERMINATED_INDEX):
            self._pods.indexer.add_indexers({_TERMINATED_INDEX: _terminated})

    async def run(self) -> None:
        """Until it is cancelled."""
        await self._pods.wait_for_sync()
        await self._nodes.wait_for_sync()
        with ExitStack() as listeners:
            listeners.enter_context(hearing(self._pods, self._hear_pod, deletions=False))
            listeners.enter_context(hearing(self._nodes, self._hear_node))
            await work(self._queue, self._sync, workers=4)

    def _hear_pod(self, pod: JSONObject) -> None:
        if is_terminating(pod):
            self._queue.add(_POD + object_key(pod))
        node = pod["spec"].get("nodeName")
        if node and self._nodes.lister.get(node) is None:
            self._queue.add_after(_NODE + node, self._quarantine)
        if _terminated(pod) and self._threshold > 0:
            self._queue.add_after(_COUNT, self._period)

    def _hear_node(self, node: JSONObject) -> None:
        name = node["metadata"]["name"]
        if self._nodes.lister.get(name) is None:
            self._queue.add_after(_NODE + name, self._quarantine)
        elif _is_out_of_service(node):
            for pod in self._pods.indexer.index(NODE_INDEX, name):
                self._hear_pod(pod)

    async def _sync(self, item: str) -> None:
        kind, _, key = item.partition(":")
        if item == _COUNT:
            await self._collect_terminated()
        elif f"{kind}:" == _NODE:
            await self._collect_orphans(key)
        else:
            await self._collect_terminating(key)

    async def _collect_terminating(self, key: str) -> None:
        namespace, name = split_key(key)
        pod = self._pods.lister.namespaced(namespace).get(name)
        if pod is None or not is_terminating(pod) or _is_done_with(pod):
            return
        node_name = pod["spec"].get("nodeName")
        node = self._nodes.lister.get(node_name) if node_name else None
        if not node_name or (node is not None and _is_out_of_service(node)):
            await self._take_away(pod)

    async def _collect_orphans(self, node: str) -> None:
        if self._nodes.lister.get(node) is not None or not self._pods.indexer.index_keys(NODE_INDEX, node):
            return
        try:
            await self._client.resource(_NODES).get(node)
        except NotFound:
            pods = [pod for pod in self._pods.indexer.index(NODE_INDEX, node) if not _is_done_with(pod)]
            await self._take_all_away(pods, orphaned=True)

    async def _collect_terminated(self) -> None:
        pods = list(self._pods.indexer.index(_TERMINATED_INDEX, _TERMINATED_INDEX))
        if len(pods) > self._threshold:
            pods.sort(key=_eviction_and_age)
            await self._take_all_away(pods[: len(pods) - self._threshold])

    async def _take_all_away(self, pods: list[JSONObject], *, orphaned: bool = False) -> None:
        for start_at in range(0, len(pods), _AT_ONCE):
            await together(self._take_away(pod, orphaned=orphaned) for pod in pods[start_at : start_at + _AT_ONCE])

    async def _take_away(self, pod: JSONObject, *, orphaned: bool = False) -> None:
        """First it fails, so that whoever counts it learns what became of it."""
        metadata = pod["metadata"]
        pods = self._client.resource(PODS, metadata["namespace"])
        try:
            if not is_terminal(pod):
                status = _failed(pod, orphaned=orphaned)
                patch = {"metadata": {"uid": metadata["uid"]}, "status": status}
                await pods.patch(metadata["name"], patch, PatchType.STRATEGIC, subresource="status")
            await pods.delete(metadata["name"], grace_period_seconds=0, uid=metadata["uid"])
        except NotFound:
            return


def _failed(pod: JSONObject, *, orphaned: bool) -> JSONObject:
    generation = pod["metadata"].get("generation")
    observed: JSONObject = {"observedGeneration": generation} if generation else {}
    status: JSONObject = {"phase": "Failed"} | observed
    if orphaned:
        disruption = {
            "type": "DisruptionTarget",
            "status": "True",
            "reason": "DeletionByPodGC",
            "message": "PodGC: node no longer exists",
            "lastTransitionTime": now(),
        }
        status["conditions"] = [disruption | observed]
    return status


def _is_done_with(pod: JSONObject) -> bool:
    """It is deleted already, and something that is not ours keeps it."""
    return is_terminating(pod) and is_terminal(pod) and pod["metadata"].get("deletionGracePeriodSeconds") == 0


def _is_out_of_service(node: JSONObject) -> bool:
    taints = node["spec"].get("taints") or ()
    return not has_condition(node, "Ready") and any(taint["key"] == _OUT_OF_SERVICE for taint in taints)


def _terminated(pod: JSONObject) -> list[str]:
    return [] if phase(pod) in ("Pending", "Running", "Unknown") else [_TERMINATED_INDEX]


def _eviction_and_age(pod: JSONObject) -> tuple[bool, str, str]:
    """Evicted ones first, then the oldest."""
    status, metadata = pod.get("status") or {}, pod["metadata"]
    is_evicted = status.get("phase") == "Failed" and status.get("reason") == "Evicted"
    return not is_evicted, metadata.get("creationTimestamp", ""), metadata["name"]
