"""Deleting what is in a namespace, one kind at a time. Kubernetes: namespaced_resources_deleter.go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from localplane.apimachinery.clock import present
from localplane.apimachinery.errors import APIError, MethodNotAllowed, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import parse_time
from localplane.client import METADATA_LIST, APIResource, Client, ClientError, GroupVersionResource, ListOptions
from localplane.client.rest.paging import Collection, list_all

PODS: Final = GroupVersionResource("", "v1", "pods")
_FINALIZING_SECONDS: Final = 15
_PAGE: Final = 500
_BACKGROUND: Final = "Background"


@dataclass(frozen=True, slots=True)
class Left:
    """What is left of one kind. `version` is when that was so; `seconds` is how long it may last, as far as known."""

    resource: GroupVersionResource
    names: Sequence[str] = ()
    finalizers: Mapping[str, int] = field(default_factory=dict)
    version: str = ""
    seconds: int = 0
    failure: str = ""


async def delete_all(client: Client, kind: APIResource, namespace: str, *, deleted_at: str) -> Left:
    """Try to delete all objects of a kind, and say what is left."""
    try:
        return await _delete_all(client, kind, namespace, deleted_at)
    except (APIError, ClientError) as error:
        return Left(kind.resource, failure=str(error))


async def names_of(client: Client, kind: APIResource, namespace: str) -> Collection:
    """What there is of a kind now: nothing, too, where nothing can be listed."""
    if "list" not in kind.verbs:
        return Collection([], "", paged=False)
    objects = client.resource(kind.resource, namespace)
    try:
        return await list_all(lambda options: objects.list(options, accept=METADATA_LIST), ListOptions(limit=_PAGE))
    except (MethodNotAllowed, NotFound):  # what discovery tells is not always so
        return Collection([], "", paged=False)


async def _delete_all(client: Client, kind: APIResource, namespace: str, deleted_at: str) -> Left:
    before = await names_of(client, kind, namespace)
    if not before.items and "list" in kind.verbs:
        return Left(kind.resource)
    seconds = await _grace(client, namespace, deleted_at) if kind.resource == PODS else 0
    if not await _delete_collection(client, kind, namespace):
        await _delete_each(client, kind, namespace, before.items)
    after = await names_of(client, kind, namespace)
    if not after.items:
        return Left(kind.resource)
    finalizers = Counter(name for item in after.items for name in item["metadata"].get("finalizers") or ())
    failure = ""
    if not seconds and not finalizers:
        failure = f"unexpected items still remain in namespace: {namespace} for gvr: {kind.resource}"
    return Left(
        kind.resource,
        names=[item["metadata"]["name"] for item in after.items],
        finalizers=finalizers,
        version=after.resource_version,
        seconds=seconds or (_FINALIZING_SECONDS if finalizers else 0),
        failure=failure,
    )


async def _delete_collection(client: Client, kind: APIResource, namespace: str) -> bool:
    """Whether that can be done at all. In the background: nothing here shall wait for, or survive, its owner."""
    if "deletecollection" not in kind.verbs:
        return False
    try:
        await client.resource(kind.resource, namespace).delete_collection(propagation_policy=_BACKGROUND)
    except (MethodNotAllowed, NotFound):
        return False
    return True


async def _delete_each(client: Client, kind: APIResource, namespace: str, items: Sequence[JSONObject]) -> None:
    objects = client.resource(kind.resource, namespace)
    for item in items:
        try:
            await objects.delete(item["metadata"]["name"], propagation_policy=_BACKGROUND)
        except (MethodNotAllowed, NotFound):
            continue


async def _grace(client: Client, namespace: str, deleted_at: str) -> int:
    """How many seconds the pods may take for their end; 0 when the namespace has been going for longer than that."""
    pods = await list_all(client.resource(PODS, namespace).list, ListOptions(limit=_PAGE))
    running = [pod for pod in pods.items if pod.get("status", {}).get("phase") not in ("Succeeded", "Failed")]
    grace = max((pod.get("spec", {}).get("terminationGracePeriodSeconds") or 0 for pod in running), default=0)
    elapsed = present() - parse_time(deleted_at)
    return 0 if elapsed.total_seconds() >= grace else int(grace)
