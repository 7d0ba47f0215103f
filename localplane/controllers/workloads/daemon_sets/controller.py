"""What calls for a look at a daemon set. Kubernetes: the handlers in pkg/controller/daemon/daemon_controller.go."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from datetime import timedelta
from typing import Final

from localplane.apimachinery.objects import JSONObject
from localplane.client import HandlerFunctions, WorkQueue, deleted_object, object_key
from localplane.client.informers.delta_fifo import DeletedFinalStateUnknown
from localplane.controllers.context import ControllerContext
from localplane.controllers.node_selection import labels_of, taints_of
from localplane.controllers.ownership import controller_of
from localplane.controllers.pods import NODE_INDEX, PODS, index_by_node, is_ready, is_terminating
from localplane.controllers.unseen_writes import UnseenWrites
from localplane.controllers.worker import work
from localplane.controllers.workloads.expectations import Expectations
from localplane.controllers.workloads.owner_calls import OwnerCalls
from localplane.controllers.workloads.revisions import REVISIONS

from .history import DAEMON_SETS
from .placement import DaemonPlacement
from .plan import min_ready
from .sync import NODES, Looks

Deleted = JSONObject | DeletedFinalStateUnknown
_WORKERS: Final = 2
_SKEW: Final = timedelta(seconds=1)
"""A timer that is early by a moment would find a pod that is not yet available."""


async def start(context: ControllerContext) -> None:
    controller = _Controller(context)
    with ExitStack() as listeners:
        for informer, handler in (
            (controller.sets, HandlerFunctions(controller.hear, controller.changed, controller.deleted)),
            (controller.pods, HandlerFunctions(controller.pod_added, controller.pod_changed, controller.pod_deleted)),
            (
                controller.revisions,
                HandlerFunctions(
                    controller.revision_added, controller.calls.call_for_change, controller.revision_deleted
                ),
            ),
            (
                controller.nodes,
                HandlerFunctions(controller.node_added, controller.node_changed, controller.node_deleted),
            ),
        ):
            listeners.callback(informer.add_handler(handler).remove)
        for informer in (controller.pods, controller.nodes, controller.revisions, controller.sets):
            await informer.wait_for_sync()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(work(controller.queue, controller.looks.sync, workers=_WORKERS))
            tasks.create_task(work(controller.changed_nodes, controller.sync_node, workers=_WORKERS))


class _Controller:
    def __init__(self, context: ControllerContext) -> None:
        self.queue = WorkQueue[str]()
        self.changed_nodes = WorkQueue[str]()
        self.sets = context.informers.informer(DAEMON_SETS)
        self.pods = context.informers.informer(PODS)
        self.nodes = context.informers.informer(NODES)
        self.revisions = context.informers.informer(REVISIONS)
        self.calls = OwnerCalls("DaemonSet", self.sets.lister, self.hear)
        self._expectations = Expectations()
        self._written = UnseenWrites()
        self._pods_on_node = index_by_node(self.pods)
        self.looks = Looks(context, self.queue, self._expectations, self._written)

    def hear(self, daemon_set: JSONObject) -> None:
        self.queue.add(object_key(daemon_set))

    def changed(self, old: JSONObject, new: JSONObject) -> None:
        if old["metadata"]["uid"] != new["metadata"]["uid"]:
            self.deleted(old)
        self.hear(new)

    def deleted(self, daemon_set: Deleted) -> None:
        key = object_key(deleted_object(daemon_set))
        self._expectations.forget(key)
        self._written.forget(key)
        self.queue.add(key)

    def pod_added(self, pod: JSONObject) -> None:
        if is_terminating(pod):
            self.pod_deleted(pod)
            return
        if (owner := self.calls.owner(pod)) is not None:
            self._expectations.created(object_key(owner))
        self.calls.call(pod)

    def pod_changed(self, old: JSONObject, new: JSONObject) -> None:
        if is_terminating(new):
            # The next one need not wait until a kubelet has ended this one.
            self.pod_deleted(new)
            return
        self.calls.call_for_change(old, new)
        owner = self.calls.owner(new)
        if owner is not None and min_ready(owner) and is_ready(new) and not is_ready(old):
            self.queue.add_after(object_key(owner), min_ready(owner) + _SKEW)

    def pod_deleted(self, pod: Deleted) -> None:
        gone = deleted_object(pod)
        if (owner := self.calls.owner(gone)) is not None:
            self._expectations.deleted(object_key(owner), gone["metadata"]["uid"])
            self.hear(owner)

    def revision_added(self, revision: JSONObject) -> None:
        """One that is owned already is most likely our own."""
        if is_terminating(revision):
            self.calls.call_owner(revision)
        elif controller_of(revision) is None:
            self.calls.call_adopters(revision)

    def revision_deleted(self, revision: Deleted) -> None:
        self.calls.call_owner(deleted_object(revision))

    def node_added(self, node: JSONObject) -> None:
        self.changed_nodes.add(node["metadata"]["name"])

    def node_changed(self, old: JSONObject, new: JSONObject) -> None:
        if labels_of(old) != labels_of(new) or taints_of(old) != taints_of(new):
            self.node_added(new)

    def node_deleted(self, _: Deleted) -> None:
        """It does not count any more; Kubernetes would say so only when something else calls."""
        for daemon_set in self.sets.lister.list():
            self.hear(daemon_set)

    async def sync_node(self, name: str) -> None:
        """Call the sets that have a pod too few or too many on a node, or that counted one there as misplaced."""
        node = self.nodes.lister.get(name)
        if node is None:
            return
        owners = [controller_of(pod) for pod in self._pods_on_node.index(NODE_INDEX, name)]
        uids = {owner["uid"] for owner in owners if owner is not None}
        for daemon_set in self.sets.lister.list():
            judgement, is_there = DaemonPlacement(daemon_set).judge(node), daemon_set["metadata"]["uid"] in uids
            misscheduled = (daemon_set.get("status") or {}).get("numberMisscheduled", 0)
            wrong = misscheduled or not judgement.should_continue if is_there else judgement.should_run
            if wrong:
                self.hear(daemon_set)
