"""Which secrets a pod refers to, and whether its account lets it.

An account says by an annotation that its pods may use no secrets but those that it names. Kubernetes:
limitSecretReferences in plugin/pkg/admission/serviceaccount, VisitPodSecretNames in pkg/api/pod.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from .containers import containers
from .plugin import annotations_of

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
