"""The two revisions that matter to a stateful set: the one that its pods come from and the one that it goes to.

Kubernetes: pkg/controller/statefulset/stateful_set_control.go, getStatefulSetRevisions and truncateHistory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.catalog.core.pods.defaults import default_pod_template
from localplane.controllers.workloads.revisions import (
    RevisionHistory,
    highest_number,
    in_order,
    is_equal,
    new_revision,
    revision_data,
    with_revision,
)

from .identity import revision_of


@dataclass(frozen=True, slots=True)
class SetRevisions:
    current: JSONObject
    update: JSONObject
    collisions: int

    @property
    def names(self) -> tuple[str, str]:
        """Of the current one, and of that of the update."""
        return self.current["metadata"]["name"], self.update["metadata"]["name"]


async def set_revisions(
    history: RevisionHistory, stateful_set: JSONObject, revisions: Sequence[JSONObject]
) -> SetRevisions:
    """Makes a revision if the set's template is new, and renumbers one if the set went back to it; not if it is going,
    for what it owns is going too."""
    status, known = stateful_set.get("status") or {}, in_order(revisions)
    collisions = int(status.get("collisionCount") or 0)
    proposed = new_revision(stateful_set, highest_number(known) + 1, collisions)
    equal = [revision for revision in known if is_equal(revision, proposed)]
    if known and (is_equal(known[-1], proposed) or (not equal and _means_the_same(stateful_set, known[-1]))):
        update = known[-1]
    elif "deletionTimestamp" in stateful_set["metadata"]:
        update = equal[-1] if equal else proposed
    elif equal:
        update = await history.renumber(equal[-1], proposed["revision"])
    else:
        created = await history.create(stateful_set, proposed, collisions)
        update, collisions = created.revision, created.collisions
    current = status.get("currentRevision")
    return SetRevisions(
        next((revision for revision in known if revision["metadata"]["name"] == current), update), update, collisions
    )


async def truncate(
    history: RevisionHistory,
    stateful_set: JSONObject,
    revisions: Sequence[JSONObject],
    used: SetRevisions,
    pods: Sequence[JSONObject],
) -> None:
    """Of the revisions that neither the set nor a pod is at, only so many as the set's limit says stay."""
    live = {*used.names, *map(revision_of, pods)}
    idle = [revision for revision in in_order(revisions) if revision["metadata"]["name"] not in live]
    await history.delete_beyond(stateful_set["spec"].get("revisionHistoryLimit", 10), idle)


def _means_the_same(stateful_set: Mapping[str, Any], revision: JSONObject) -> bool:
    """What an older version of us kept may lack defaults that there were not then. Kubernetes:
    setMatchesLatestExistingRevision."""
    restored = deepcopy(with_revision(stateful_set, revision))
    default_pod_template(restored["spec"]["template"])
    return revision_data(restored) == revision_data(stateful_set)
