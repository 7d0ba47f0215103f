"""What a stateful set's status says: how many pods it has, of which revision, and how far it is.

Kubernetes: pkg/controller/statefulset/stateful_set_control.go (updateStatus), stateful_set_utils.go (completeUpdate,
inconsistentStatus) and stateful_set_status_updater.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from localplane.apimachinery.errors import Conflict
from localplane.apimachinery.objects import JSONObject
from localplane.client import Client, GroupVersionResource, SharedInformer, object_key
from localplane.controllers.pods import is_available, is_terminating
from localplane.controllers.unseen_writes import UnseenWrites

from .history import SetRevisions
from .identity import is_created, is_running_and_ready, min_ready, replicas_of, revision_of

STATEFUL_SETS: Final = GroupVersionResource("apps", "v1", "statefulsets")
_ATTEMPTS: Final = 5


@dataclass(slots=True)
class PodCounts:
    replicas: int = 0
    ready: int = 0
    available: int = 0
    current: int = 0
    updated: int = 0


def counts_of(
    stateful_set: JSONObject, revisions: SetRevisions, pods: Iterable[JSONObject], moment: datetime
) -> PodCounts:
    counts, minimum, (current, update) = PodCounts(), min_ready(stateful_set), revisions.names
    for pod in pods:
        if is_running_and_ready(pod):
            counts.ready += 1
            counts.available += is_available(pod, minimum, moment)
        if is_created(pod):
            counts.replicas += 1
            if not is_terminating(pod):
                counts.current += revision_of(pod) == current
                counts.updated += revision_of(pod) == update
    return counts


def status_of(stateful_set: JSONObject, revisions: SetRevisions, counts: PodCounts) -> JSONObject:
    """The status to be written; the conditions are not ours and stay. An update whose pods are all there and ready is
    complete: what it went to is what is current."""
    wanted, (current, update), current_count = replicas_of(stateful_set), revisions.names, counts.current
    if counts.updated == counts.ready == counts.replicas == wanted:
        current, current_count = update, counts.updated
    before = stateful_set.get("status") or {}
    optional = {
        "observedGeneration": stateful_set["metadata"].get("generation", 0),
        "readyReplicas": counts.ready,
        "currentReplicas": current_count,
        "updatedReplicas": counts.updated,
        "currentRevision": current,
        "updateRevision": update,
        "conditions": before.get("conditions"),
    }
    return {
        "replicas": counts.replicas,
        "availableReplicas": counts.available,
        "collisionCount": revisions.collisions,
        **{key: value for key, value in optional.items() if value},
    }


class StatefulSetStatusWriter:
    def __init__(self, client: Client, informer: SharedInformer, written: UnseenWrites) -> None:
        self._client = client
        self._informer = informer
        self._written = written

    async def write(self, stateful_set: JSONObject, status: JSONObject) -> None:
        """If there is anything new in it. Raises APIError, Conflict if others write again and again."""
        if not _is_news(stateful_set.get("status") or {}, status):
            return
        metadata = stateful_set["metadata"]
        sets, latest = self._client.resource(STATEFUL_SETS, metadata["namespace"]), stateful_set
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                answer = await sets.update({**latest, "status": status}, subresource="status")
            except Conflict:
                latest = await sets.get(metadata["name"])
                if attempt == _ATTEMPTS or latest["metadata"]["uid"] != metadata["uid"]:
                    raise
            else:
                self._written.wrote(object_key(stateful_set), self._informer, answer)
                return


def _is_news(before: JSONObject, status: JSONObject) -> bool:
    if status.get("observedGeneration", 0) > before.get("observedGeneration", 0):
        return True
    counters = ("replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")
    names = ("currentRevision", "updateRevision")
    return any((status.get(key) or 0) != (before.get(key) or 0) for key in counters) or any(
        status.get(key, "") != before.get(key, "") for key in names
    )
