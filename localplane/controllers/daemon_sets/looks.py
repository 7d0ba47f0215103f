"""One look at one daemon set: its revisions, then what is to come and to go, then its status.

Kubernetes: pkg/controller/daemon/daemon_controller.go, syncDaemonSet.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.labels import InvalidSelector, Selector
from localplane.catalog.validation.selectors import selector_of
from localplane.client import GroupVersionResource, WorkQueue, object_key, split_key
from localplane.controllers.context import ControllerContext
from localplane.controllers.expectations import Expectations
from localplane.controllers.ownership import Claims, controlled_or_orphaned, index_by_controller
from localplane.controllers.pods import PODS, PodControl, is_terminal, is_terminating
from localplane.controllers.revisions import REVISIONS, History
from localplane.controllers.worker import NotYet
from localplane.controllers.written import Written

from .execution import Execution
from .history import DAEMON_SETS, DaemonHistory, DaemonRevisions
from .placement import node_of
from .plan import NodeByNode, min_ready
from .rolling_update import RollingUpdate
from .status import StatusWriter, numbers_of

Object = dict[str, Any]
NODES: Final = GroupVersionResource("", "v1", "nodes")
_ACCOUNT: Final = "daemon-set-controller"
_COMPONENT: Final = "daemonset-controller"


class Looks:
    """Pods are read anew for every step: what a step did may have been seen already."""

    def __init__(
        self, context: ControllerContext, queue: WorkQueue[str], expectations: Expectations, written: Written
    ) -> None:
        self._queue = queue
        self._expectations = expectations
        self._written = written
        sets, pods = context.informers.informer(DAEMON_SETS), context.informers.informer(PODS)
        self._sets = sets.lister
        self._nodes = context.informers.lister(NODES)
        self._pods_by_controller = index_by_controller(pods)
        self._client = context.client_of(_ACCOUNT)
        self._events = context.recorder(_ACCOUNT, _COMPONENT)
        self._history = DaemonHistory(self._client, History(self._client, context.informers.informer(REVISIONS)))
        self._statuses = StatusWriter(self._client, sets, written)
        control = PodControl(self._client, self._events)
        self._execution = Execution(control, pods, self._events, expectations, written)

    async def sync(self, key: str) -> None:
        namespace, name = split_key(key)
        daemon_set = self._sets.namespaced(namespace).get(name)
        if daemon_set is None:
            self._expectations.forget(key)
            self._written.forget(key)
            return
        self._written.check_seen(key)
        selector = self._selector(daemon_set)
        if selector is None or is_terminating(daemon_set):
            return
        revisions = await self._history.revisions(daemon_set, selector, await self._pods(daemon_set, selector))
        is_satisfied, refusal = self._expectations.satisfied(key), None
        if is_satisfied:
            try:
                await self._update(daemon_set, selector, revisions)
            except (APIError, NotYet) as error:
                refusal = error
        await self._tell(daemon_set, selector, revisions, observed=is_satisfied)
        if refusal is not None:
            raise refusal

    async def _update(self, daemon_set: Object, selector: Selector, revisions: DaemonRevisions) -> None:
        """Old pods give way only when every node has what it should."""
        key, nodes, moment = object_key(daemon_set), self._nodes.list(), datetime.now(UTC)
        pods = _by_node(await self._pods(daemon_set, selector))
        plan = NodeByNode(daemon_set, revisions.hash, moment).plan(nodes, pods)
        plan.pods += self._execution.ended_to_go(daemon_set, plan.ended, partial(self._queue.add_after, key))
        await self._execution.carry_out(daemon_set, plan, revisions.hash)
        is_rolling = daemon_set["spec"]["updateStrategy"].get("type") == "RollingUpdate"
        if is_rolling and self._expectations.satisfied(key):
            by_name = {node["metadata"]["name"]: node for node in nodes}
            pods = _by_node(await self._pods(daemon_set, selector))
            rolling = RollingUpdate(daemon_set, revisions.hash, by_name, moment)
            await self._execution.carry_out(daemon_set, rolling.plan(pods), revisions.hash)
        await self._history.clean_up(daemon_set, revisions.old, await self._pods(daemon_set, selector))

    async def _tell(
        self, daemon_set: Object, selector: Selector, revisions: DaemonRevisions, *, observed: bool
    ) -> None:
        pods = _by_node(await self._pods(daemon_set, selector))
        numbers = numbers_of(daemon_set, revisions.hash, self._nodes.list(), pods, datetime.now(UTC))
        await self._statuses.write(daemon_set, numbers, observed=observed)
        if min_ready(daemon_set) and numbers["numberReady"] != numbers["numberAvailable"]:
            self._queue.add_after(object_key(daemon_set), min_ready(daemon_set))

    async def _pods(self, daemon_set: Object, selector: Selector) -> list[Object]:
        metadata = daemon_set["metadata"]

        async def fresh() -> Object:
            return await self._client.resource(DAEMON_SETS, metadata["namespace"]).get(metadata["name"])

        def matches(pod: Object) -> bool:
            return selector.matches(pod["metadata"].get("labels") or {})

        claims = Claims(self._client, PODS, daemon_set, matches=matches, fresh=fresh)
        return await claims.claim(controlled_or_orphaned(self._pods_by_controller, daemon_set))

    def _selector(self, daemon_set: Object) -> Selector | None:
        try:
            selector = selector_of(daemon_set["spec"].get("selector"))
        except InvalidSelector as error:
            raise NotYet(str(error)) from error
        if selector is not None and selector.is_everything:
            message = "This daemon set is selecting all pods. A non-empty selector is required."
            self._events.warn(daemon_set, "SelectingAll", message)
            return None
        return selector


def _by_node(pods: Iterable[Object]) -> dict[str, list[Object]]:
    """Without those that have ended and are about to be gone, and those that belong to no node."""
    by_node: dict[str, list[Object]] = {}
    for pod in pods:
        if not (is_terminal(pod) and is_terminating(pod)) and (node := node_of(pod)) is not None:
            by_node.setdefault(node, []).append(pod)
    return by_node
