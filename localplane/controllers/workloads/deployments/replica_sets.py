"""The replica sets of a deployment: the one with its template is found and given the next revision, or made; of the
others only so many are kept, to go back to.

Kubernetes: pkg/controller/deployment/sync.go, getNewReplicaSet and cleanupDeployment.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Final

from localplane.apimachinery.errors import AlreadyExists, APIError
from localplane.apimachinery.objects import JSONObject
from localplane.controllers.ownership import controller_reference, is_controlled_by
from localplane.controllers.pods import is_terminating, namespace_is_going, template_hash
from localplane.controllers.worker import NotYet

from .conditions import (
    CREATE_FAILED,
    NEW_CREATED,
    NEW_FOUND,
    PROGRESSING,
    condition_in,
    conditions_of,
    has_deadline,
    new_condition,
    with_condition,
)
from .control import Control
from .limits import new_size, replicas, total
from .revisions import (
    REVISION,
    annotations_of,
    highest_revision,
    revised,
    revision_of,
    size_annotations,
    with_annotations,
)
from .rollout import Rollout, age_order
from .templates import HASH_LABEL, same_template

_LONGEST_NAME: Final = 253
_KEEP_ALL: Final = 2**31 - 1


async def revise(control: Control, rollout: Rollout) -> None:
    """Give the new replica set, if there is one, the highest revision, and the deployment the same."""
    if rollout.new is None:
        return
    before, deployment = rollout.new, rollout.deployment
    annotations = revised(before, deployment, highest_revision(rollout.old) + 1)
    spec, min_ready = before["spec"], deployment["spec"].get("minReadySeconds") or 0
    if annotations != annotations_of(before) or (spec.get("minReadySeconds") or 0) != min_ready:
        after = with_annotations(before, annotations) | {"spec": spec | {"minReadySeconds": min_ready}}
        await control.write_replica_set(rollout, after)
    condition = None
    if has_deadline(deployment) and condition_in(conditions_of(deployment), PROGRESSING) is None:
        message = f'Found new replica set "{before["metadata"]["name"]}"'
        condition = new_condition(PROGRESSING, "True", NEW_FOUND, message)
    await _note(control, rollout, annotations.get(REVISION, ""), condition)


async def make_new(control: Control, rollout: Rollout) -> None:
    """Make the replica set with the deployment's template if there is none. Raises APIError and NotYet."""
    if rollout.new is not None:
        return
    wanted = _replica_set(rollout)
    try:
        await control.create_replica_set(rollout, wanted)
    except AlreadyExists:
        await _take_existing(control, rollout, wanted["metadata"]["name"])
        await _note(control, rollout, annotations_of(wanted)[REVISION], None)
        return
    except APIError as error:
        if not namespace_is_going(error):
            await _tell_failure(control, rollout, wanted["metadata"]["name"], error)
        raise
    name = wanted["metadata"]["name"]
    if size := replicas(wanted):
        control.tell_scaling(rollout, name, 0, size)
    condition = None
    if has_deadline(rollout.deployment):
        condition = new_condition(PROGRESSING, "True", NEW_CREATED, f'Created new replica set "{name}"')
    await _note(control, rollout, annotations_of(wanted)[REVISION], condition)


async def clean_up(control: Control, rollout: Rollout) -> None:
    """Delete the oldest of those that have no pods, if there are more than the deployment wants to keep."""
    limit = rollout.deployment["spec"].get("revisionHistoryLimit")
    if limit is None or limit == _KEEP_ALL:
        return
    kept = [each for each in rollout.old if not is_terminating(each)]
    surplus = len(kept) - limit
    if surplus <= 0:
        return
    for replica_set in sorted(kept, key=lambda each: (revision_of(each) or 0, *age_order(each)))[:surplus]:
        if _is_empty(replica_set):
            await control.delete_replica_set(rollout, replica_set)


def _replica_set(rollout: Rollout) -> JSONObject:
    deployment = rollout.deployment
    metadata, spec = deployment["metadata"], deployment["spec"]
    template = deepcopy(spec["template"])
    number = template_hash(template, (deployment.get("status") or {}).get("collisionCount"))
    labels = {**((template.get("metadata") or {}).get("labels") or {}), HASH_LABEL: number}
    template["metadata"] = {**(template.get("metadata") or {}), "labels": labels}
    selector = deepcopy(spec["selector"])
    selector["matchLabels"] = {**(selector.get("matchLabels") or {}), HASH_LABEL: number}
    replica_set: JSONObject = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": _name(metadata["name"], number),
            "namespace": metadata["namespace"],
            "labels": dict(labels),
            "ownerReferences": [controller_reference(deployment)],
        },
        "spec": {
            "replicas": new_size(deployment, total(rollout.old), 0),
            "selector": selector,
            "template": template,
        },
    }
    if spec.get("minReadySeconds"):
        replica_set["spec"]["minReadySeconds"] = spec["minReadySeconds"]
    annotations = revised(replica_set, deployment, highest_revision(rollout.old) + 1)
    return with_annotations(replica_set, annotations | size_annotations(deployment))


def _name(deployment: str, number: str) -> str:
    return f"{deployment[: _LONGEST_NAME - 1 - len(number)]}-{number}"


async def _take_existing(control: Control, rollout: Rollout, name: str) -> None:
    """It is ours if the informer is only late. Otherwise two templates have the same hash, and the next try makes
    another one of them."""
    existing = await control.existing_replica_set(rollout, name)
    deployment = rollout.deployment
    if is_controlled_by(existing, deployment) and same_template(
        existing["spec"]["template"], deployment["spec"]["template"]
    ):
        rollout.new = existing
        return
    status = deployment.get("status") or {}
    count = (status.get("collisionCount") or 0) + 1
    await control.force_status(rollout, deployment | {"status": status | {"collisionCount": count}})
    raise NotYet(f"replica set {name} is another one; the next try has collision count {count}")


async def _tell_failure(control: Control, rollout: Rollout, name: str, error: APIError) -> None:
    deployment = rollout.deployment
    message = f'Failed to create new replica set "{name}": {error}'
    control.events.warn(deployment, CREATE_FAILED, message)
    if has_deadline(deployment):
        condition = new_condition(PROGRESSING, "False", CREATE_FAILED, message)
        conditions = with_condition(conditions_of(deployment), condition)
        await control.write_status(rollout, (deployment.get("status") or {}) | {"conditions": conditions})


async def _note(control: Control, rollout: Rollout, revision: str, condition: JSONObject | None) -> None:
    """The revision, and what there is to say about it, if that is new."""
    deployment = rollout.deployment
    annotations = annotations_of(deployment)
    if annotations.get(REVISION, "") == revision and condition is None:
        return
    noted = with_annotations(deployment, annotations | {REVISION: revision})
    if condition is not None:
        conditions = with_condition(conditions_of(deployment), condition)
        noted["status"] = (deployment.get("status") or {}) | {"conditions": conditions}
    await control.force_status(rollout, noted)


def _is_empty(replica_set: JSONObject) -> bool:
    """And its controller knows that it is to be."""
    status = replica_set.get("status") or {}
    is_seen = status.get("observedGeneration", 0) >= replica_set["metadata"].get("generation", 0)
    return is_seen and not status.get("replicas") and not replicas(replica_set)
