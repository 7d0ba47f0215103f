"""What a pod or a volume refers to, which is what a kubelet needs to run it.

Kubernetes: plugin/pkg/auth/authorizer/node/graph.go, AddPod and AddPV; pkg/api/v1/pod and pkg/api/v1/persistentvolume.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from .containers import containers
from .mountable_secrets import secret_names

JSONObject = Mapping[str, Any]

_MIRROR: Final = "kubernetes.io/config.mirror"
# The kubelet reads these itself; a CSI driver's controller has secrets of its own.
_NODE_SECRETS: Final = ("nodePublishSecretRef", "nodeStageSecretRef", "nodeExpandSecretRef")


def is_mirror(pod: JSONObject) -> bool:
    """It mirrors what a kubelet runs on its own account."""
    return _MIRROR in ((pod.get("metadata") or {}).get("annotations") or {})


def pod_references(pod: JSONObject) -> Iterator[str]:
    """`secrets/name` and so on, all in the pod's namespace. What a node made itself gives it access to nothing."""
    if is_mirror(pod):
        return
    spec, status = pod.get("spec") or {}, pod.get("status") or {}
    if account := spec.get("serviceAccountName"):
        yield f"serviceaccounts/{account}"
    for name in secret_names(spec):
        yield f"secrets/{name}"
    for name in config_map_names(spec):
        yield f"configmaps/{name}"
    for volume in spec.get("volumes") or ():
        if "persistentVolumeClaim" in volume:
            yield f"persistentvolumeclaims/{volume['persistentVolumeClaim'].get('claimName', '')}"
        elif "ephemeral" in volume:
            yield f"persistentvolumeclaims/{pod['metadata']['name']}-{volume['name']}"
    for name in _claim_names(spec, status):
        yield f"resourceclaims/{name}"


def config_map_names(spec: JSONObject) -> Iterator[str]:
    """Kubernetes: VisitPodConfigmapNames."""
    for container in containers(spec):
        for source in container.get("envFrom") or ():
            if "configMapRef" in source:
                yield source["configMapRef"].get("name", "")
        for variable in container.get("env") or ():
            if "configMapKeyRef" in (variable.get("valueFrom") or {}):
                yield variable["valueFrom"]["configMapKeyRef"].get("name", "")
    for volume in spec.get("volumes") or ():
        for source in (volume, *((volume.get("projected") or {}).get("sources") or ())):
            if "configMap" in source:
                yield source["configMap"].get("name", "")


def _claim_names(spec: JSONObject, status: JSONObject) -> Iterator[str]:
    """Claims that the pod names, and those that were made for it."""
    made = {each.get("name"): each.get("resourceClaimName") for each in status.get("resourceClaimStatuses") or ()}
    for claim in spec.get("resourceClaims") or ():
        if name := claim.get("resourceClaimName") or made.get(claim.get("name")):
            yield name
    if name := (status.get("extendedResourceClaimStatus") or {}).get("resourceClaimName"):
        yield name


def volume_secrets(volume: JSONObject) -> Iterator[str]:
    """`namespace/name` of the secrets that a kubelet needs to mount it. Kubernetes: VisitPVSecretNames."""
    spec = volume.get("spec") or {}
    claimed_in = (spec.get("claimRef") or {}).get("namespace", "")
    if (file := spec.get("azureFile")) is not None:
        yield _place(file.get("secretNamespace") or claimed_in, file.get("secretName", ""))
    for kind in ("cephfs", "flexVolume", "rbd", "scaleIO", "iscsi"):
        if (reference := (spec.get(kind) or {}).get("secretRef")) is not None:
            yield _place(reference.get("namespace") or claimed_in, reference.get("name", ""))
    for kind in ("cinder", "storageos"):
        if (reference := (spec.get(kind) or {}).get("secretRef")) is not None:
            yield _place(reference.get("namespace", ""), reference.get("name", ""))
    for field in _NODE_SECRETS:
        if (reference := (spec.get("csi") or {}).get(field)) is not None:
            yield _place(reference.get("namespace", ""), reference.get("name", ""))


def _place(namespace: str, name: str) -> str:
    return f"{namespace}/{name}"
