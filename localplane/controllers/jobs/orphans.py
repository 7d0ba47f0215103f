"""Pods that nobody will count any more, because their job is over or gone, or they belong to none: they lose their
finalizer, or they would stay for ever.

Kubernetes: pkg/controller/job/job_controller.go, syncOrphanPod.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from localplane.apimachinery.errors import NotFound
from localplane.client import Client, Indexer, Lister
from localplane.controllers.ownership import CONTROLLER_INDEX, controller_of, owner_of
from localplane.controllers.worker import together

from .finalizers import remove_finalizer
from .terms import is_finished, is_foreign, is_tracked

Object = dict[str, Any]


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

    def _is_orphan(self, pod: Object) -> bool:
        """Nobody's, or of a job that will not look at it again and that nobody else runs."""
        reference = controller_of(pod)
        if reference is None:
            return True
        if reference["kind"] != "Job" or reference["apiVersion"] != "batch/v1":
            return False
        job = owner_of(pod, self._jobs, kind="Job")
        return job is None or (is_finished(job) and not is_foreign(job))

    async def _let_go(self, pod: Object) -> None:
        try:
            await remove_finalizer(self._client, pod)
        except NotFound:
            return
