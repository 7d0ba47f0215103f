"""Who signs the tokens of service accounts, and whose signatures are believed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, Self

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from localplane.apimachinery.clock import timestamp
from localplane.apiserver.authentication.jwt import MalformedToken, PrivateKey, SigningKey, VerificationKey, parse

from .keys import EarlierKey, earlier_key, own_key, read_signing_key, read_verification_keys

ISSUER: Final = "https://kubernetes.default.svc.cluster.local"
LEGACY_ISSUER: Final = "kubernetes/serviceaccount"
"""The issuer of tokens that are kept in secrets."""


class InvalidToken(ValueError):
    """Not a token of ours. The text never holds any of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Issuance:
    """What is said in tokens and of them. Tokens are signed in the name of the first issuer, and believed if they are
    of any. `audiences` are of tokens for this server: by default the issuers. `jwks_uri` is where others find the keys;
    by default on this server."""

    issuers: tuple[str, ...] = (ISSUER,)
    audiences: tuple[str, ...] = ()
    jwks_uri: str = ""
    longest: timedelta | None = None


class ServiceAccountTokens:
    """Signs with one key, and believes what that key or one of `others` has signed; and while the key is renewed, what
    the one before it has, which signs for a moment longer."""

    def __init__(
        self,
        key: PrivateKey,
        *,
        others: Sequence[VerificationKey] = (),
        issuance: Issuance | None = None,
        earlier: EarlierKey | None = None,
    ) -> None:
        """Raises UnusableKey for one that no token is signed with."""
        issuance = issuance or Issuance()
        self._key = SigningKey(key)
        self._earlier = SigningKey(earlier.key) if earlier else None
        self._earlier_until = earlier.until if earlier else 0.0
        self._issuers = frozenset((*issuance.issuers, LEGACY_ISSUER))
        self.issuer = issuance.issuers[0]
        self.audiences = issuance.audiences or issuance.issuers
        self.jwks_uri = issuance.jwks_uri
        self.longest = issuance.longest
        own = (self._key.public, self._earlier.public) if self._earlier else (self._key.public,)
        known = {each.key_id: each for each in (*own, *others)}
        self.keys = tuple(known.values())
        self.key_id = self._key.public.key_id
        self.algorithm = self._key.public.algorithm

    @classmethod
    async def open(
        cls,
        path: Path,
        *,
        spare: RSAPrivateKey | None = None,
        signing_key: Path | None = None,
        key_files: Sequence[Path] = (),
        issuance: Issuance | None = None,
    ) -> Self:
        """With the key of a file, which is made if it is not there, unless there is a `spare` one. `signing_key` is
        somebody's own key instead, and `key_files` have those that are believed beside it. Raises InvalidOptions."""

        def read() -> tuple[PrivateKey, EarlierKey | None, list[VerificationKey]]:
            if signing_key is not None:
                return read_signing_key(signing_key), None, read_verification_keys(key_files)
            return own_key(path, spare), earlier_key(path), read_verification_keys(key_files)

        key, earlier, others = await asyncio.to_thread(read)
        return cls(key, others=others, issuance=issuance, earlier=earlier)

    def sign(self, claims: Mapping[str, Any]) -> str:
        """A token of these claims, with our name as the issuer's unless it is one to be kept in a secret."""
        issuer = LEGACY_ISSUER if claims.get("iss") == LEGACY_ISSUER else self.issuer
        key = self._earlier if self._earlier is not None and timestamp() < self._earlier_until else self._key
        return key.signed({**claims, "iss": issuer})

    def claims_of(self, token: str) -> dict[str, Any] | None:
        """What a token of ours says; None if somebody else has issued it. Raises InvalidToken for a forged one."""
        try:
            signed = parse(token)
        except MalformedToken as error:
            raise InvalidToken(str(error)) from None
        if signed.claims.get("iss") not in self._issuers:
            return None
        if all(signed.algorithm != key.algorithm for key in self.keys):
            raise InvalidToken("the token is signed in a way that this server does not use")
        named = [key for key in self.keys if key.key_id == signed.key_id] or self.keys
        if not any(key.algorithm == signed.algorithm and key.has_signed(signed) for key in named):
            raise InvalidToken("the token's signature is not ours")
        return signed.claims
