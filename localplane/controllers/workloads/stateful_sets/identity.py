"""Who a pod of a stateful set is: its number, its name, its labels and its volumes.

Pure functions. Kubernetes: pkg/controller/statefulset/stateful_set_utils.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.ownership import controller_reference
from localplane.controllers.pods import is_available, is_ready, is_terminating, phase, pod_from_template
from localplane.controllers.workloads.revisions import REVISION_LABEL

POD_NAME_LABEL: Final = "statefulset.kubernetes.io/pod-name"
POD_INDEX_LABEL: Final = "apps.kubernetes.io/pod-index"
NO_ORDINAL: Final = -1
_LARGEST: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Membership:
    """What a pod's name says: whose it is, and which one. Without a parent it is nobody's."""

    parent: str = ""
    ordinal: int = NO_ORDINAL


def membership(pod: Mapping[str, Any]) -> Membership:
    parent, dash, digits = pod["metadata"]["name"].rpartition("-")
    if not dash or not (digits.isascii() and digits.isdecimal()):
        return Membership()
    is_short = len(digits.lstrip("0")) <= len(str(_LARGEST))
    return Membership(parent, int(digits) if is_short and int(digits) <= _LARGEST else NO_ORDINAL)


def ordinal_of(pod: Mapping[str, Any]) -> int:
    return membership(pod).ordinal


def is_member(stateful_set: Mapping[str, Any], pod: Mapping[str, Any]) -> bool:
    name: str = stateful_set["metadata"]["name"]
    return membership(pod).parent == name


def ordinals(stateful_set: Mapping[str, Any]) -> range:
    """The numbers that its pods are to have."""
    start = (stateful_set["spec"].get("ordinals") or {}).get("start", 0)
    return range(start, start + replicas_of(stateful_set))


def replicas_of(stateful_set: Mapping[str, Any]) -> int:
    return int(stateful_set["spec"].get("replicas", 1))


def min_ready(stateful_set: Mapping[str, Any]) -> timedelta:
    return timedelta(seconds=stateful_set["spec"].get("minReadySeconds", 0))


def is_parallel(stateful_set: Mapping[str, Any]) -> bool:
    return bool(stateful_set["spec"].get("podManagementPolicy") == "Parallel")


def pod_name(stateful_set: Mapping[str, Any], ordinal: int) -> str:
    return f"{stateful_set['metadata']['name']}-{ordinal}"


def claim_name(stateful_set: Mapping[str, Any], template: Mapping[str, Any], ordinal: int) -> str:
    return f"{template['metadata']['name']}-{pod_name(stateful_set, ordinal)}"


def claim_templates(stateful_set: Mapping[str, Any]) -> list[JSONObject]:
    return stateful_set["spec"].get("volumeClaimTemplates") or []


def claims_of(stateful_set: Mapping[str, Any], pod: Mapping[str, Any]) -> list[JSONObject]:
    """The claims that one of its pods needs, as they are to be created."""
    ordinal, selected = ordinal_of(pod), (stateful_set["spec"].get("selector") or {}).get("matchLabels") or {}
    claims = []
    for template in claim_templates(stateful_set):
        claim: JSONObject = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", **deepcopy(template)}
        metadata = claim["metadata"]
        metadata["name"] = claim_name(stateful_set, template, ordinal)
        metadata["namespace"] = stateful_set["metadata"]["namespace"]
        if labels := {**(metadata.get("labels") or {}), **selected}:
            metadata["labels"] = labels
        claims.append(claim)
    return claims


def has_identity(stateful_set: Mapping[str, Any], pod: Mapping[str, Any]) -> bool:
    """It is called what it is to be called, in its labels too."""
    member, name = membership(pod), pod["metadata"]["name"]
    return (
        member.ordinal >= 0
        and is_member(stateful_set, pod)
        and name == pod_name(stateful_set, member.ordinal)
        and (pod["metadata"].get("labels") or {}).get(POD_NAME_LABEL) == name
    )


def has_storage(stateful_set: Mapping[str, Any], pod: Mapping[str, Any]) -> bool:
    """For each of the set's claim templates it has a volume of that name with its own claim."""
    ordinal = ordinal_of(pod)
    claimed = {
        volume["name"]: (volume.get("persistentVolumeClaim") or {}).get("claimName")
        for volume in pod["spec"].get("volumes") or ()
    }
    return ordinal >= 0 and all(
        claimed.get(template["metadata"]["name"]) == claim_name(stateful_set, template, ordinal)
        for template in claim_templates(stateful_set)
    )


def give_identity(stateful_set: Mapping[str, Any], pod: JSONObject) -> None:
    ordinal, metadata = ordinal_of(pod), pod["metadata"]
    name = pod_name(stateful_set, ordinal)
    metadata["name"], metadata["namespace"] = name, stateful_set["metadata"]["namespace"]
    metadata["labels"] = {**(metadata.get("labels") or {}), POD_NAME_LABEL: name, POD_INDEX_LABEL: str(ordinal)}


def give_storage(stateful_set: Mapping[str, Any], pod: JSONObject) -> None:
    """A volume with the name of a claim template gives way to that claim."""
    ordinal, volumes = ordinal_of(pod), []
    for template in claim_templates(stateful_set):
        source = {"claimName": claim_name(stateful_set, template, ordinal)}
        volumes.append({"name": template["metadata"]["name"], "persistentVolumeClaim": source})
    claimed = {volume["name"] for volume in volumes}
    volumes += [volume for volume in pod["spec"].get("volumes") or () if volume["name"] not in claimed]
    if volumes:
        pod["spec"]["volumes"] = volumes


def new_pod(stateful_set: Mapping[str, Any], ordinal: int, revision: str) -> JSONObject:
    """The pod with this number, from the set's template, which is that of the revision."""
    pod = pod_from_template(stateful_set["spec"]["template"], stateful_set, controller_reference(stateful_set))
    pod["metadata"]["name"] = pod_name(stateful_set, ordinal)
    give_identity(stateful_set, pod)
    pod["metadata"]["labels"][REVISION_LABEL] = revision
    pod["spec"]["hostname"] = pod["metadata"]["name"]
    if subdomain := stateful_set["spec"].get("serviceName"):
        pod["spec"]["subdomain"] = subdomain
    give_storage(stateful_set, pod)
    return pod


def revision_of(pod: Mapping[str, Any]) -> str:
    return str((pod["metadata"].get("labels") or {}).get(REVISION_LABEL, ""))


def is_created(pod: Mapping[str, Any]) -> bool:
    """The server knows it: it gives every pod a phase."""
    return bool(phase(pod))


def is_running_and_ready(pod: Mapping[str, Any]) -> bool:
    return phase(pod) == "Running" and is_ready(pod)


def is_unavailable(pod: Mapping[str, Any], minimum: timedelta, moment: datetime) -> bool:
    return is_terminating(pod) or not is_available(pod, minimum, moment)
