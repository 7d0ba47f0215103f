"""ServiceAccount: every pod runs as an account that is there, with its token mounted and its pull secrets.

Kubernetes: plugin/pkg/admission/serviceaccount.
"""

from __future__ import annotations

import asyncio
from typing import Final

from localplane.apimachinery.names import generate_name
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.admission import Attributes, Operation
from localplane.servers.kube.admission.plugin import (
    PODS,
    WRITES,
    LookingPlugin,
    SelectivePlugin,
    annotations_of,
    refused,
    spec,
    written,
)

from .pod_references import SecretNotAllowed, check_ephemeral_secrets, check_secrets, is_enforced, secret_names

_DEFAULT: Final = "default"
_MIRROR: Final = "kubernetes.io/config.mirror"
_VOLUME: Final = "kube-api-access-"
_PLACE: Final = "/var/run/secrets/kubernetes.io/serviceaccount"
_EXPIRATION_SECONDS: Final = 3607
"""An hour and a little, by which a server knows tokens that it may let live on."""

_ATTEMPTS: Final = 10
_PAUSE_SECONDS: Final = 0.15


class ServiceAccount(LookingPlugin, SelectivePlugin):
    name = "ServiceAccount"
    operations = WRITES
    resources = (PODS,)

    async def admit(self, attributes: Attributes) -> None:
        if attributes.operation is not Operation.CREATE or attributes.subresource:
            return
        pod = written(attributes)
        if _MIRROR not in annotations_of(pod):
            account = await self._account_of(attributes, spec(pod))
            if _is_mounted(spec(pod), account):
                _mount_token(spec(pod))
            if not spec(pod).get("imagePullSecrets") and account.get("imagePullSecrets"):
                spec(pod)["imagePullSecrets"] = [
                    {"name": each["name"]} if each.get("name") else {} for each in account["imagePullSecrets"]
                ]
        await self.validate(attributes)

    async def validate(self, attributes: Attributes) -> None:
        if attributes.subresource == "ephemeralcontainers" and attributes.operation is Operation.UPDATE:
            await self._check(attributes, ephemeral=True)
        elif attributes.operation is Operation.CREATE and not attributes.subresource:
            if _MIRROR in annotations_of(written(attributes)):
                _check_mirror(attributes)
            else:
                await self._check(attributes, ephemeral=False)

    async def _check(self, attributes: Attributes, *, ephemeral: bool) -> None:
        pod = written(attributes)
        if not spec(pod).get("serviceAccountName"):
            where = f"{attributes.namespace}/{pod['metadata'].get('name', '')}"
            raise refused(attributes, f"no service account specified for pod {where}")
        account = await self._account(attributes, spec(pod)["serviceAccountName"])
        if not is_enforced(account):
            return
        try:
            (check_ephemeral_secrets if ephemeral else check_secrets)(spec(pod), account)
        except SecretNotAllowed as error:
            raise refused(attributes, str(error)) from error

    async def _account_of(self, attributes: Attributes, pod: JSONObject) -> JSONObject:
        if not pod.get("serviceAccountName"):
            pod["serviceAccountName"] = pod["serviceAccount"] = _DEFAULT
        return await self._account(attributes, pod["serviceAccountName"])

    async def _account(self, attributes: Attributes, name: str) -> JSONObject:
        """The default one is made by a controller, and may come a little later than its namespace."""
        namespace = attributes.namespace
        for attempt in range(_ATTEMPTS if name == _DEFAULT else 1):
            if attempt:
                await asyncio.sleep(_PAUSE_SECONDS)
            if (found := await self.objects.get("serviceaccounts", namespace, name)) is not None:
                return found
        why = f'error looking up service account {namespace}/{name}: serviceaccount "{name}" not found'
        raise refused(attributes, why)


def _is_mounted(pod: JSONObject, account: JSONObject) -> bool:
    """What the pod says, or else the account."""
    field = "automountServiceAccountToken"
    return bool(pod.get(field, account.get(field, True)))


def _mount_token(pod: JSONObject) -> None:
    volumes: list[JSONObject] = pod.get("volumes") or []
    there = next((each["name"] for each in volumes if each.get("name", "").startswith(_VOLUME)), "")
    name = there or generate_name(_VOLUME)
    is_needed = False
    for containers in ("initContainers", "containers"):
        for container in pod.get(containers) or ():
            mounts = container.get("volumeMounts") or []
            if not any(mount.get("mountPath") == _PLACE for mount in mounts):
                container["volumeMounts"] = [*mounts, {"name": name, "readOnly": True, "mountPath": _PLACE}]
                is_needed = True
    if is_needed and not there:
        pod["volumes"] = [*volumes, {"name": name, "projected": _token_volume()}]


def _token_volume() -> JSONObject:
    certificate = {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}
    namespace = {"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}
    sources = [
        {"serviceAccountToken": {"expirationSeconds": _EXPIRATION_SECONDS, "path": "token"}},
        {"configMap": certificate},
        {"downwardAPI": {"items": [namespace]}},
    ]
    return {"defaultMode": 0o644, "sources": sources}


def _check_mirror(attributes: Attributes) -> None:
    """Pods that a node runs by itself have no account and no secrets."""
    pod = spec(written(attributes))
    if pod.get("serviceAccountName"):
        raise refused(attributes, "a mirror pod may not reference service accounts")
    if next(secret_names(pod), None) is not None:
        raise refused(attributes, "a mirror pod may not reference secrets")
    projected = (volume.get("projected") or {} for volume in pod.get("volumes") or ())
    if any("serviceAccountToken" in source for each in projected for source in each.get("sources") or ()):
        raise refused(attributes, "a mirror pod may not use ServiceAccountToken volume projections")
