"""Pods as those see them who make them: from a template, counted, judged, and the least useful ones first to go.

Kubernetes: pkg/controller/controller_utils.go and pkg/api/v1/pod/util.go.
"""

from __future__ import annotations

import math
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cmp_to_key
from typing import Any, Final

import orjson

from localplane.apimachinery.clock import present
from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import InvalidTime, parse_time
from localplane.client import Client, GroupVersionResource, Indexer, SharedInformer

from .events import EventRecorder
from .worker import together

PODS: Final = GroupVersionResource("", "v1", "pods")
NODE_INDEX: Final = "spec.nodeName"
_PHASES: Final = {"Pending": 0, "Unknown": 1, "Running": 2}
_SAFE: Final = "bcdfghjklmnpqrstvwxz2456789"
_DELETION_COST: Final = "controller.kubernetes.io/pod-deletion-cost"
_is_cost: Final = re.compile("0|[1-9][0-9]{0,9}|-[0-9]{1,10}").fullmatch
_FIRST_BATCH: Final = 1


def condition(obj: Mapping[str, Any], kind: str) -> JSONObject | None:
    """The condition of this type in an object's status."""
    for each in (obj.get("status") or {}).get("conditions") or ():
        if each.get("type") == kind:
            found: JSONObject = each
            return found
    return None


def has_condition(obj: Mapping[str, Any], kind: str) -> bool:
    """Whether the condition is there, and true."""
    found = condition(obj, kind)
    return found is not None and found.get("status") == "True"


def phase(pod: Mapping[str, Any]) -> str:
    return str((pod.get("status") or {}).get("phase", ""))


def is_terminating(obj: Mapping[str, Any]) -> bool:
    return "deletionTimestamp" in obj["metadata"]


def is_terminal(pod: Mapping[str, Any]) -> bool:
    """It has ended and will not run again."""
    return phase(pod) in ("Succeeded", "Failed")


def is_active(pod: Mapping[str, Any]) -> bool:
    return not is_terminal(pod) and not is_terminating(pod)


def is_ready(pod: Mapping[str, Any]) -> bool:
    return has_condition(pod, "Ready")


def ready_since(pod: Mapping[str, Any]) -> datetime | None:
    ready = condition(pod, "Ready")
    return _time(ready.get("lastTransitionTime")) if ready is not None and ready.get("status") == "True" else None


def is_available(pod: Mapping[str, Any], min_ready: timedelta, moment: datetime | None = None) -> bool:
    """Ready, and has been for so long."""
    return available_in(pod, min_ready, moment) == timedelta(0)


def available_in(pod: Mapping[str, Any], min_ready: timedelta, moment: datetime | None = None) -> timedelta | None:
    """How long until it is available if nothing changes; zero if it is, None if it is not even ready."""
    if not is_ready(pod):
        return None
    if not min_ready:
        return timedelta(0)
    since = ready_since(pod)
    if since is None:
        return None
    return max(timedelta(0), since + min_ready - (moment or present()))


def index_by_node(informer: SharedInformer) -> Indexer:
    """The informer's pods, to be found with NODE_INDEX by the name of their node. May be called by several."""
    if not informer.indexer.has_index(NODE_INDEX):
        informer.indexer.add_indexers({NODE_INDEX: lambda pod: filter(None, [pod["spec"].get("nodeName")])})
    return informer.indexer


def pod_from_template(
    template: Mapping[str, Any], owner: Mapping[str, Any], reference: JSONObject | None
) -> JSONObject:
    """Without a name: the server makes one of the owner's."""
    prefix = f"{owner['metadata']['name']}-"
    if dns1123_subdomain(prefix, prefix=True):
        prefix = owner["metadata"]["name"]
    given = template.get("metadata") or {}
    metadata: JSONObject = {"generateName": prefix}
    for key in ("labels", "annotations", "finalizers"):
        if given.get(key):
            metadata[key] = deepcopy(given[key])
    if reference is not None:
        metadata["ownerReferences"] = [reference]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": deepcopy(template.get("spec") or {})}


class PodControl:
    """Makes and deletes pods in an owner's name, and tells its events."""

    def __init__(self, client: Client, events: EventRecorder) -> None:
        self._client = client
        self._events = events

    async def create(self, pod: JSONObject, owner: Mapping[str, Any]) -> JSONObject:
        """Raises APIError."""
        try:
            created = await self._client.resource(PODS, owner["metadata"]["namespace"]).create(pod)
        except APIError as error:
            if not namespace_is_going(error):
                self._events.warn(owner, "FailedCreate", f"Error creating: {error}")
            raise
        self._events.normal(owner, "SuccessfulCreate", f"Created pod: {created['metadata']['name']}")
        return created

    async def delete(self, pod: Mapping[str, Any], owner: Mapping[str, Any]) -> None:
        """Raises APIError, NotFound among them."""
        name = pod["metadata"]["name"]
        try:
            await self._client.resource(PODS, pod["metadata"]["namespace"]).delete(name)
        except NotFound:
            raise
        except APIError as error:
            self._events.warn(owner, "FailedDelete", f"Error deleting: {error}")
            raise
        self._events.normal(owner, "SuccessfulDelete", f"Deleted pod: {name}")


def namespace_is_going(error: APIError) -> bool:
    """Whether something was refused because its namespace is being deleted."""
    causes = (error.status().get("details") or {}).get("causes") or ()
    return any(cause.get("reason") == "NamespaceTerminating" for cause in causes)


