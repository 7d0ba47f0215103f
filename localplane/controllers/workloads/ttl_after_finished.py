"""Jobs that say how long they are to be kept after their end go when that time is over.

Kubernetes: pkg/controller/ttlafterfinished.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from localplane.apimachinery.clock import present
from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import InvalidTime, parse_time
from localplane.client import Client, GroupVersionResource, Lister, WorkQueue, object_key, split_key
from localplane.controllers.context import ControllerContext
from localplane.controllers.worker import NotYet, TryAfter, hearing, work

_JOBS: Final = GroupVersionResource("batch", "v1", "jobs")
_NAME: Final = "ttl-after-finished-controller"


async def start(context: ControllerContext) -> None:
    client = context.client_of(_NAME)
    queue = WorkQueue[str]()
    jobs = context.informers.informer(_JOBS)

    def hear(job: JSONObject) -> None:
        if _is_to_go(job):
            queue.add(object_key(job))

    with hearing(jobs, hear, deletions=False):
        await work(queue, _Controller(client, jobs.lister).sync)


class _Controller:
    def __init__(self, client: Client, jobs: Lister) -> None:
        self._client = client
        self._jobs = jobs

    async def sync(self, key: str) -> None:
        namespace, name = split_key(key)
        job = self._jobs.namespaced(namespace).get(name)
        if job is None or not _is_over(job):
            return
        jobs = self._client.resource(_JOBS, namespace)
        try:
            latest = await jobs.get(name)  # somebody may have given it more time
            if _is_over(latest):
                await jobs.delete(name, uid=latest["metadata"]["uid"], propagation_policy="Foreground")
        except NotFound:
            return


def _is_to_go(job: Mapping[str, Any]) -> bool:
    return (
        "deletionTimestamp" not in job["metadata"]
        and (job.get("spec") or {}).get("ttlSecondsAfterFinished") is not None
        and _end(job) is not None
    )


def _is_over(job: Mapping[str, Any]) -> bool:
    """Raises TryAfter with the time that is left, and NotYet if it can't be known."""
    if not _is_to_go(job):
        return False
    end = _end(job)
    assert end is not None  # or it would not be to go
    try:
        finished = parse_time(end.get("lastTransitionTime") or "")
    except InvalidTime as error:
        raise NotYet(f"unable to find the time when the Job {object_key(job)} finished") from error
    left = finished + timedelta(seconds=job["spec"]["ttlSecondsAfterFinished"]) - present()
    if left > timedelta(0):
        raise TryAfter(left)
    return True


def _end(job: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The condition that says that the job is over."""
    for condition in (job.get("status") or {}).get("conditions") or ():
        if condition.get("type") in ("Complete", "Failed") and condition.get("status") == "True":
            found: Mapping[str, Any] = condition
            return found
    return None
