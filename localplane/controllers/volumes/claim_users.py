"""Which pods use a claim.

Kubernetes: pkg/controller/volume/common (PodPVCIndexFunc) and component-helpers/storage/ephemeral.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.client import GroupVersionResource, Indexer, SharedInformer, object_key
from localplane.controllers.ownership import is_controlled_by
from localplane.controllers.pods import is_terminal, is_terminating

CLAIMS: Final = GroupVersionResource("", "v1", "persistentvolumeclaims")
VOLUMES: Final = GroupVersionResource("", "v1", "persistentvolumes")
STORAGE_CLASSES: Final = GroupVersionResource("storage.k8s.io", "v1", "storageclasses")
CLAIM_INDEX: Final = "pod-pvc-index"
"""Pods by `namespace/name` of the claims that they name."""


def ephemeral_claim_name(pod: Mapping[str, Any], volume: Mapping[str, Any]) -> str:
    return f"{pod['metadata']['name']}-{volume['name']}"


def claim_keys(pod: Mapping[str, Any]) -> list[str]:
    """Of all claims that a pod names, those included that may be made for its ephemeral volumes."""
    return [f"{pod['metadata']['namespace']}/{name}" for name in _claim_names(pod)]


def _claim_names(pod: Mapping[str, Any]) -> list[str]:
    names = []
    for volume in pod["spec"].get("volumes") or ():
        if (source := volume.get("persistentVolumeClaim")) is not None:
            names.append(source["claimName"])
        elif volume.get("ephemeral") is not None:
            names.append(ephemeral_claim_name(pod, volume))
    return names


def index_by_claim(pods: SharedInformer) -> Indexer:
    """The informer's pods, to be found by CLAIM_INDEX. May be called by several."""
    if not pods.indexer.has_index(CLAIM_INDEX):
        pods.indexer.add_indexers({CLAIM_INDEX: claim_keys})
    return pods.indexer


def uses(pod: Mapping[str, Any], claim: Mapping[str, Any]) -> bool:
    """It names the claim, or the claim was made for it."""
    return any(
        names_claim(volume, claim) or is_made_for(volume, pod, claim) for volume in pod["spec"].get("volumes") or ()
    )


def names_claim(volume: Mapping[str, Any], claim: Mapping[str, Any]) -> bool:
    source = volume.get("persistentVolumeClaim")
    return source is not None and source["claimName"] == claim["metadata"]["name"]


def is_made_for(volume: Mapping[str, Any], pod: Mapping[str, Any], claim: Mapping[str, Any]) -> bool:
    """The claim is that of the pod's ephemeral volume, and not just of the same name."""
    return (
        volume.get("ephemeral") is not None
        and ephemeral_claim_name(pod, volume) == claim["metadata"]["name"]
        and is_controlled_by(claim, pod)
    )


def is_terminated(pod: Mapping[str, Any]) -> bool:
    """It has ended, or is to go and no container of it runs. Kubernetes: pkg/volume/util, IsPodTerminated."""
    if is_terminal(pod):
        return True
    status = pod.get("status") or {}
    kinds = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")
    states = [container.get("state") or {} for kind in kinds for container in status.get(kind) or ()]
    return is_terminating(pod) and all("terminated" in state or "waiting" in state for state in states)


def unfinished_users(pods: Indexer, claim_key: str) -> list[JSONObject]:
    return [pod for pod in pods.index(CLAIM_INDEX, claim_key) if not is_terminated(pod)]


def reference_to(claim: Mapping[str, Any]) -> JSONObject:
    """What a volume says about its claim. Kubernetes: client-go/tools/reference, GetReference."""
    metadata = claim["metadata"]
    return {
        "kind": "PersistentVolumeClaim",
        "namespace": metadata["namespace"],
        "name": metadata["name"],
        "uid": metadata["uid"],
        "apiVersion": "v1",
        "resourceVersion": metadata["resourceVersion"],
    }


def claim_key_of(volume: Mapping[str, Any]) -> str:
    """The claim that a volume says it is for; empty if it says none."""
    reference = volume["spec"].get("claimRef")
    return object_key({"metadata": reference}) if reference else ""
