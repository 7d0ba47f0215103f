"""Tokens that are kept in secrets: they have no end and are meant for this server, and die with their secret.

Their use is noted on the secret, by day, so that those that nobody uses can be cleaned up. Kubernetes:
pkg/serviceaccount/legacy.go.
"""

from __future__ import annotations

import binascii
import hmac
import logging
from base64 import b64decode
from collections.abc import Mapping
from contextlib import suppress
from datetime import date, timedelta
from typing import Any, Final

from localplane.apimachinery.clock import present
from localplane.apimachinery.errors import AlreadyExists, APIError, Conflict, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.authentication import Unauthenticated
from localplane.apiserver.authentication.service_accounts import groups_of, username
from localplane.apiserver.registry.lookup import Lookup
from localplane.apiserver.request import User
from localplane.client import Client, ClientError, GroupVersionResource, PatchType

_log = logging.getLogger(__name__)
_SECRETS: Final = GroupVersionResource("", "v1", "secrets")
_CLAIM: Final = "kubernetes.io/serviceaccount/"
_INVALID_SINCE: Final = "kubernetes.io/legacy-token-invalid-since"
_LAST_USED: Final = "kubernetes.io/legacy-token-last-used"
_INVALIDATED: Final = "Token has been invalidated"
_AUTO_GENERATED: Final = (
    "Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated "
    "secret-based tokens."
)


class _Claims:
    """What such a token says. Raises Unauthenticated if it says too little, or contradicts itself."""

    def __init__(self, claims: Mapping[str, Any]) -> None:
        self.namespace = _claimed(claims, "namespace", "namespace")
        self.secret = _claimed(claims, "secret.name", "secretName")
        self.account = _claimed(claims, "service-account.name", "serviceAccountName")
        self.account_uid = _claimed(claims, "service-account.uid", "serviceAccountUID")
        if claims.get("sub") != username(self.namespace, self.account):
            raise Unauthenticated("sub claim is invalid")


def _claimed(claims: Mapping[str, Any], name: str, word: str) -> str:
    found = claims.get(f"{_CLAIM}{name}")
    if not isinstance(found, str) or not found:
        raise Unauthenticated(f"{word} claim is missing")
    return found


async def legacy_owner(
    token: str, claims: Mapping[str, Any], objects: Lookup, client: Client, warnings: list[str]
) -> User:
    """Whose it is, as long as the secret and the account are there. Raises Unauthenticated."""
    said = _Claims(claims)
    secret = await objects.get("secrets", said.namespace, said.secret)
    if secret is None or secret["metadata"].get("deletionTimestamp"):
        raise Unauthenticated(_INVALIDATED)
    if not _is_kept_in(secret, token):
        raise Unauthenticated("Token does not match server's copy")
    account = await objects.get("serviceaccounts", said.namespace, said.account)
    where = f"{said.namespace}/{said.account}"
    if account is None or account["metadata"].get("deletionTimestamp"):
        raise Unauthenticated(f"ServiceAccount {where} has been deleted")
    if account["metadata"]["uid"] != said.account_uid:
        uid = account["metadata"]["uid"]
        raise Unauthenticated(f"ServiceAccount UID ({uid}) does not match claim ({said.account_uid})")
    await _note_use(secret, client)
    if (secret["metadata"].get("labels") or {}).get(_INVALID_SINCE):
        raise Unauthenticated(
            f"the token in secret {said.namespace}/{said.secret} for service account {where} has been marked invalid. "
            "Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the "
            f"'{_INVALID_SINCE}' label from the secret to temporarily allow use of this token"
        )
    if any(reference.get("name") == said.secret for reference in account.get("secrets") or ()):
        warnings.append(_AUTO_GENERATED)
    groups = groups_of(said.namespace)
    return User(username(said.namespace, said.account), uid=said.account_uid, groups=groups)


def _is_kept_in(secret: JSONObject, token: str) -> bool:
    try:
        kept = b64decode((secret.get("data") or {}).get("token", ""))
    except binascii.Error:
        return False
    return hmac.compare_digest(kept, token.encode())


async def _note_use(secret: JSONObject, client: Client) -> None:
    """Once a day. Whether it is noted does not decide about the request."""
    now = present().date()
    last_used = (secret["metadata"].get("labels") or {}).get(_LAST_USED)
    if last_used in (now.isoformat(), (now + timedelta(days=1)).isoformat()):
        return
    metadata = secret["metadata"]
    patch = {"metadata": {"uid": metadata["uid"], "labels": {_LAST_USED: now.isoformat()}}}
    try:
        await client.resource(_SECRETS, metadata["namespace"]).patch(metadata["name"], patch, PatchType.MERGE)
    except (APIError, ClientError) as error:
        _log.error("the use of the token in %s/%s is not noted: %s", metadata["namespace"], metadata["name"], error)


# The configmap that tells since when the use of legacy tokens is noted: before that, nobody knows who was used.
#
# Kubernetes: pkg/controlplane/controller/legacytokentracking.

_CONFIG_MAPS: Final = GroupVersionResource("", "v1", "configmaps")
_NAME: Final = "kube-apiserver-legacy-service-account-token-tracking"
_NAMESPACE: Final = "kube-system"
_KEY: Final = "since"


async def track_legacy_tokens(client: Client) -> None:
    """Make it, or mend it if it tells no day."""
    config_maps = client.resource(_CONFIG_MAPS, _NAMESPACE)
    data = {_KEY: present().date().isoformat()}
    with suppress(AlreadyExists, Conflict):  # another server on the same store was faster
        try:
            found = await config_maps.get(_NAME)
        except NotFound:
            metadata = {"name": _NAME, "namespace": _NAMESPACE}
            await config_maps.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
            return
        if not _tells_a_day(found):
            await config_maps.update(found | {"data": (found.get("data") or {}) | data})


def _tells_a_day(config_map: dict[str, Any]) -> bool:
    try:
        date.fromisoformat((config_map.get("data") or {}).get(_KEY, ""))
    except ValueError:
        return False
    return True
