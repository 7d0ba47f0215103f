"""ID tokens of an OpenID provider: its keys are fetched when the first of its tokens comes, and again when one is
signed with a key that is not known yet.

Kubernetes: apiserver/plugin/pkg/authenticator/token/oidc, on go-oidc.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from localplane.apimachinery.clock import timestamp
from localplane.apimachinery.golang.text import go_quote
from localplane.apiserver.request import User

from .bearer_token import TokenHolder
from .interface import Unauthenticated
from .jwt import MalformedToken, SignedToken, UnusableKey, VerificationKey, key_of_jwk, parse

_CONFIGURATION: Final = "/.well-known/openid-configuration"
_REST_SECONDS: Final = 10.0
"""Nobody can make us ask the provider more often than this: whoever sends tokens chooses their keys' names."""
_LEEWAY: Final = 300
"""How far ahead a token's beginning may be. Kubernetes: go-oidc's leeway."""

Fetch = Callable[[str], Awaitable[Mapping[str, Any]]]
"""The JSON document at a URL. Raises OSError or ValueError, with the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """Whose tokens are believed, and how they are read. `username_prefix` and `groups_prefix` are final: nothing stands
    for "the default" here."""

    issuer: str
    client_id: str
    username_claim: str = "sub"
    username_prefix: str = ""
    groups_claim: str = ""
    groups_prefix: str = ""
    required_claims: tuple[tuple[str, str], ...] = ()
    algorithms: tuple[str, ...] = ("RS256",)


class OIDCAuthenticator:
    """Knows the tokens that `provider` has issued."""

    def __init__(self, provider: Provider, fetch: Fetch, *, clock: Callable[[], float] = timestamp) -> None:
        self._provider = provider
        self._fetch = fetch
        self._clock = clock
        self._keys: list[VerificationKey] = []
        self._fetched = float("-inf")
        self._problem = ""
        self._fetching = asyncio.Lock()

    async def holder(self, token: str, audiences: tuple[str, ...], warnings: list[str]) -> TokenHolder | None:  # noqa: ARG002 - its audience is its own
        """Raises Unauthenticated for one that the provider has issued and that is not good."""
        try:
            signed = parse(token)
        except MalformedToken:
            return None
        if signed.claims.get("iss") != self._provider.issuer:
            return None
        await self._check_signature(signed)
        self._check_claims(signed.claims)
        return TokenHolder(self._user(signed.claims))

    async def _check_signature(self, token: SignedToken) -> None:
        if token.algorithm not in self._provider.algorithms:
            wanted = " ".join(map(go_quote, self._provider.algorithms))
            raise Unauthenticated(
                f"oidc: id token signed with unsupported algorithm, expected [{wanted}] got {go_quote(token.algorithm)}"
            )
        if self._has_signed(token):
            return
        await self._fetch_keys()
        if self._problem:
            raise Unauthenticated(f"oidc: authenticator not initialized: {self._problem}")
        if not self._has_signed(token):
            raise Unauthenticated("oidc: verify token: failed to verify signature: failed to verify id token signature")

    def _has_signed(self, token: SignedToken) -> bool:
        named = [key for key in self._keys if key.key_id == token.key_id or not token.key_id]
        return any(key.has_signed(token) for key in named)

    async def _fetch_keys(self) -> None:
        async with self._fetching:
            if self._clock() - self._fetched < _REST_SECONDS:
                return
            try:
                self._keys = await self._published_keys()
                self._problem = ""
            except (OSError, ValueError) as error:
                if not self._keys:
                    self._problem = str(error)
            self._fetched = self._clock()

    async def _published_keys(self) -> list[VerificationKey]:
        issuer = self._provider.issuer
        configuration = await self._fetch(issuer.rstrip("/") + _CONFIGURATION)
        if configuration.get("issuer") != issuer:
            shown = go_quote(str(configuration.get("issuer", "")))
            raise ValueError(
                f"oidc: issuer did not match the issuer returned by provider, expected {go_quote(issuer)} got {shown}"
            )
        documents = (await self._fetch(str(configuration.get("jwks_uri", "")))).get("keys")
        keys = []
        for document in documents if isinstance(documents, list) else ():
            try:
                keys.append(key_of_jwk(document))
            except UnusableKey:
                continue  # others may be for something else
        return keys

    def _check_claims(self, claims: Mapping[str, Any]) -> None:
        provider, now = self._provider, self._clock()
        meant = claims.get("aud")
        listed = [meant] if isinstance(meant, str) else meant if isinstance(meant, list) else []
        if provider.client_id not in listed:
            shown = " ".join(go_quote(str(each)) for each in listed)
            raise Unauthenticated(
                f"oidc: verify token: oidc: expected audience {go_quote(provider.client_id)} got [{shown}]"
            )
        if not isinstance(claims.get("exp"), (int, float)) or claims["exp"] < now:
            raise Unauthenticated("oidc: verify token: oidc: token is expired")
        if isinstance(claims.get("nbf"), (int, float)) and claims["nbf"] > now + _LEEWAY:
            raise Unauthenticated("oidc: verify token: oidc: current time is before the nbf (not before) time")
        for name, value in provider.required_claims:
            if name not in claims:
                raise Unauthenticated(f"oidc: required claim {name} not present in ID token")
            if claims[name] != value:
                raise Unauthenticated(
                    f"oidc: required claim {name} value does not match. Got = {claims[name]}, want = {value}"
                )

    def _user(self, claims: Mapping[str, Any]) -> User:
        provider = self._provider
        name = claims.get(provider.username_claim)
        if not isinstance(name, str):
            raise Unauthenticated(f"oidc: parse username claims {go_quote(provider.username_claim)}: claim not present")
        if provider.username_claim == "email" and claims.get("email_verified", True) is not True:
            raise Unauthenticated("oidc: email not verified")
        if not name and not provider.username_prefix:
            raise Unauthenticated("username claim value can't be empty")
        extra = {}
        if isinstance(claims.get("jti"), str):
            extra["authentication.kubernetes.io/credential-id"] = (f"JTI={claims['jti']}",)
        return User(provider.username_prefix + name, groups=tuple(self._groups(claims)), extra=extra)

    def _groups(self, claims: Mapping[str, Any]) -> list[str]:
        """One group or several."""
        said = claims.get(self._provider.groups_claim, []) if self._provider.groups_claim else []
        groups = [said] if isinstance(said, str) else said
        if not isinstance(groups, list) or not all(isinstance(group, str) for group in groups):
            raise Unauthenticated(
                f"oidc: parse groups claim {go_quote(self._provider.groups_claim)}: neither text nor a list of it"
            )
        return [self._provider.groups_prefix + group for group in groups]
