"""The revisions of a daemon set: the one that it is at, and those that it was at.

Kubernetes: pkg/controller/daemon/update.go, constructHistory and cleanupHistory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Final

from localplane.apimachinery.errors import AlreadyExists
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import Selector
from localplane.client import Client, GroupVersionResource, PatchType
from localplane.controllers.ownership import controller_reference
from localplane.controllers.pods import PODS, template_hash
from localplane.controllers.worker import NotYet
from localplane.controllers.workloads.revisions import (
    REVISION_LABEL,
    REVISIONS,
    RevisionHistory,
    highest_number,
    in_order,
    number_of,
    revision_data,
)

DAEMON_SETS: Final = GroupVersionResource("apps", "v1", "daemonsets")


@dataclass(frozen=True, slots=True)
class DaemonRevisions:
    current: JSONObject
    old: list[JSONObject]

    @property
    def hash(self) -> str:
        return _hash_of(self.current)


class DaemonHistory:
    def __init__(self, client: Client, history: RevisionHistory) -> None:
        self._client = client
        self._history = history

    async def revisions(
        self, daemon_set: JSONObject, selector: Selector, pods: Iterable[JSONObject]
    ) -> DaemonRevisions:
        """Makes a revision if the template is new, and gives the one that it is at the highest number. `pods` are the
        set's own. Raises APIError and NotYet."""
        current: list[JSONObject] = []
        old: list[JSONObject] = []
        for revision in await self._history.claimed(daemon_set, DAEMON_SETS, selector, releases=True):
            labelled = revision if _hash_of(revision) else await self._labelled(revision)
            (current if labelled.get("data") == revision_data(daemon_set) else old).append(labelled)
        number = highest_number(old) + 1
        if not current:
            return DaemonRevisions(await self._snapshot(daemon_set, number), old)
        kept = await self._only(current, pods)
        if number_of(kept) < number:
            kept = await self._history.renumber(kept, number)
        return DaemonRevisions(kept, old)

    async def clean_up(self, daemon_set: JSONObject, old: Sequence[JSONObject], pods: Iterable[JSONObject]) -> None:
        """Of the old ones so many stay as the set's limit says; those that pods are at stay in any case."""
        surplus = len(old) - daemon_set["spec"].get("revisionHistoryLimit", 10)
        live = {_hash_of(pod) for pod in pods}
        idle = [revision for revision in in_order(old) if _hash_of(revision) not in live]
        for revision in idle[: max(0, surplus)]:
            await self._history.delete(revision)

    async def _labelled(self, revision: JSONObject) -> JSONObject:
        """One without the label gets its name for a hash, which nobody else has."""
        metadata = revision["metadata"]
        labels = {**(metadata.get("labels") or {}), REVISION_LABEL: metadata["name"]}
        changed = {**deepcopy(revision), "metadata": {**metadata, "labels": labels}}
        return await self._client.resource(REVISIONS, metadata["namespace"]).update(changed)

    async def _only(self, current: Sequence[JSONObject], pods: Iterable[JSONObject]) -> JSONObject:
        """Of several that keep the same, the newest stays, and pods are told to be of it."""
        if len(current) == 1:
            return current[0]
        kept = max(current, key=number_of)
        for pod in pods:
            if _hash_of(pod) != _hash_of(kept):
                patch = {"metadata": {"labels": {REVISION_LABEL: _hash_of(kept)}}}
                resource = self._client.resource(PODS, pod["metadata"]["namespace"])
                await resource.patch(pod["metadata"]["name"], patch, PatchType.MERGE)
        for revision in current:
            if revision is not kept:
                await self._history.delete(revision)
        return kept

    async def _snapshot(self, daemon_set: JSONObject, number: int) -> JSONObject:
        metadata, template = daemon_set["metadata"], daemon_set["spec"]["template"]
        text_hash = template_hash(template, (daemon_set.get("status") or {}).get("collisionCount"))
        name, annotations = f"{metadata['name']}-{text_hash}", metadata.get("annotations")
        labels = (template.get("metadata") or {}).get("labels") or {}
        revision: JSONObject = {
            "apiVersion": "apps/v1",
            "kind": "ControllerRevision",
            "metadata": {
                "name": name,
                "namespace": metadata["namespace"],
                "labels": {**labels, REVISION_LABEL: text_hash},
                **({"annotations": dict(annotations)} if annotations else {}),
                "ownerReferences": [controller_reference(daemon_set)],
            },
            "data": revision_data(daemon_set),
            "revision": number,
        }
        revisions = self._client.resource(REVISIONS, metadata["namespace"])
        try:
            return await revisions.create(revision)
        except AlreadyExists:
            existing = await revisions.get(name)
            if existing.get("data") == revision["data"]:
                return existing
            await self._count_collision(daemon_set)
            raise

    async def _count_collision(self, daemon_set: JSONObject) -> None:
        """The name is another's: the next will be made with a higher count. Not if somebody has counted already."""
        metadata, known = daemon_set["metadata"], (daemon_set.get("status") or {}).get("collisionCount")
        sets = self._client.resource(DAEMON_SETS, metadata["namespace"])
        latest = await sets.get(metadata["name"])
        status = latest.get("status") or {}
        counted = status.get("collisionCount")
        if counted != known:
            raise NotYet(
                f"found a stale collision count ({known or 0}, expected {counted or 0}) of DaemonSet "
                f'"{metadata["name"]}" while processing; will retry until it is updated'
            )
        status = {**status, "collisionCount": (counted or 0) + 1}
        await sets.update({**latest, "status": status}, subresource="status")


def _hash_of(obj: JSONObject) -> str:
    return str((obj["metadata"].get("labels") or {}).get(REVISION_LABEL, ""))