async def slow_start(count: int, make: Callable[[int], Awaitable[Any]]) -> int:
    """`make` so many, in batches that double, so that what the server refuses is refused once and not a hundred times.

    How many were made. The first refusal is raised as SlowStartFailed with that number. Kubernetes:
    slowStartBatch.
    """
    made, batch = 0, min(count, _FIRST_BATCH)
    while batch:
        outcomes = await together([_outcome(make, made + number) for number in range(batch)])
        errors = [outcome.error for outcome in outcomes if outcome.error is not None]
        made += batch - len(errors)
        if errors:
            raise SlowStartFailed(made, errors[0])
        batch = min(2 * batch, count - made)
    return made


class SlowStartFailed(Exception):
    def __init__(self, made: int, error: APIError) -> None:
        super().__init__(str(error))
        self.made = made
        self.error = error


@dataclass(frozen=True, slots=True)
class _Outcome:
    error: APIError | None = None


async def _outcome(make: Callable[[int], Awaitable[Any]], number: int) -> _Outcome:
    try:
        await make(number)
    except APIError as error:
        return _Outcome(error)
    return _Outcome()


def template_hash(template: Mapping[str, Any], collision_count: int | None = None) -> str:
    """A short name for what a template says, from letters that make no words. Kubernetes: ComputeHash, over another
    text of the same template."""
    number = 0x811C9DC5
    for byte in orjson.dumps(template, option=orjson.OPT_SORT_KEYS):
        number = ((number ^ byte) * 0x01000193) & 0xFFFFFFFF
    if collision_count is not None:
        for byte in collision_count.to_bytes(8, "little"):
            number = ((number ^ byte) * 0x01000193) & 0xFFFFFFFF
    return safe_encoded(str(number))


def safe_encoded(text: str) -> str:
    """Kubernetes: apimachinery/pkg/util/rand, SafeEncodeString."""
    return "".join(_SAFE[ord(character) % len(_SAFE)] for character in text)


def least_useful_first(
    pods: Sequence[JSONObject], ranks: Sequence[int], moment: datetime | None = None
) -> list[JSONObject]:
    """The order in which pods go. `ranks` says of each how many of its like are ready on its node."""
    now = moment or present()
    uses = [_Use.of(pod, rank, now) for pod, rank in zip(pods, ranks, strict=True)]
    return [use.pod for use in sorted(uses, key=cmp_to_key(_compared))]


def ranked_by_node(to_rank: Iterable[JSONObject], related: Iterable[JSONObject]) -> list[int]:
    """How many active related pods run on the node of each. Kubernetes: getPodsRankedByRelatedPodsOnSameNode."""
    on_node: dict[str, int] = {}
    for pod in related:
        if is_active(pod):
            node = pod["spec"].get("nodeName", "")
            on_node[node] = on_node.get(node, 0) + 1
    return [on_node.get(pod["spec"].get("nodeName", ""), 0) for pod in to_rank]


@dataclass(frozen=True, slots=True)
class _Age:
    """Ages count by their magnitude, so that chance decides among pods of nearly the same age."""

    since: datetime | None
    magnitude: int

    @classmethod
    def of(cls, since: datetime | None, now: datetime) -> _Age:
        return cls(since, -1 if since is None else _magnitude(now - since))


@dataclass(frozen=True, slots=True)
class _Use:
    """What of a pod counts when it is compared with others, found out once."""

    pod: JSONObject
    standing: tuple[int, ...]
    ready: _Age | None
    restarts: tuple[int, int]
    created: _Age

    @classmethod
    def of(cls, pod: JSONObject, rank: int, now: datetime) -> _Use:
        has_node, ready = bool(pod["spec"].get("nodeName")), is_ready(pod)
        return cls(
            pod,
            (has_node, _PHASES.get(phase(pod), 0), ready, _deletion_cost(pod), -rank),
            _Age.of(ready_since(pod), now) if ready else None,
            (_restarts(pod, sidecars=False), _restarts(pod, sidecars=True)),
            _Age.of(_time(pod["metadata"].get("creationTimestamp")), now),
        )


def _compared(one: _Use, other: _Use) -> int:
    """Below zero if the first goes first."""
    if one.standing != other.standing:
        return -1 if one.standing < other.standing else 1
    if (
        one.ready is not None
        and other.ready is not None
        and (order := _younger_first(one, other, one.ready, other.ready))
    ):
        return order
    if one.restarts != other.restarts:
        return -1 if one.restarts > other.restarts else 1
    return _younger_first(one, other, one.created, other.created)


def _younger_first(one: _Use, other: _Use, age: _Age, other_age: _Age) -> int:
    if age.since == other_age.since:
        return 0
    if age.since is None or other_age.since is None:
        return -1 if age.since is None else 1
    if age.magnitude != other_age.magnitude:
        return age.magnitude - other_age.magnitude
    return -1 if one.pod["metadata"]["uid"] < other.pod["metadata"]["uid"] else 1


def _magnitude(age: timedelta) -> int:
    nanoseconds = age / timedelta(microseconds=1) * 1000
    return int(math.log2(nanoseconds)) if nanoseconds > 0 else -1


def _deletion_cost(pod: JSONObject) -> int:
    text = (pod["metadata"].get("annotations") or {}).get(_DELETION_COST, "0")
    if not _is_cost(text):  # as the server sees it, which takes no other in
        return 0
    cost = int(text)
    return cost if -(2**31) <= cost < 2**31 else 0


def _restarts(pod: JSONObject, *, sidecars: bool) -> int:
    status = pod.get("status") or {}
    containers = status.get("containerStatuses") or []
    if sidecars:
        lasting = {
            each["name"] for each in pod["spec"].get("initContainers") or () if each.get("restartPolicy") == "Always"
        }
        containers = [each for each in status.get("initContainerStatuses") or () if each["name"] in lasting]
    return max((each.get("restartCount", 0) for each in containers), default=0)


def _time(text: str | None) -> datetime | None:
    try:
        return parse_time(text) if text else None
    except InvalidTime:
        return None
