"""Whom a service account's token speaks for, and whether it still does.

A token dies with its account, and with the pod, secret or node that it is bound to, also if a finalizer keeps those
from going. Those that are kept in secrets are another kind: see `legacy`. Kubernetes: pkg/serviceaccount
(validator.Validate), authentication/serviceaccount.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from localplane.apimachinery.clock import timestamp
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.authentication import TokenHolder, Unauthenticated
from localplane.apiserver.authentication.service_accounts import groups_of, username
from localplane.apiserver.registry.lookup import Lookup
from localplane.apiserver.request import User
from localplane.client import Client

from .issuance import LEGACY_ISSUER, InvalidToken, ServiceAccountTokens
from .legacy import legacy_owner

_LEEWAY: Final = 60
_INVALIDATED: Final = "service account token has been invalidated"
_EXTRA: Final = "authentication.kubernetes.io/"


class ServiceAccountAuthenticator:
    """`client` notes uses."""

    def __init__(self, tokens: ServiceAccountTokens, objects: Lookup, client: Client) -> None:
        self._tokens = tokens
        self._objects = objects
        self._client = client

    async def holder(self, token: str, audiences: tuple[str, ...], warnings: list[str]) -> TokenHolder | None:
        """None if the token is none of ours; raises Unauthenticated if it is, and is no longer good. It must be meant
        for one of the audiences, or for this server if there are none."""
        try:
            claims = self._tokens.claims_of(token)
        except InvalidToken as error:
            if "no JWT" in str(error):
                return None
            raise Unauthenticated(str(error)) from error
        if claims is None:
            return None
        meant = _audience(claims) or self._tokens.audiences  # those that say nothing are meant for us
        wanted = audiences or self._tokens.audiences
        common = tuple(each for each in wanted if each in meant)
        if not common:
            listed = f"{_quoted(meant)} is invalid for the target audiences {_quoted(wanted)}"
            raise Unauthenticated(f"token audiences {listed}")
        if claims["iss"] == LEGACY_ISSUER:
            user = await legacy_owner(token, claims, self._objects, self._client, warnings)
        else:
            _check_times(claims)
            user = await self._owner(claims)
        return TokenHolder(user, common)

    async def _owner(self, claims: JSONObject) -> User:
        about = claims.get("kubernetes.io") or {}
        namespace, account = about.get("namespace", ""), about.get("serviceaccount") or {}
        name, uid = account.get("name", ""), account.get("uid", "")
        found = await self._objects.get("serviceaccounts", namespace, name)
        if found is None:
            raise Unauthenticated(f"serviceaccounts {go_quote(name)} not found")
        if found["metadata"].get("uid") != uid:
            raise Unauthenticated(f"service account UID ({found['metadata'].get('uid')}) does not match claim ({uid})")
        if _is_long_gone(found):
            raise Unauthenticated(f"service account {namespace}/{name} has been deleted")
        await self._check_binding(namespace, about)
        extra = _extra(claims, about)
        return User(username(namespace, account["name"]), uid=account["uid"], groups=groups_of(namespace), extra=extra)

    async def _check_binding(self, namespace: str, about: JSONObject) -> None:
        bound = [("secrets", namespace, "secret"), ("pods", namespace, "pod")]
        if "pod" not in about:
            bound.append(("nodes", "", "node"))
        for resource, place, kind in bound:
            if kind not in about:
                continue
            found = await self._objects.get(resource, place, about[kind].get("name", ""))
            if found is None or _is_long_gone(found):
                raise Unauthenticated(_INVALIDATED)
            uid, claimed = found["metadata"].get("uid"), about[kind].get("uid")
            if uid != claimed:
                claim = f"does not match service account {kind} ref claim ({claimed})"
                raise Unauthenticated(f"{kind} UID ({uid}) {claim}")


def _is_long_gone(obj: JSONObject) -> bool:
    """Deleted, and only held up by a finalizer or a grace period: what it vouched for ends a minute after it was to."""
    deleted = obj["metadata"].get("deletionTimestamp")
    return bool(deleted) and datetime.fromisoformat(deleted).timestamp() < timestamp() - _LEEWAY


def _quoted(audiences: Iterable[str]) -> str:
    """As Go shows a list of texts."""
    return f"[{' '.join(map(go_quote, audiences))}]"


def _audience(claims: JSONObject) -> list[str]:
    audience = claims.get("aud", [])
    return [audience] if isinstance(audience, str) else list(audience)


def _check_times(claims: JSONObject) -> None:
    now = timestamp()
    if claims.get("exp", 0) < now - _LEEWAY:
        raise Unauthenticated("service account token has expired")
    if claims.get("nbf", 0) > now + _LEEWAY:
        raise Unauthenticated("service account token is not valid yet")


def _extra(claims: JSONObject, about: JSONObject) -> dict[str, tuple[str, ...]]:
    """What else is known of the caller: the token's own name, and what it is bound to."""
    extra: dict[str, tuple[str, ...]] = {}
    if claims.get("jti"):
        extra[f"{_EXTRA}credential-id"] = (f"JTI={claims['jti']}",)
    for kind in ("pod", "node"):
        for field in ("name", "uid"):
            if (about.get(kind) or {}).get(field):
                extra[f"{_EXTRA}{kind}-{field}"] = (about[kind][field],)
    return extra
