"""What informers tell: it changes the scheduler's picture of the cluster, and wakes pods whom it may help.

Kubernetes: pkg/scheduler/eventhandlers.go.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Final

from localplane.apimachinery.objects import JSONObject
from localplane.client import GroupVersionResource, HandlerFunctions, SharedInformer, deleted_object
from localplane.client.informers.handlers import Deleted, ProcessorListener
from localplane.controllers.pods import is_terminal

from .plugins.volumes import VolumeViews
from .queue import SchedulingQueue
from .queueing_hints import ADDED, DELETED, UPDATED, Happening, node_changes, pod_changes
from .sources import (
    CLAIMS,
    CSI_CAPACITIES,
    CSI_DRIVERS,
    CSI_NODES,
    DEVICE_CLASSES,
    NODES,
    PODS,
    RESOURCE_CLAIMS,
    RESOURCE_SLICES,
    STORAGE_CLASSES,
    VOLUMES,
)
from .state.cluster import ClusterState
from .state.pod_info import PodInfo

_HEARD: Final = frozenset(
    (
        CLAIMS,
        VOLUMES,
        STORAGE_CLASSES,
        CSI_NODES,
        CSI_DRIVERS,
        CSI_CAPACITIES,
        RESOURCE_CLAIMS,
        DEVICE_CLASSES,
        RESOURCE_SLICES,
    )
)


class Handlers:
    """`scheduler_name` is in the pods that are ours to place."""

    def __init__(
        self,
        cluster: ClusterState,
        queue: SchedulingQueue,
        views: VolumeViews,
        *,
        scheduler_name: str,
        stack: ExitStack,
    ) -> None:
        self._cluster = cluster
        self._queue = queue
        self._views = views
        self._scheduler_name = scheduler_name
        self._stack = stack

    def hear(self, resource: GroupVersionResource, informer: SharedInformer) -> None:
        """Of one more resource, until the stack is closed."""
        if resource in _HEARD:
            self._add(informer, HandlerFunctions(*self._others(resource)))

    def hear_nodes(self, informer: SharedInformer) -> ProcessorListener:
        return self._add(informer, HandlerFunctions(self._node_added, self._node_updated, self._node_deleted))

    def hear_pods(self, informer: SharedInformer) -> ProcessorListener:
        return self._add(informer, HandlerFunctions(self._pod_added, self._pod_updated, self._pod_deleted))

    def _add(self, informer: SharedInformer, functions: HandlerFunctions) -> ProcessorListener:
        listener = informer.add_handler(functions)
        self._stack.callback(listener.remove)
        return listener

    # Nodes

    def _node_added(self, node: JSONObject) -> None:
        self._cluster.set_node(node)
        self._queue.move(Happening(NODES, ADDED, new=node))

    def _node_updated(self, old: JSONObject, new: JSONObject) -> None:
        if not _says_the_same(old, new):
            self._cluster.set_node(new)
        for happening in node_changes(old, new):
            self._queue.move(happening)

    def _node_deleted(self, deleted: Deleted) -> None:
        node = deleted_object(deleted)
        self._cluster.remove_node(node["metadata"]["name"])
        self._queue.move(Happening(NODES, DELETED, old=node))

    # Pods

    def _pod_added(self, pod: JSONObject) -> None:
        if is_terminal(pod):
            return
        info = PodInfo(pod)
        if info.node_name:
            self._assigned(info)
        elif self._is_ours(info):
            self._wait(info)

    def _pod_updated(self, old: JSONObject, new: JSONObject) -> None:
        """A pod that has ended has left its node, as if it had been deleted."""
        if is_terminal(new):
            if not is_terminal(old):
                self._gone(PodInfo(new))
            return
        if is_terminal(old) or old["metadata"]["uid"] != new["metadata"]["uid"]:
            self._gone(PodInfo(old))
            self._pod_added(new)
            return
        after = PodInfo(new)
        if old["spec"].get("nodeName"):
            self._assigned_changed(self._cluster.pods.get(after.uid) or PodInfo(old), after)
        elif after.node_name:
            self._assigned(after)
        elif self._is_ours(after):
            self._unassigned_changed(PodInfo(old), after)

    def _pod_deleted(self, deleted: Deleted) -> None:
        pod = deleted_object(deleted)
        if not is_terminal(pod):
            self._gone(PodInfo(pod))

    def _is_ours(self, pod: PodInfo) -> bool:
        return bool(pod.spec.get("schedulerName") == self._scheduler_name)

    def _wait(self, pod: PodInfo) -> None:
        self._cluster.nominations.set(pod, pod.nominated_node)
        self._queue.add(pod)

    def _assigned(self, pod: PodInfo) -> None:
        self._queue.delete(pod.uid)
        self._cluster.nominations.remove(pod.uid)
        self._cluster.set_pod(pod)
        self._queue.move(Happening(PODS, ADDED, pod=pod))

    def _assigned_changed(self, old: PodInfo, new: PodInfo) -> None:
        changes = pod_changes(old, new)
        self._cluster.set_pod(new)
        for change in changes:
            self._queue.move(Happening(PODS, change, pod=new, old_pod=old))

    def _unassigned_changed(self, old: PodInfo, new: PodInfo) -> None:
        self._views.notify()
        if self._cluster.is_assumed(new.uid):
            if new.is_terminating and not old.is_terminating:
                self._cluster.remove_pod(new.uid)
                self._queue.move(Happening(PODS, DELETED, pod=new))
            return
        self._cluster.nominations.update(old, new)
        self._queue.update(old, new)
        if old.nominated_node and old.nominated_node != new.nominated_node:
            self._freed(old)

    def _gone(self, pod: PodInfo) -> None:
        self._views.notify()
        self._queue.delete(pod.uid)
        self._cluster.nominations.remove(pod.uid)
        if pod.node_name or self._cluster.is_assumed(pod.uid):
            self._cluster.remove_pod(pod.uid)
            self._queue.move(Happening(PODS, DELETED, pod=pod))
        elif pod.nominated_node:
            self._freed(pod)

    def _freed(self, pod: PodInfo) -> None:
        """It has given up the place that was kept for it; pods that are no more important may take that."""
        self._queue.move(Happening(PODS, DELETED, pod=pod), only=lambda other: other.priority <= pod.priority)

    # All others

    def _others(
        self, resource: GroupVersionResource
    ) -> tuple[Callable[[JSONObject], None], Callable[[JSONObject, JSONObject], None], Callable[[Deleted], None]]:
        def added(obj: JSONObject) -> None:
            self._views.notify()
            self._queue.move(Happening(resource, ADDED, new=obj))

        def updated(old: JSONObject, new: JSONObject) -> None:
            self._views.notify()
            self._queue.move(Happening(resource, UPDATED, old=old, new=new))

        def deleted(obj: Deleted) -> None:
            self._views.notify()
            self._queue.move(Happening(resource, DELETED, old=deleted_object(obj)))

        return added, updated, deleted


def _says_the_same(old: JSONObject, new: JSONObject) -> bool:
    """Whether all that counts about a node is as it was: most updates are signs of life."""
    before, after = old.get("status") or {}, new.get("status") or {}
    return (
        old.get("spec") == new.get("spec")
        and old["metadata"].get("labels") == new["metadata"].get("labels")
        and before.get("allocatable") == after.get("allocatable")
        and before.get("images") == after.get("images")
        and before.get("declaredFeatures") == after.get("declaredFeatures")
    )
