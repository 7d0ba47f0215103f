"""A deployment that is scaled in the middle of a rollout, or while it is paused: every replica set gets its share, so
that the rollout is not hastened. Kubernetes: pkg/controller/deployment/sync.go, scale.
"""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject

from .control import Control
from .limits import is_rolling, max_replicas, replicas, told
from .revisions import DESIRED, MAXIMUM, noted
from .rollout import Rollout, age_order


def is_scaled(rollout: Rollout) -> bool:
    """Whether the deployment has another size than its replica sets know."""
    sizes = (noted(each, DESIRED) for each in rollout.all if replicas(each))
    return any(size is not None and size != replicas(rollout.deployment) for size in sizes)


async def scale(control: Control, rollout: Rollout) -> None:
    only = _active_or_latest(rollout)
    if only is not None:
        await control.scale(rollout, only, replicas(rollout.deployment))
    elif _is_saturated(rollout):
        for replica_set in rollout.active_old:
            await control.scale(rollout, replica_set, 0)
    elif is_rolling(rollout.deployment):
        await _scale_in_proportion(control, rollout)


def _active_or_latest(rollout: Rollout) -> JSONObject | None:
    """The only one with pods; without any, the newest; with several, none."""
    active = [each for each in rollout.all if replicas(each)]
    if len(active) > 1:
        return None
    if active:
        return active[0]
    if rollout.new is not None:
        return rollout.new
    return max(rollout.old, key=age_order, default=None)


def _is_saturated(rollout: Rollout) -> bool:
    new, desired = rollout.new, replicas(rollout.deployment)
    if new is None:
        return False
    return replicas(new) == desired == noted(new, DESIRED) == told([new], "availableReplicas")


async def _scale_in_proportion(control: Control, rollout: Rollout) -> None:
    deployment = rollout.deployment
    active = [each for each in rollout.all if replicas(each)]
    allowed = max_replicas(deployment) if replicas(deployment) else 0
    to_add = allowed - sum(map(replicas, active))
    for replica_set, size in shares(deployment, active, to_add):
        await control.scale_and_note(rollout, replica_set, size)


def shares(deployment: JSONObject, active: list[JSONObject], to_add: int) -> list[tuple[JSONObject, int]]:
    """Each replica set with the size that it is to have, if `to_add` (which may be below zero) are shared out. The
    largest gets what rounding has left; among equals those grow first that are newer, and shrink first that are older.
    """
    by_size = sorted(active, key=age_order, reverse=to_add > 0)
    by_size.sort(key=replicas, reverse=True)
    added, sizes = 0, []
    for replica_set in by_size:
        share = _share(deployment, replica_set, to_add, added)
        added += share
        sizes.append(replicas(replica_set) + share)
    if sizes and to_add:
        sizes[0] = max(0, sizes[0] + to_add - added)
    return list(zip(by_size, sizes, strict=True))


def _share(deployment: JSONObject, replica_set: JSONObject, to_add: int, added: int) -> int:
    if not to_add or to_add == added:
        return 0
    fraction, left = _fraction(deployment, replica_set), to_add - added
    return min(fraction, left) if to_add > 0 else max(fraction, left)


def _fraction(deployment: JSONObject, replica_set: JSONObject) -> int:
    """How much the replica set changes if it keeps its share of all pods."""
    size = replicas(replica_set)
    if not replicas(deployment):
        return -size
    before = noted(replica_set, MAXIMUM) or (deployment.get("status") or {}).get("replicas") or 0
    if not before:
        return 0
    exact = size * max_replicas(deployment) / before
    return int(exact + 0.5) - size
