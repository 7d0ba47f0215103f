"""How many pods a PodDisruptionBudget lets go at once, as its status tells the eviction API.

Also takes back from pods that were to be disrupted and were not that they are a target. Kubernetes:
pkg/controller/disruption.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from localplane.apimachinery.clock import present
from localplane.apimachinery.errors import APIError, Conflict, NotFound
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import InvalidSelector, label_selector_text, selector_of
from localplane.apimachinery.times import InvalidTime, now, parse_time
from localplane.catalog.apps.int_or_percent import scaled
from localplane.catalog.policy.status import tell_whether_disruption_is_allowed
from localplane.catalog.validation.conditions import set_condition
from localplane.client import Client, ClientError, GroupVersionResource, Lister, WorkQueue, object_key, split_key
from localplane.controllers.context import ControllerContext
from localplane.controllers.events import EventRecorder
from localplane.controllers.ownership import controller_of, owner_of
from localplane.controllers.pods import PODS, condition, is_ready, is_terminal, is_terminating
from localplane.controllers.worker import NotYet, TryAfter, hearing, work

from .scales import Scales

_BUDGETS: Final = GroupVersionResource("policy", "v1", "poddisruptionbudgets")
_OWNERS: Final = {
    "ReplicationController": GroupVersionResource("", "v1", "replicationcontrollers"),
    "ReplicaSet": GroupVersionResource("apps", "v1", "replicasets"),
    "Deployment": GroupVersionResource("apps", "v1", "deployments"),
    "StatefulSet": GroupVersionResource("apps", "v1", "statefulsets"),
}
_GROUPS: Final = {
    "ReplicationController": ("",),
    "ReplicaSet": ("apps", "extensions"),
    "Deployment": ("apps", "extensions"),
    "StatefulSet": ("apps",),
}
_ACCOUNT: Final = "disruption-controller"
_COMPONENT: Final = "controllermanager"
_DELETION_TIMEOUT: Final = timedelta(minutes=2)
_STALE_TIMEOUT: Final = timedelta(minutes=2)
_PAUSE_PER_POD: Final = timedelta(microseconds=100)
_LONGEST_PAUSE: Final = timedelta(seconds=1)
_BY_KUBELET: Final = "TerminationByKubelet"


async def start(context: ControllerContext) -> None:
    budgets, pods = context.informers.informer(_BUDGETS), context.informers.informer(PODS)
    owners = {kind: context.informers.informer(resource) for kind, resource in _OWNERS.items()}
    for informer in (budgets, pods, *owners.values()):
        await informer.wait_for_sync()
    queue, stale = WorkQueue[str](), WorkQueue[str]()
    client, events = context.client_of(_ACCOUNT), context.recorder(_ACCOUNT, _COMPONENT)
    expected = _ExpectedPods({kind: informer.lister for kind, informer in owners.items()}, Scales(client))
    controller = _Controller(client, events, expected, budgets=budgets.lister, pods=pods.lister)

    def hear_pod(pod: JSONObject) -> None:
        for budget in controller.budgets_of(pod):
            queue.add_after(object_key(budget), _pause(budget))
        if _is_stale_in(pod) is not None:
            stale.add(object_key(pod))

    with ExitStack() as listening:
        listening.enter_context(hearing(budgets, lambda budget: queue.add(object_key(budget))))
        listening.enter_context(hearing(pods, hear_pod))
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(work(queue, controller.sync))
            tasks.create_task(work(stale, controller.sync_stale))


@dataclass(frozen=True, slots=True)
class _Numbers:
    expected: int
    desired: int
    unmanaged: tuple[str, ...] = ()


class _ExpectedPods:
    """How many pods there would be if all was well: what their controllers are told to have."""

    def __init__(self, owners: Mapping[str, Lister], scales: Scales) -> None:
        self._owners = owners
        self._scales = scales

    async def numbers(self, budget: JSONObject, pods: Sequence[JSONObject]) -> _Numbers:
        """Raises NotYet, APIError and ClientError."""
        spec = budget.get("spec") or {}
        most, least = spec.get("maxUnavailable"), spec.get("minAvailable")
        if most is None and (least is None or isinstance(least, int)):
            return _Numbers(0, 0) if least is None else _Numbers(len(pods), least)
        unmanaged = tuple(pod["metadata"]["name"] for pod in pods if controller_of(pod) is None)
        expected = await self._scale(pods)
        if most is not None:
            return _Numbers(expected, max(0, expected - scaled(most, expected, round_up=True)), unmanaged)
        return _Numbers(expected, scaled(least or 0, expected, round_up=True), unmanaged)

    async def _scale(self, pods: Sequence[JSONObject]) -> int:
        scales: dict[str, int] = {}
        seen: set[str] = set()
        for pod in pods:
            reference = controller_of(pod)
            if reference is None or reference["uid"] in seen:
                continue
            seen.add(reference["uid"])
            found = self._known(pod, reference) or await self._other(pod, reference)
            if found is None:
                raise NotYet(f"found no controllers for pod {go_quote(pod['metadata']['name'])}")
            scales[found["metadata"]["uid"]] = (found.get("spec") or {}).get("replicas") or 0
        return sum(scales.values())

    def _known(self, pod: JSONObject, reference: JSONObject) -> JSONObject | None:
        """The controller of a pod, or the deployment above it."""
        kind = reference["kind"]
        if kind not in self._owners or _group(reference) not in _GROUPS[kind]:
            return None
        owner = owner_of(pod, self._owners[kind], kind=kind)
        if owner is None or kind != "ReplicaSet":
            return owner
        above = controller_of(owner)
        if above is None or above["kind"] != "Deployment":
            return owner
        if _group(above) not in _GROUPS["Deployment"]:
            return None
        return owner_of(owner, self._owners["Deployment"], kind="Deployment")

    async def _other(self, pod: JSONObject, reference: JSONObject) -> JSONObject | None:
        resource = await self._scales.resource_of(reference["apiVersion"], reference["kind"])
        try:
            scale = await self._scales.get(resource, pod["metadata"]["namespace"], reference["name"])
        except NotFound:
            if not await self._scales.is_scalable(resource):
                raise NotYet(f"{resource.group_resource} does not implement the scale subresource") from None
            return None
        return scale if scale["metadata"].get("uid") == reference["uid"] else None


def _group(reference: Mapping[str, Any]) -> str:
    return str(reference["apiVersion"].rpartition("/")[0])


class _Controller:
    def __init__(
        self, client: Client, events: EventRecorder, expected: _ExpectedPods, *, budgets: Lister, pods: Lister
    ) -> None:
        self._client = client
        self._events = events
        self._expected = expected
        self._budgets = budgets
        self._pods = pods

    def budgets_of(self, pod: JSONObject) -> list[JSONObject]:
        """The budgets that a pod counts for. There should be one; if there are more, somebody is told."""
        metadata = pod["metadata"]
        labels = metadata.get("labels") or {}
        budgets = [
            budget for budget in self._budgets.namespaced(metadata["namespace"]).list() if _selects(budget, labels)
        ]
        if len(budgets) > 1:
            self._events.warn(
                pod,
                "MultiplePodDisruptionBudgets",
                f"Pod {go_quote(metadata['namespace'])}/{go_quote(metadata['name'])} matches multiple "
                f"PodDisruptionBudgets.  Chose {go_quote(budgets[0]['metadata']['name'])} arbitrarily.",
            )
        return budgets

    async def sync(self, key: str) -> None:
        namespace, name = split_key(key)
        budget = self._budgets.namespaced(namespace).get(name)
        if budget is None:
            return
        try:
            recheck = await self._try_sync(budget)
        except Conflict:
            raise
        except (APIError, ClientError, NotYet) as error:
            await self._fail_safe(budget, error)
            return
        if recheck is not None:
            raise TryAfter(recheck)

    async def _try_sync(self, budget: JSONObject) -> timedelta | None:
        pods = self._pods_of(budget)
        if not pods:
            self._events.normal(budget, "NoPods", "No matching pods found")
        try:
            numbers = await self._expected.numbers(budget, pods)
        except (APIError, ClientError, NotYet) as error:
            message = f"Failed to calculate the number of expected pods: {error}"
            self._events.warn(budget, "CalculateExpectedPodCountFailed", message)
            raise
        if numbers.unmanaged:
            selector = label_selector_text((budget.get("spec") or {}).get("selector"))
            self._events.warn(
                budget,
                "UnmanagedPods",
                f"Pods selected by this PodDisruptionBudget (selector: {selector}) were found to be unmanaged. "
                "As a result, the status of the PDB cannot be calculated correctly, which may result in undefined "
                'behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer '
                "value.",
            )
        moment = present()
        disrupted = self._disrupted(budget, pods, moment)
        healthy = sum(
            is_ready(pod) and not is_terminating(pod) and pod["metadata"]["name"] not in disrupted for pod in pods
        )
        await self._write(budget, numbers, healthy, disrupted)
        waits = [_time(when) + _DELETION_TIMEOUT - moment for when in disrupted.values()]
        return min(waits) if waits else None

    def _pods_of(self, budget: JSONObject) -> list[JSONObject]:
        try:
            selector = selector_of((budget.get("spec") or {}).get("selector"))
        except InvalidSelector as error:
            self._events.warn(budget, "NoPods", f"Failed to get pods: {error}")
            raise NotYet(str(error)) from error
        if selector is None:
            return []
        return self._pods.namespaced(budget["metadata"]["namespace"]).list(selector)

    def _disrupted(self, budget: JSONObject, pods: Sequence[JSONObject], moment: datetime) -> dict[str, str]:
        """Pods whose eviction was allowed and that are not gone yet; those that take too long count again."""
        noted = (budget.get("status") or {}).get("disruptedPods") or {}
        disrupted = {}
        for pod in pods:
            when = noted.get(pod["metadata"]["name"])
            if when is None or is_terminating(pod):
                continue
            if _time(when) + _DELETION_TIMEOUT < moment:
                namespace = budget["metadata"]["namespace"]  # which Kubernetes says twice, in place of the name
                message = f"Pod was expected by PDB {namespace}/{namespace} to be deleted but it wasn't"
                self._events.warn(pod, "NotDeleted", message)
            else:
                disrupted[pod["metadata"]["name"]] = when
        return disrupted

    async def _write(self, budget: JSONObject, numbers: _Numbers, healthy: int, disrupted: dict[str, str]) -> None:
        allowed = max(0, healthy - numbers.desired) if numbers.expected > 0 else 0
        counts = {
            "currentHealthy": healthy,
            "desiredHealthy": numbers.desired,
            "disruptionsAllowed": allowed,
            "expectedPods": numbers.expected,
        }
        old, generation = budget.get("status") or {}, budget["metadata"].get("generation", 0)
        status: JSONObject = {
            "observedGeneration": generation,
            **counts,
            "conditions": deepcopy(old.get("conditions") or []),
        }
        if disrupted:
            status["disruptedPods"] = disrupted
        if _is_told(old, counts, disrupted, generation):
            return
        updated = {**budget, "status": status}
        tell_whether_disruption_is_allowed(updated)
        await self._update_status(updated)

    async def _fail_safe(self, budget: JSONObject, error: Exception) -> None:
        """Nothing may be disrupted while nobody knows how many pods there should be."""
        status = deepcopy(budget.get("status") or {}) | {"disruptionsAllowed": 0}
        for name in ("currentHealthy", "desiredHealthy", "expectedPods"):
            status.setdefault(name, 0)
        failed = {"type": "DisruptionAllowed", "status": "False", "reason": "SyncFailed", "message": str(error)}
        if status.get("observedGeneration"):
            failed["observedGeneration"] = status["observedGeneration"]
        set_condition(status.setdefault("conditions", []), failed)
        if status != budget.get("status"):
            await self._update_status({**budget, "status": status})

    async def _update_status(self, budget: JSONObject) -> None:
        budgets = self._client.resource(_BUDGETS, budget["metadata"]["namespace"])
        try:
            await budgets.update(budget, subresource="status")
        except NotFound:
            return

    async def sync_stale(self, key: str) -> None:
        """The DisruptionTarget condition of a pod that was not disrupted after all."""
        namespace, name = split_key(key)
        pod = self._pods.namespaced(namespace).get(name)
        wait = _is_stale_in(pod) if pod is not None else None
        if pod is None or wait is None:
            return
        if wait > timedelta(0):
            raise TryAfter(wait)
        conditions = [
            each if each.get("type") != "DisruptionTarget" else _taken_back(pod) for each in pod["status"]["conditions"]
        ]
        status = {**pod["status"], "conditions": conditions}
        try:
            await self._client.resource(PODS, namespace).update({**pod, "status": status}, subresource="status")
        except NotFound:
            return


def _pause(budget: JSONObject) -> timedelta:
    """How long changes of pods are collected before they are counted: counting all for each of many is work without
    end."""
    return min(_LONGEST_PAUSE, ((budget.get("status") or {}).get("expectedPods") or 0) * _PAUSE_PER_POD)


def _selects(budget: JSONObject, labels: Mapping[str, str]) -> bool:
    try:
        selector = selector_of((budget.get("spec") or {}).get("selector"))
    except InvalidSelector:
        return False
    return selector is not None and selector.matches(labels)


def _is_told(status: Mapping[str, Any], counts: Mapping[str, int], disrupted: JSONObject, generation: int) -> bool:
    told = next((each for each in status.get("conditions") or () if each.get("type") == "DisruptionAllowed"), None)
    allowed = counts["disruptionsAllowed"] > 0
    wanted = ("True", "SufficientPods") if allowed else ("False", "InsufficientPods")
    return (
        told is not None
        and (told.get("status"), told.get("reason")) == wanted
        and status.get("observedGeneration") == generation
        and (status.get("disruptedPods") or {}) == disrupted
        and all(status.get(name) == count for name, count in counts.items())
    )


def _is_stale_in(pod: JSONObject) -> timedelta | None:
    """How long until the pod's DisruptionTarget condition is taken back; None if it has none, or it holds."""
    target = condition(pod, "DisruptionTarget")
    if target is None or is_terminating(pod) or is_terminal(pod):
        return None
    if target.get("status") != "True" or target.get("reason") == _BY_KUBELET:
        return None
    since = _time(target.get("lastTransitionTime") or "")
    return max(timedelta(0), since + _STALE_TIMEOUT - present())


def _taken_back(pod: JSONObject) -> JSONObject:
    generation = {"observedGeneration": pod["metadata"]["generation"]} if pod["metadata"].get("generation") else {}
    return {"type": "DisruptionTarget", "status": "False", "lastTransitionTime": now(), **generation}


def _time(text: str) -> datetime:
    """What can't be read is long ago."""
    try:
        return parse_time(text)
    except InvalidTime:
        return datetime.min.replace(tzinfo=UTC)
