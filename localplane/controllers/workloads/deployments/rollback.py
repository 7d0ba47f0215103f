"""Going back to an earlier revision in the way of old, by an annotation. Today clients write the template themselves.

Kubernetes: pkg/controller/deployment/rollback.go.
"""

from __future__ import annotations

from copy import deepcopy

from localplane.apimachinery.objects import JSONObject

from .control import Control
from .revisions import (
    ROLLBACK,
    annotations_of,
    copied_annotations,
    last_revision,
    own_annotations,
    revision_of,
    rollback_of,
    with_annotations,
)
from .rollout import Rollout
from .templates import HASH_LABEL, same_template

_NOT_FOUND = "DeploymentRollbackRevisionNotFound"
_UNCHANGED = "DeploymentRollbackTemplateUnchanged"
_DONE = "DeploymentRollback"


async def roll_back(control: Control, rollout: Rollout) -> None:
    """Done or not, nobody asks for it afterwards."""
    deployment = rollout.deployment
    revision = rollback_of(deployment) or last_revision(rollout.all)
    if not revision:
        control.events.warn(deployment, _NOT_FOUND, "Unable to find last revision.")
        await _clear(control, rollout, deployment)
        return
    target = next((each for each in rollout.all if revision_of(each) == revision), None)
    if target is None:
        control.events.warn(deployment, _NOT_FOUND, "Unable to find the revision to rollback to.")
        await _clear(control, rollout, deployment)
        return
    name = deployment["metadata"]["name"]
    if same_template(deployment["spec"]["template"], target["spec"]["template"]):
        message = f'The rollback revision contains the same template as current deployment "{name}"'
        control.events.warn(deployment, _UNCHANGED, message)
        await _clear(control, rollout, deployment)
        return
    await _clear(control, rollout, _with_template_of(deployment, target))
    control.events.normal(deployment, _DONE, f'Rolled back deployment "{name}" to revision {revision}')


def _with_template_of(deployment: JSONObject, replica_set: JSONObject) -> JSONObject:
    """With its annotations too, which say for example why there was that revision."""
    template = deepcopy(replica_set["spec"]["template"])
    ((template.get("metadata") or {}).get("labels") or {}).pop(HASH_LABEL, None)
    annotations = own_annotations(deployment) | copied_annotations(replica_set)
    return with_annotations(deployment, annotations) | {"spec": deployment["spec"] | {"template": template}}


async def _clear(control: Control, rollout: Rollout, deployment: JSONObject) -> None:
    annotations = {key: value for key, value in annotations_of(deployment).items() if key != ROLLBACK}
    await control.write_spec(rollout, with_annotations(deployment, annotations))
