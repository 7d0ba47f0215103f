"""One look at one daemon set: its revisions, then what is to come and to go, then its status.

Kubernetes: pkg/controller/daemon/daemon_controller.go, syncDaemonSet.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final

from localplane.apimachinery.clock import present
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import InvalidSelector, Selector, selector_of
from localplane.apimachinery.time_slices import TimeSlices
from localplane.client import GroupVersionResource, WorkQueue, object_key, split_key
from localplane.controllers.context import ControllerContext
from localplane.controllers.ownership import Claims, controlled_or_orphaned, index_by_controller
from localplane.controllers.pods import PODS, PodControl, is_terminal, is_terminating
from localplane.controllers.unseen_writes import UnseenWrites
from localplane.controllers.worker import NotYet
from localplane.controllers.workloads.expectations import Expectations
from localplane.controllers.workloads.revisions import REVISIONS, RevisionHistory

from .execution import Execution
from .history import DAEMON_SETS, DaemonHistory, DaemonRevisions
from .placement import DaemonPlacement, Judgements, node_of
from .plan import NodeByNode, Plan, min_ready
from .rolling_update import RollingUpdate
from .status import DaemonSetStatusWriter, numbers_of

NODES: Final = GroupVersionResource("", "v1", "nodes")
_ACCOUNT: Final = "daemon-set-controller"
_COMPONENT: Final = "daemonset-controller"


@dataclass(frozen=True, slots=True)
class _Look:
    daemon_set: JSONObject
    selector: Selector
    moment: datetime
    judgements: Judgements


class Looks:
    """Pods are read anew after every step that did something: it may have been seen already."""

    def __init__(
        self, context: ControllerContext, queue: WorkQueue[str], expectations: Expectations, written: UnseenWrites
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
        self._history = DaemonHistory(
            self._client, RevisionHistory(self._client, context.informers.informer(REVISIONS))
        )
        self._statuses = DaemonSetStatusWriter(self._client, sets, written)
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
        look = _Look(daemon_set, selector, present(), await self._judgements(daemon_set))
        is_satisfied = self._expectations.satisfied(key)  # asked first, so that the pods are no older than the answer
        pods: Sequence[JSONObject] = await self._pods(look)
        revisions = await self._history.revisions(daemon_set, selector, pods)
        refusal: APIError | NotYet | None = None
        if is_satisfied:
            try:
                pods = await self._update(look, pods, revisions)
            except (APIError, NotYet) as error:
                refusal, pods = error, await self._pods(look)
        await self._tell(look, pods, revisions, observed=is_satisfied)
        if refusal is not None:
            raise refusal

    async def _update(
        self, look: _Look, pods: Sequence[JSONObject], revisions: DaemonRevisions
    ) -> Sequence[JSONObject]:
        """Old pods give way only when every node has what it should. The pods that are there in the end."""
        key, by_node = object_key(look.daemon_set), await _by_node(pods)
        plan = NodeByNode(look.daemon_set, revisions.hash, look.moment).plan(look.judgements, by_node)
        plan.pods += self._execution.ended_to_go(look.daemon_set, plan.ended, partial(self._queue.add_after, key))
        pods = await self._carried_out(look, plan, pods, revisions)
        is_rolling = look.daemon_set["spec"]["updateStrategy"].get("type") == "RollingUpdate"
        if is_rolling and self._expectations.satisfied(key):
            rolling = RollingUpdate(look.daemon_set, revisions.hash, look.judgements, look.moment)
            pods = await self._carried_out(look, rolling.plan(await _by_node(pods)), pods, revisions)
        await self._history.clean_up(look.daemon_set, revisions.old, pods)
        return pods

    async def _carried_out(
        self, look: _Look, plan: Plan, pods: Sequence[JSONObject], revisions: DaemonRevisions
    ) -> Sequence[JSONObject]:
        """The pods after that, as far as they were seen."""
        await self._execution.carry_out(look.daemon_set, plan, revisions.hash)
        return await self._pods(look) if plan.nodes or plan.pods else pods

    async def _tell(
        self, look: _Look, pods: Sequence[JSONObject], revisions: DaemonRevisions, *, observed: bool
    ) -> None:
        daemon_set, by_node = look.daemon_set, await _by_node(pods)
        numbers = numbers_of(daemon_set, revisions.hash, look.judgements, by_node, present())
        await self._statuses.write(daemon_set, numbers, observed=observed)
        if min_ready(daemon_set) and numbers["numberReady"] != numbers["numberAvailable"]:
            self._queue.add_after(object_key(daemon_set), min_ready(daemon_set))

    async def _judgements(self, daemon_set: JSONObject) -> Judgements:
        placement, slices = DaemonPlacement(daemon_set), TimeSlices()
        judgements = {}
        for node in self._nodes.list():
            judgements[node["metadata"]["name"]] = placement.judge(node)
            if slices.is_over:
                await slices.next()
        return judgements

    async def _pods(self, look: _Look) -> list[JSONObject]:
        metadata = look.daemon_set["metadata"]

        async def fresh() -> JSONObject:
            return await self._client.resource(DAEMON_SETS, metadata["namespace"]).get(metadata["name"])

        def matches(pod: JSONObject) -> bool:
            return look.selector.matches(pod["metadata"].get("labels") or {})

        claims = Claims(self._client, PODS, look.daemon_set, matches=matches, fresh=fresh)
        return await claims.claim(controlled_or_orphaned(self._pods_by_controller, look.daemon_set))

    def _selector(self, daemon_set: JSONObject) -> Selector | None:
        try:
            selector = selector_of(daemon_set["spec"].get("selector"))
        except InvalidSelector as error:
            raise NotYet(str(error)) from error
        if selector is not None and selector.is_everything:
            message = "This daemon set is selecting all pods. A non-empty selector is required."
            self._events.warn(daemon_set, "SelectingAll", message)
            return None
        return selector


async def _by_node(pods: Iterable[JSONObject]) -> dict[str, list[JSONObject]]:
    """Without those that have ended and are about to be gone, and those that belong to no node. Lets others run."""
    await asyncio.sleep(0)
    by_node: dict[str, list[JSONObject]] = {}
    for pod in pods:
        if not (is_terminal(pod) and is_terminating(pod)) and (node := node_of(pod)) is not None:
            by_node.setdefault(node, []).append(pod)
    return by_node
