"""Replica sets: as many pods as they ask for, made, adopted, released and deleted.

The same engine works for replication controllers. Kubernetes: pkg/controller/replicaset.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from localplane.apimachinery.clock import present
from localplane.apimachinery.errors import APIError, Conflict, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import InvalidSelector, Selector, from_labels, selector_of
from localplane.apimachinery.time_slices import TimeSlices
from localplane.apimachinery.times import format_time
from localplane.client import (
    ClientError,
    GroupVersionResource,
    HandlerFunctions,
    WorkQueue,
    deleted_object,
    object_key,
    split_key,
)
from localplane.controllers.context import ControllerContext
from localplane.controllers.ownership import (
    CONTROLLER_INDEX,
    Claims,
    controlled,
    controlled_or_orphaned,
    controller_of,
    controller_reference,
    index_by_controller,
    is_controlled_by,
    owner_of,
)
from localplane.controllers.pods import (
    PODS,
    PodControl,
    SlowStartFailed,
    available_in,
    condition,
    is_active,
    is_available,
    is_ready,
    is_terminal,
    is_terminating,
    least_useful_first,
    namespace_is_going,
    pod_from_template,
    ranked_by_node,
    slow_start,
)
from localplane.controllers.unseen_writes import UnseenWrites
from localplane.controllers.worker import NotYet, together, work

from .expectations import Expectations

# What the status of a replica set or replication controller says of its pods.
#
# Kubernetes: pkg/controller/replicaset/replica_set_utils.go, calculateStatus.

_FAILURE: Final = "ReplicaFailure"


@dataclass(frozen=True, slots=True)
class OwnedPods:
    """`terminating` is None if the kind does not tell it."""

    active: Sequence[JSONObject]
    terminating: int | None


@dataclass(slots=True)
class _Counts:
    labelled: int = 0
    ready: int = 0
    available: int = 0


async def replica_status(
    owner: Mapping[str, Any], pods: OwnedPods, failure: Exception | None, moment: datetime
) -> JSONObject:
    """In the form of the wire: what is zero is left out, but for the replicas. `failure` is why pods could not be made
    or deleted."""
    counts = await _counts(owner, pods.active, moment)
    told = {
        "fullyLabeledReplicas": counts.labelled,
        "readyReplicas": counts.ready,
        "availableReplicas": counts.available,
        "observedGeneration": owner["metadata"].get("generation", 0),
    }
    status: JSONObject = {"replicas": len(pods.active)} | {name: count for name, count in told.items() if count}
    if pods.terminating is not None:
        status["terminatingReplicas"] = pods.terminating
    if conditions := _conditions(owner, len(pods.active), failure, moment):
        status["conditions"] = conditions
    return status


async def _counts(owner: Mapping[str, Any], pods: Sequence[JSONObject], moment: datetime) -> _Counts:
    spec, counts, slices = owner["spec"], _Counts(), TimeSlices()
    min_ready = timedelta(seconds=spec.get("minReadySeconds") or 0)
    is_labelled = from_labels((spec["template"].get("metadata") or {}).get("labels") or {}).matches
    for pod in pods:
        if slices.is_over:
            await slices.next()
        counts.labelled += is_labelled(pod["metadata"].get("labels") or {})
        if is_ready(pod):
            counts.ready += 1
            counts.available += is_available(pod, min_ready, moment)
    return counts


def _conditions(
    owner: Mapping[str, Any], replicas: int, failure: Exception | None, moment: datetime
) -> list[JSONObject]:
    """A failure that goes on keeps its first words."""
    conditions: list[JSONObject] = (owner.get("status") or {}).get("conditions") or []
    if failure is None:
        return [each for each in conditions if each.get("type") != _FAILURE]
    if condition(owner, _FAILURE) is not None:
        return conditions
    surplus = replicas - owner["spec"].get("replicas", 1)
    why: JSONObject = {"type": _FAILURE, "status": "True", "lastTransitionTime": format_time(moment)}
    if surplus:
        why["reason"] = "FailedCreate" if surplus < 0 else "FailedDelete"
    why["message"] = str(failure)
    return [*conditions, why]


Failure = APIError | ClientError | NotYet
_BURST: Final = 500
_WORKERS: Final = 5
_REPLICAS_PER_MILLISECOND: Final = 10
"""To count pods costs time for each of them. Who has many of them waits a little after a change, for others to come."""


_SORTED_AT_ONCE: Final = 50
"""More are sorted beside the loop, which has others to serve."""


@dataclass(frozen=True, slots=True)
class ReplicaKind:
    """`account` is the service account, and what events are told by. `counts_terminating` says whether the status has
    `terminatingReplicas`."""

    resource: GroupVersionResource
    kind: str
    account: str
    selector: Callable[[JSONObject], Selector | None]
    counts_terminating: bool


def _selector(replica_set: JSONObject) -> Selector | None:
    try:
        return selector_of(replica_set["spec"].get("selector"))
    except InvalidSelector:
        return None


REPLICA_SETS: Final = ReplicaKind(
    resource=GroupVersionResource("apps", "v1", "replicasets"),
    kind="ReplicaSet",
    account="replicaset-controller",
    selector=_selector,
    counts_terminating=True,
)


async def start(context: ControllerContext) -> None:
    await run(context, REPLICA_SETS)


async def run(context: ControllerContext, kind: ReplicaKind) -> None:
    """The controller of this kind, until it is cancelled."""
    sets, pods = context.informers.informer(kind.resource), context.informers.informer(PODS)
    controller = _Controller(context, kind)
    listeners = (sets.add_handler(controller.hears_of_sets), pods.add_handler(controller.hears_of_pods))
    try:
        await sets.wait_for_sync()
        await pods.wait_for_sync()
        await work(controller.queue, controller.sync, workers=_WORKERS)
    finally:
        for listener in listeners:
            listener.remove()


class _Controller:
    def __init__(self, context: ControllerContext, kind: ReplicaKind) -> None:
        self._kind = kind
        self._client = context.client_of(kind.account)
        self._control = PodControl(self._client, context.recorder(kind.account))
        sets, pods = context.informers.informer(kind.resource), context.informers.informer(PODS)
        self._informer = sets
        self._sets = sets.lister
        self._sets_by_owner = index_by_controller(sets)
        self._pods_by_owner = index_by_controller(pods)
        self._expectations = Expectations()
        self._written = UnseenWrites()
        self._selectors: dict[str, tuple[Any, Selector | None]] = {}
        self.queue = WorkQueue[str]()
        self.hears_of_sets = HandlerFunctions(add=self._set_changed, update=self._set_updated, delete=self._set_gone)
        self.hears_of_pods = HandlerFunctions(add=self._pod_added, update=self._pod_updated, delete=self._pod_gone)

    # What is heard.

    def _set_changed(self, owner: JSONObject) -> None:
        self.queue.add(object_key(owner))

    def _set_updated(self, old: JSONObject, new: JSONObject) -> None:
        if old["metadata"]["uid"] != new["metadata"]["uid"]:
            self._set_gone(old)
        if old["metadata"].get("generation") == new["metadata"].get("generation"):
            self._count_soon(new)
        else:
            self._set_changed(new)

    def _set_gone(self, obj: Any) -> None:
        owner = deleted_object(obj)
        self._expectations.forget(object_key(owner))
        self._written.forget(object_key(owner))
        self._selectors.pop(owner["metadata"]["uid"], None)
        self._set_changed(owner)

    def _pod_added(self, pod: JSONObject) -> None:
        if is_terminating(pod):
            self._pod_gone(pod)
        elif controller_of(pod) is None:
            self._offer(pod)
        elif (owner := self._owner(pod)) is not None:
            self._expectations.created(object_key(owner))
            self._count_soon(owner)

    def _pod_updated(self, old: JSONObject, new: JSONObject) -> None:
        if old["metadata"]["uid"] != new["metadata"]["uid"]:
            self._pod_gone(old)
            self._pod_added(new)
            return
        if old["metadata"].get("resourceVersion") == new["metadata"].get("resourceVersion"):
            return
        if is_terminating(new):
            self._pod_gone(new)
            return
        before, after = controller_of(old), controller_of(new)
        if before is not None and before != after and (owner := self._owner(old)) is not None:
            self._count_soon(owner)
        if after is not None:
            if (owner := self._owner(new)) is not None:
                self._count_soon(owner)
        elif before is not None or old["metadata"].get("labels") != new["metadata"].get("labels"):
            self._offer(new)

    def _pod_gone(self, obj: Any) -> None:
        pod = deleted_object(obj)
        if (owner := self._owner(pod)) is not None:
            self._expectations.deleted(object_key(owner), pod["metadata"]["uid"])
            self._count_soon(owner)

    def _owner(self, pod: JSONObject) -> JSONObject | None:
        return owner_of(pod, self._sets, kind=self._kind.kind)

    def _offer(self, orphan: JSONObject) -> None:
        """Whoever selects the pod may want to adopt it."""
        labels = orphan["metadata"].get("labels")
        if not labels:
            return
        for owner in self._sets.namespaced(orphan["metadata"]["namespace"]).list():
            selector = self._selector(owner)
            if selector is not None and not selector.is_everything and selector.matches(labels):
                self._count_soon(owner)

    def _count_soon(self, owner: JSONObject) -> None:
        pause = timedelta(milliseconds=_replicas(owner) // _REPLICAS_PER_MILLISECOND)
        self.queue.add_after(object_key(owner), min(pause, timedelta(seconds=0.5)))

    def _selector(self, owner: JSONObject) -> Selector | None:
        uid, text = owner["metadata"]["uid"], owner["spec"].get("selector")
        known = self._selectors.get(uid)
        if known is None or known[0] != text:
            known = self._selectors[uid] = (text, self._kind.selector(owner))
        return known[1]

    # What is done.

    async def sync(self, key: str) -> None:
        namespace, name = split_key(key)
        owner = self._sets.namespaced(namespace).get(name)
        if owner is None:
            self._expectations.forget(key)
            self._written.forget(key)
            return
        self._written.check_seen(key)
        selector = self._selector(owner)
        if selector is None:
            return
        is_settled = self._expectations.satisfied(key)
        pods = await self._owned(owner, selector)
        failure: Failure | None = None
        if is_settled and not is_terminating(owner):
            failure = await self._manage(key, owner, pods.active)
        moment = present()
        await self._write_status(owner, await replica_status(owner, pods, failure, moment))
        if failure is not None:
            raise failure
        self._look_again(key, owner, pods.active, moment)

    async def _owned(self, owner: JSONObject, selector: Selector) -> OwnedPods:
        """The pods that are its own, after it has adopted and released what it must."""
        active: list[JSONObject] = []
        doubtful: list[JSONObject] = []
        terminating = 0
        slices = TimeSlices()
        for pod in controlled_or_orphaned(self._pods_by_owner, owner):
            if slices.is_over:
                await slices.next()
            is_own = selector.matches(pod["metadata"].get("labels") or {}) and is_controlled_by(pod, owner)
            if is_active(pod):
                (active if is_own else doubtful).append(pod)
            elif is_own and is_terminating(pod) and not is_terminal(pod):
                terminating += 1
        if doubtful:
            active += await self._claims(owner, selector).claim(doubtful)
        return OwnedPods(active, terminating if self._kind.counts_terminating else None)

    def _claims(self, owner: JSONObject, selector: Selector) -> Claims:
        metadata = owner["metadata"]
        sets = self._client.resource(self._kind.resource, metadata["namespace"])
        return Claims(
            self._client,
            PODS,
            owner,
            matches=lambda pod: selector.matches(pod["metadata"].get("labels") or {}),
            fresh=lambda: sets.get(metadata["name"]),
        )

    async def _manage(self, key: str, owner: JSONObject, pods: Sequence[JSONObject]) -> Failure | None:
        """Make or delete what is missing or too much; why it could not be done."""
        surplus = len(pods) - _replicas(owner)
        if surplus < 0:
            return await self._make(key, owner, min(-surplus, _BURST))
        if surplus > 0:
            return await self._delete(key, owner, await self._least_useful(owner, pods, min(surplus, _BURST)))
        return None

    async def _make(self, key: str, owner: JSONObject, count: int) -> Failure | None:
        made = 0

        async def make(_: int) -> None:
            nonlocal made
            pod = pod_from_template(owner["spec"]["template"], owner, controller_reference(owner))
            try:
                await self._control.create(pod, owner)
            except APIError as error:
                if not namespace_is_going(error):  # then any other would be refused as well, and nobody needs them
                    raise
            made += 1

        self._expectations.expect(key, creations=count)
        try:
            await slow_start(count, make)
        except SlowStartFailed as failed:
            return failed.error
        except ClientError as error:
            return error
        finally:
            self._expectations.created(key, count - made)  # nobody will see those that were not made
        return None

    async def _delete(self, key: str, owner: JSONObject, pods: Sequence[JSONObject]) -> Failure | None:
        async def delete(pod: JSONObject) -> str:
            """Why it could not be deleted."""
            try:
                await self._control.delete(pod, owner)
            except (APIError, ClientError) as error:
                self._expectations.deleted(key, pod["metadata"]["uid"])
                return "" if isinstance(error, NotFound) else f"unable to delete pods: {error}"
            return ""

        self._expectations.expect(key, deletions=[pod["metadata"]["uid"] for pod in pods])
        refusals = [refusal for refusal in await together(map(delete, pods)) if refusal]
        return NotYet(refusals[0]) if refusals else None

    async def _least_useful(self, owner: JSONObject, pods: Sequence[JSONObject], count: int) -> Sequence[JSONObject]:
        if count == len(pods):
            return pods
        ranks = ranked_by_node(pods, self._related(owner))
        if len(pods) <= _SORTED_AT_ONCE:
            return least_useful_first(pods, ranks)[:count]
        return (await asyncio.to_thread(least_useful_first, pods, ranks))[:count]

    def _related(self, owner: JSONObject) -> list[JSONObject]:
        """The pods of all that have the same owner, such as the replica sets of a deployment."""
        reference = controller_of(owner)
        if reference is None:
            return []
        siblings = self._sets_by_owner.index(CONTROLLER_INDEX, reference["uid"])
        return [pod for sibling in siblings for pod in controlled(self._pods_by_owner, sibling)]

    async def _write_status(self, owner: JSONObject, status: JSONObject) -> None:
        if status == owner.get("status"):
            return
        metadata = owner["metadata"]
        sets = self._client.resource(self._kind.resource, metadata["namespace"])
        try:
            try:
                written = await sets.update(owner | {"status": status}, subresource="status")
            except Conflict:
                latest = await sets.get(metadata["name"])
                if latest["metadata"]["uid"] != metadata["uid"]:
                    return
                written = await sets.update(latest | {"status": status}, subresource="status")
        except NotFound:  # it went meanwhile
            return
        self._written.wrote(object_key(owner), self._informer, written)

    def _look_again(self, key: str, owner: JSONObject, pods: Sequence[JSONObject], moment: datetime) -> None:
        """When the next of the pods that are ready has been so for long enough."""
        min_ready = timedelta(seconds=owner["spec"].get("minReadySeconds") or 0)
        if not min_ready:
            return
        waits = [wait for pod in pods if is_ready(pod) and (wait := available_in(pod, min_ready, moment))]
        if waits:
            self.queue.add_after(key, min(waits) - (present() - moment))


def _replicas(owner: JSONObject) -> int:
    return int(owner["spec"].get("replicas", 1))
