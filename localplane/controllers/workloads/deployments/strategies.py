"""How pods move from the old replica sets to the new one: step by step, within what the deployment allows, or all at
once, where no new pod comes before all old ones have gone.

Kubernetes: pkg/controller/deployment/rolling.go and recreate.go.
"""

from __future__ import annotations

from collections.abc import Iterable

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.pods import is_terminal

from .control import Control
from .limits import max_unavailable, new_size, replicas, told, total
from .rollout import Rollout


async def roll(control: Control, rollout: Rollout) -> bool:
    """One step, if one can be made; whether it was."""
    return await _grow(control, rollout) or await _shrink(control, rollout)


async def _grow(control: Control, rollout: Rollout) -> bool:
    """Whether the new replica set got another size. One that is too large shrinks at once."""
    new, deployment = rollout.new, rollout.deployment
    assert new is not None, "made before"
    size, desired = replicas(new), replicas(deployment)
    if size >= desired:
        return await control.scale(rollout, new, desired)
    return await control.scale(rollout, new, new_size(deployment, total(rollout.old), size))


async def _shrink(control: Control, rollout: Rollout) -> bool:
    """Whether old replica sets got smaller. Pods that the new one still waits for are missing already, so that as many
    old ones have to stay."""
    new, deployment = rollout.new, rollout.deployment
    assert new is not None, "made before"
    if not total(rollout.old):
        return False
    minimum = replicas(deployment) - max_unavailable(deployment)
    missing = replicas(new) - told([new], "availableReplicas")
    spare = total(rollout.all) - minimum - missing
    if spare <= 0:
        return False
    unhealthy = await _drop_unhealthy(control, rollout, spare)
    healthy = await _drop_healthy(control, rollout, told(rollout.all, "availableReplicas") - minimum)
    return unhealthy + healthy > 0


async def _drop_unhealthy(control: Control, rollout: Rollout, most: int) -> int:
    """First those that serve nobody: they would only hold up the rollout. How many."""
    dropped = 0
    for replica_set in rollout.active_old:
        size = replicas(replica_set)
        count = min(most - dropped, size - told([replica_set], "availableReplicas"))
        if count > 0:
            await control.scale(rollout, replica_set, size - count)
            dropped += count
    return dropped


async def _drop_healthy(control: Control, rollout: Rollout, most: int) -> int:
    dropped = 0
    for replica_set in rollout.active_old:
        size = replicas(replica_set)
        count = min(size, most - dropped)
        if count > 0:
            await control.scale(rollout, replica_set, size - count)
            dropped += count
    return dropped


async def empty_old(control: Control, rollout: Rollout) -> bool:
    """Whether there was anything to scale down."""
    scaled = False
    for replica_set in rollout.active_old:
        scaled = await control.scale(rollout, replica_set, 0) or scaled
    return scaled


def old_pods_run(rollout: Rollout, pods: Iterable[JSONObject]) -> bool:
    """`pods` are those of old replica sets, and they run until they have ended or gone."""
    return told(rollout.old, "replicas") > 0 or not all(map(is_terminal, pods))
