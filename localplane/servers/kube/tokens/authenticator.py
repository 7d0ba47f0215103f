"""Whom a service account's token speaks for, and whether it still does.

A token dies with its account, and with the pod, secret or node that it is bound to. Those that are kept in secrets are
another kind: see `legacy`. Kubernetes: pkg/serviceaccount (validator.Validate), authentication/serviceaccount.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from localplane.apiserver.authentication import Unauthenticated
from localplane.apiserver.authentication.bearer_token import bearer_token
from localplane.apiserver.authentication.service_accounts import groups_of, username
from localplane.apiserver.registry.lookup import Lookup
from localplane.apiserver.request import Request, User
from localplane.client import Client

from .legacy import legacy_owner
from .signing import LEGACY_ISSUER, InvalidToken, ServiceAccountTokens

JSONObject = dict[str, Any]

_LEEWAY: Final = 60
_INVALIDATED: Final = "service account token has been invalidated"
_EXTRA: Final = "authentication.kubernetes.io/"


class ServiceAccountAuthenticator:
    """`objects` and `client`, which notes uses, are asked for at each request: the server that has them is made with
    this one in it."""

    def __init__(
        self, tokens: ServiceAccountTokens, objects: Callable[[], Lookup], client: Callable[[], Client]
    ) -> None:
        self._tokens = tokens
        self._objects = objects
        self._client = client

    async def authenticate(self, request: Request) -> User | None:
        token = bearer_token(request)
        return None if token is None else await self._user_of(token, (), request.warnings)

    async def user_of(self, token: str, audiences: tuple[str, ...] = ()) -> User | None:
        """None if the token is none of ours; raises Unauthenticated if it is, and is no longer good. It must be meant
        for one of the audiences, or for this server if there are none."""
        return await self._user_of(token, audiences, [])

    async def _user_of(self, token: str, audiences: tuple[str, ...], warnings: list[str]) -> User | None:
        try:
            claims = self._tokens.claims_of(token)
        except InvalidToken as error:
            if "no JWT" in str(error):
                return None
            raise Unauthenticated(str(error)) from error
        if claims is None:
            return None
        meant = _audience(claims) or self._tokens.audiences  # those that say nothing are meant for us
        if not set(meant) & set(audiences or self._tokens.audiences):
            raise Unauthenticated(f"token audiences {list(meant)} is invalid for the target audiences")
        if claims["iss"] == LEGACY_ISSUER:
            return await legacy_owner(token, claims, self._objects(), self._client(), warnings)
        _check_times(claims)
        return await self._owner(claims)

    async def _owner(self, claims: JSONObject) -> User:
        about = claims.get("kubernetes.io") or {}
        namespace, account = about.get("namespace", ""), about.get("serviceaccount") or {}
        found = await self._live("serviceaccounts", namespace, account)
        if found is None:
            raise Unauthenticated(f"service account {namespace}/{account.get('name', '')} is gone")
        await self._check_binding(namespace, about)
        extra = _extra(claims, about)
        return User(username(namespace, account["name"]), uid=account["uid"], groups=groups_of(namespace), extra=extra)

    async def _check_binding(self, namespace: str, about: JSONObject) -> None:
        bound = [("secrets", namespace, "secret"), ("pods", namespace, "pod")]
        if "pod" not in about:
            bound.append(("nodes", "", "node"))
        for resource, place, kind in bound:
            if kind in about and await self._live(resource, place, about[kind]) is None:
                raise Unauthenticated(_INVALIDATED)

    async def _live(self, resource: str, namespace: str, reference: Mapping[str, str]) -> JSONObject | None:
        """The object that is meant: one that has its name but another uid is another one."""
        found = await self._objects().get(resource, namespace, reference.get("name", ""))
        return found if found is not None and found["metadata"].get("uid") == reference.get("uid") else None


def _audience(claims: JSONObject) -> list[str]:
    audience = claims.get("aud", [])
    return [audience] if isinstance(audience, str) else list(audience)


def _check_times(claims: JSONObject) -> None:
    now = time.time()
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
