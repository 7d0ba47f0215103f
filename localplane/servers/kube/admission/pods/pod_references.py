"""What a pod or a volume refers to, which is what a kubelet needs to run it.

Kubernetes: plugin/pkg/auth/authorizer/node/graph.go, AddPod and AddPV; pkg/api/v1/pod and pkg/api/v1/persistentvolume.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from localplane.apimachinery.fieldpath import Path
from localplane.servers.kube.admission.plugin import annotations_of

# Which secrets a pod refers to, and whether its account lets it.
#
# An account says by an annotation that its pods may use no secrets but those that it names. Kubernetes:
# limitSecretReferences in plugin/pkg/admission/serviceaccount, VisitPodSecretNames in pkg/api/pod.


JSONObject = Mapping[str, Any]
_ANNOTATION: Final = "kubernetes.io/enforce-mountable-secrets"
_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_VOLUMES: Final = {
    "azureFile": "secretName",
    "secret": "secretName",
    "cephfs": "secretRef",
    "cinder": "secretRef",
    "flexVolume": "secretRef",
    "rbd": "secretRef",
    "scaleIO": "secretRef",
    "iscsi": "secretRef",
    "storageos": "secretRef",
    "csi": "nodePublishSecretRef",
}


class SecretNotAllowed(ValueError):
    """In Kubernetes' words."""


def is_enforced(account: JSONObject) -> bool:
    return annotations_of(dict(account)).get(_ANNOTATION, "") in _TRUE


def check_secrets(pod: JSONObject, account: JSONObject) -> None:
    """Raises SecretNotAllowed."""
    allowed, name = _names(account.get("secrets") or ()), account["metadata"]["name"]
    for volume in pod.get("volumes") or ():
        if "secret" in volume and volume["secret"].get("secretName", "") not in allowed:
            secret = volume["secret"].get("secretName", "")
            raise _not_allowed(f'volume with secret.secretName="{secret}"', name)
    _check_environments(pod.get("initContainers") or (), "init container", allowed, name)
    _check_environments(pod.get("containers") or (), "container", allowed, name)
    pulling = _names(account.get("imagePullSecrets") or ())
    for index, reference in enumerate(pod.get("imagePullSecrets") or ()):
        if reference.get("name", "") not in pulling:
            what = f'imagePullSecrets[{index}].name="{reference.get("name", "")}"'
            raise _not_allowed(what, name, kind="imagePullSecret")


def check_ephemeral_secrets(pod: JSONObject, account: JSONObject) -> None:
    """Raises SecretNotAllowed."""
    allowed, name = _names(account.get("secrets") or ()), account["metadata"]["name"]
    _check_environments(pod.get("ephemeralContainers") or (), "ephemeral container", allowed, name)


def secret_names(pod: JSONObject) -> Iterator[str]:
    for reference in pod.get("imagePullSecrets") or ():
        yield reference.get("name", "")
    for container in containers(pod):
        for _, name in _environment_secrets(container):
            yield name
    for volume in pod.get("volumes") or ():
        for kind, field in _VOLUMES.items():
            if kind in volume and field in volume[kind]:
                found = volume[kind][field]
                yield found if isinstance(found, str) else found.get("name", "")
        for source in (volume.get("projected") or {}).get("sources") or ():
            if "secret" in source:
                yield source["secret"].get("name", "")


def _check_environments(group: Iterable[JSONObject], kind: str, allowed: set[str], account: str) -> None:
    for container in group:
        for where, secret in _environment_secrets(container):
            if secret not in allowed:
                what = f'{kind} {container.get("name", "")} with {where} referencing secret.secretName="{secret}"'
                raise _not_allowed(what, account)


def _environment_secrets(container: JSONObject) -> Iterator[tuple[str, str]]:
    for variable in container.get("env") or ():
        source = variable.get("valueFrom") or {}
        if "secretKeyRef" in source:
            yield f"envVar {variable.get('name', '')}", source["secretKeyRef"].get("name", "")
    for source in container.get("envFrom") or ():
        if "secretRef" in source:
            yield "envFrom", source["secretRef"].get("name", "")


def _names(references: Iterable[JSONObject]) -> set[str]:
    return {reference.get("name", "") for reference in references}


def _not_allowed(what: str, account: str, *, kind: str = "secret") -> SecretNotAllowed:
    return SecretNotAllowed(f"{what} is not allowed because service account {account} does not reference that {kind}")


# All containers of a pod, in the order in which Kubernetes visits them. Kubernetes: pkg/api/pod, VisitContainers.

LISTS = ("initContainers", "containers", "ephemeralContainers")


def containers(pod_spec: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name in LISTS:
        yield from pod_spec.get(name) or ()


def containers_with_paths(pod_spec: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], Path]]:
    for name in LISTS:
        for index, container in enumerate(pod_spec.get(name) or ()):
            yield container, (Path("spec") / name)[index]


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
