"""What calls for a look at a stateful set, and how one goes. Kubernetes: pkg/controller/statefulset/stateful_set.go."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from datetime import datetime, timedelta
from typing import Final

from localplane.apimachinery.clock import present
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import InvalidSelector, Selector, selector_of
from localplane.client import HandlerFunctions, SharedInformer, WorkQueue, deleted_object, object_key, split_key
from localplane.client.informers.delta_fifo import DeletedFinalStateUnknown
from localplane.controllers.context import ControllerContext
from localplane.controllers.ownership import Claims, controlled_or_orphaned, index_by_controller
from localplane.controllers.pods import PODS, available_in, is_ready, is_terminating
from localplane.controllers.unseen_writes import UnseenWrites
from localplane.controllers.worker import NotYet, hearing, work
from localplane.controllers.workloads.owner_calls import OwnerCalls
from localplane.controllers.workloads.revisions import REVISIONS, RevisionHistory

from .history import set_revisions, truncate
from .identity import claim_templates, is_member, min_ready
from .pod_control import CLAIMS, StatefulPodControl
from .reconciliation import Reconciliation
from .status import STATEFUL_SETS, PodCounts, StatefulSetStatusWriter, status_of

_NAME: Final = "statefulset-controller"
_WORKERS: Final = 5


async def start(context: ControllerContext) -> None:
    controller = _Controller(context)
    with ExitStack() as listeners:
        listeners.enter_context(hearing(controller.sets, controller.hear_set))
        pods = HandlerFunctions(controller.pod_added, controller.pod_changed, controller.pod_deleted)
        listeners.callback(controller.pods.add_handler(pods).remove)
        claims = HandlerFunctions(delete=controller.claim_deleted)
        listeners.callback(controller.claims.add_handler(claims).remove)
        for informer in (controller.pods, controller.sets, controller.claims, controller.revisions):
            await informer.wait_for_sync()
        await work(controller.queue, controller.sync, workers=_WORKERS)


class _Controller:
    def __init__(self, context: ControllerContext) -> None:
        self.queue = WorkQueue[str]()
        self.sets = context.informers.informer(STATEFUL_SETS)
        self.pods = context.informers.informer(PODS)
        self.claims = context.informers.informer(CLAIMS)
        self.revisions: SharedInformer = context.informers.informer(REVISIONS)
        self._client = context.client_of(_NAME)
        self._calls = OwnerCalls("StatefulSet", self.sets.lister, self.hear_set)
        self._written = UnseenWrites()
        self._history = RevisionHistory(self._client, self.revisions)
        self._statuses = StatefulSetStatusWriter(self._client, self.sets, self._written)
        self._pods_by_controller = index_by_controller(self.pods)
        events = context.recorder(_NAME)
        self._control = StatefulPodControl(self._client, self.pods, self.claims, events, self._written)

    def hear_set(self, stateful_set: JSONObject) -> None:
        self.queue.add(object_key(stateful_set))

    def pod_added(self, pod: JSONObject) -> None:
        if is_terminating(pod):
            self._calls.call_owner(pod)
        else:
            self._calls.call(pod)

    def pod_changed(self, old: JSONObject, new: JSONObject) -> None:
        self._calls.call_for_change(old, new)
        owner = self._calls.owner(new)
        if owner is not None and min_ready(owner) and is_ready(new) and not is_ready(old):
            self.queue.add_after(object_key(owner), min_ready(owner))

    def pod_deleted(self, pod: JSONObject | DeletedFinalStateUnknown) -> None:
        self._calls.call_owner(deleted_object(pod))

    def claim_deleted(self, deleted: JSONObject | DeletedFinalStateUnknown) -> None:
        """A set may wait for an old claim to be gone, so that it can make a new one."""
        metadata = deleted_object(deleted)["metadata"]
        for stateful_set in self.sets.lister.namespaced(metadata["namespace"]).list():
            templates, owner = claim_templates(stateful_set), stateful_set["metadata"]["name"]
            if any(metadata["name"].startswith(f"{each['metadata']['name']}-{owner}-") for each in templates):
                self.hear_set(stateful_set)

    async def sync(self, key: str) -> None:
        namespace, name = split_key(key)
        stateful_set = self.sets.lister.namespaced(namespace).get(name)
        if stateful_set is None:
            self._written.forget(key)
            return
        self._written.check_seen(key)
        try:
            selector = selector_of(stateful_set["spec"].get("selector"))
        except InvalidSelector:
            return
        if selector is None:
            return
        revisions = await self._history.claimed(stateful_set, STATEFUL_SETS, selector, releases=False)
        pods = await self._claimed_pods(stateful_set, selector)
        moment = present()
        counts = await self._reconcile(stateful_set, revisions, pods, moment)
        if min_ready(stateful_set) and counts.ready != counts.available:
            self.queue.add_after(key, _next_look(pods, min_ready(stateful_set), moment))

    async def _reconcile(
        self, stateful_set: JSONObject, revisions: Sequence[JSONObject], pods: Sequence[JSONObject], moment: datetime
    ) -> PodCounts:
        """The status is written even if something went wrong, and says what was there before."""
        used = await set_revisions(self._history, stateful_set, revisions)
        reconciliation = Reconciliation(self._control, stateful_set, used, pods, moment)
        refusal: APIError | NotYet | None = None
        try:
            await reconciliation.run()
        except (APIError, NotYet) as error:
            refusal = error
        await self._statuses.write(stateful_set, status_of(stateful_set, used, reconciliation.counts))
        await truncate(self._history, stateful_set, revisions, used, pods)
        if refusal is not None:
            raise refusal
        return reconciliation.counts

    async def _claimed_pods(self, stateful_set: JSONObject, selector: Selector) -> list[JSONObject]:
        metadata = stateful_set["metadata"]

        async def fresh() -> JSONObject:
            return await self._client.resource(STATEFUL_SETS, metadata["namespace"]).get(metadata["name"])

        def matches(pod: JSONObject) -> bool:
            return is_member(stateful_set, pod) and selector.matches(pod["metadata"].get("labels") or {})

        claims = Claims(self._client, PODS, stateful_set, matches=matches, fresh=fresh)
        return await claims.claim(controlled_or_orphaned(self._pods_by_controller, stateful_set))


def _next_look(pods: Sequence[JSONObject], minimum: timedelta, moment: datetime) -> timedelta:
    """When the next of the pods that are ready will have been so for long enough."""
    waits = [wait for pod in pods if (wait := available_in(pod, minimum, moment))]
    return min(waits, default=minimum)
