"""The finalizer that keeps a pod until it is counted: what is known of those that were removed, and of pods that nobody
will count any more, because their job is over or gone, or they belong to none. They lose it, or they would never go.

Kubernetes: pkg/controller/job/tracking_utils.go and job_controller.go, syncOrphanPod.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.client import Client, Indexer, Lister, PatchType
from localplane.controllers.ownership import CONTROLLER_INDEX, controller_of, owner_of
from localplane.controllers.pods import PODS
from localplane.controllers.worker import together

from .terms import TRACKING, is_finished, is_foreign, is_tracked


class Removals:
    """The pods of each job whose finalizer was removed and that are still seen with it: they must not be counted again.
    Jobs are told by their uids."""

    def __init__(self) -> None:
        self._expected: dict[str, set[str]] = {}

    def of(self, job: str) -> frozenset[str]:
        return frozenset(self._expected.get(job, ()))

    def expect(self, job: str, uids: Iterable[str]) -> None:
        self._expected.setdefault(job, set()).update(uids)

    def observed(self, job: str, uid: str) -> None:
        """It was seen without, or it was not removed after all."""
        if (expected := self._expected.get(job)) is not None:
            expected.discard(uid)

    def forget(self, job: str) -> None:
        self._expected.pop(job, None)


async def remove_finalizer(client: Client, pod: JSONObject) -> None:
    """Raises APIError, NotFound among them."""
    if not is_tracked(pod):
        return
    metadata = pod["metadata"]
    patch = {"metadata": {"$deleteFromPrimitiveList/finalizers": [TRACKING]}}
    await client.resource(PODS, metadata.get("namespace", "")).patch(metadata["name"], patch, PatchType.STRATEGIC)


@dataclass(frozen=True, slots=True)
class Orphans:
    """One pod by its key, or all that a job had by its uid."""

    pod: str = ""
    job_uid: str = ""


class OrphanSync:
    def __init__(self, client: Client, jobs: Lister, pods: Indexer) -> None:
        self._client = client
        self._jobs = jobs
        self._pods = pods

    async def sync(self, orphans: Orphans) -> None:
        """Raises APIError."""
        if orphans.pod:
            pod = self._pods.get(orphans.pod)
            pods = [pod] if pod is not None else []
        else:
            pods = list(self._pods.index(CONTROLLER_INDEX, orphans.job_uid))
        await together([self._let_go(pod) for pod in pods if is_tracked(pod) and self._is_orphan(pod)])

    def _is_orphan(self, pod: JSONObject) -> bool:
        """Nobody's, or of a job that will not look at it again and that nobody else runs."""
        reference = controller_of(pod)
        if reference is None:
            return True
        if reference["kind"] != "Job" or reference["apiVersion"] != "batch/v1":
            return False
        job = owner_of(pod, self._jobs, kind="Job")
        return job is None or (is_finished(job) and not is_foreign(job))

    async def _let_go(self, pod: JSONObject) -> None:
        try:
            await remove_finalizer(self._client, pod)
        except NotFound:
            return
