"""What a daemon set's status says. Kubernetes: pkg/controller/daemon/daemon_controller.go, updateDaemonSetStatus."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from localplane.apimachinery.errors import Conflict
from localplane.apimachinery.objects import JSONObject
from localplane.client import Client, SharedInformer, object_key
from localplane.controllers.pods import is_available, is_ready
from localplane.controllers.unseen_writes import UnseenWrites

from .history import DAEMON_SETS
from .placement import Judgements, is_updated, template_generation
from .plan import PodsByNode, age, min_ready

_ALWAYS_SHOWN: Final = ("currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady")


def numbers_of(
    daemon_set: JSONObject, revision_hash: str, judgements: Judgements, pods_by_node: PodsByNode, moment: datetime
) -> dict[str, int]:
    """The oldest pod on a node counts for it."""
    generation, minimum = template_generation(daemon_set), min_ready(daemon_set)
    desired = misscheduled = current = ready = available = updated = 0
    for name, judgement in judgements.items():
        pods = sorted(pods_by_node.get(name) or (), key=age)
        if not judgement.should_run:
            misscheduled += bool(pods)
            continue
        desired += 1
        if not pods:
            continue
        current += 1
        ready += is_ready(pods[0])
        available += is_available(pods[0], minimum, moment)
        updated += is_updated(pods[0], revision_hash, generation)
    return {
        "currentNumberScheduled": current,
        "numberMisscheduled": misscheduled,
        "desiredNumberScheduled": desired,
        "numberReady": ready,
        "updatedNumberScheduled": updated,
        "numberAvailable": available,
        "numberUnavailable": desired - available,
    }


class DaemonSetStatusWriter:
    def __init__(self, client: Client, informer: SharedInformer, written: UnseenWrites) -> None:
        self._client = client
        self._informer = informer
        self._written = written

    async def write(self, daemon_set: JSONObject, numbers: Mapping[str, int], *, observed: bool) -> None:
        """If there is anything new. `observed` says that the set was worked on as it is now, and not only counted."""
        before, metadata = daemon_set.get("status") or {}, daemon_set["metadata"]
        generation = metadata.get("generation", 0)
        is_same = all(before.get(key, 0) == number for key, number in numbers.items())
        if is_same and before.get("observedGeneration", 0) >= generation:
            return
        changes = {**numbers, "observedGeneration": generation} if observed else dict(numbers)
        sets = self._client.resource(DAEMON_SETS, metadata["namespace"])
        try:
            answer = await sets.update(_with_status(daemon_set, changes), subresource="status")
        except Conflict:
            latest = await sets.get(metadata["name"])
            if latest["metadata"]["uid"] != metadata["uid"]:
                raise
            answer = await sets.update(_with_status(latest, changes), subresource="status")
        self._written.wrote(object_key(daemon_set), self._informer, answer)


def _with_status(daemon_set: JSONObject, changes: Mapping[str, int]) -> JSONObject:
    status = {**(daemon_set.get("status") or {}), **changes}
    shown = {key: value for key, value in status.items() if value or key in _ALWAYS_SHOWN or key not in changes}
    return {**daemon_set, "status": shown}
