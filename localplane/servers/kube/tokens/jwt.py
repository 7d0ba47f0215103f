"""Signed JWTs, RS256: forty lines on a maintained library for the cryptography, so no library for the format."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Self

import orjson
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from localplane.apiserver.server.certificates.signing_key import new_signing_key
from localplane.apiserver.storage.data_directory import DataDirectoryUnusable, write_atomically

ISSUER: Final = "https://kubernetes.default.svc.cluster.local"
LEGACY_ISSUER: Final = "kubernetes/serviceaccount"
"""The issuer of tokens that are kept in secrets."""


class InvalidToken(ValueError):
    """Not a token of ours. The text never holds any of it."""


class ServiceAccountTokens:
    """Signs with one key, and believes what that key has signed. `issuer` is also the audience of tokens for us."""

    algorithm: Final = "RS256"

    def __init__(self, key: RSAPrivateKey, *, issuer: str = ISSUER) -> None:
        self._key = key
        self._public = key.public_key()
        self.issuer = issuer
        self.audiences: tuple[str, ...] = (issuer,)
        der = self._public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self.key_id = _text(hashlib.sha256(der).digest())

    @classmethod
    async def open(cls, path: Path, *, spare: RSAPrivateKey | None = None, issuer: str = ISSUER) -> Self:
        """With the key of a file, which is made if it is not there, unless there is a `spare` one."""
        return cls(await asyncio.to_thread(_key_of, path, spare), issuer=issuer)

    def sign(self, claims: Mapping[str, Any]) -> str:
        """A token of these claims, with our name as the issuer's unless it is one to be kept in a secret."""
        issuer = LEGACY_ISSUER if claims.get("iss") == LEGACY_ISSUER else self.issuer
        head = orjson.dumps({"alg": self.algorithm, "kid": self.key_id})
        body = f"{_text(head)}.{_text(orjson.dumps({**claims, 'iss': issuer}))}"
        signature = self._key.sign(body.encode("ascii"), PKCS1v15(), SHA256())
        return f"{body}.{_text(signature)}"

    def claims_of(self, token: str) -> dict[str, Any] | None:
        """What a token of ours says; None if somebody else has issued it. Raises InvalidToken for a forged one."""
        head, claims, signature = _parts(token)
        if claims.get("iss") not in (self.issuer, LEGACY_ISSUER):
            return None
        if head.get("alg") != self.algorithm:
            raise InvalidToken("the token is signed in a way that this server does not use")
        try:
            self._public.verify(signature, token.rpartition(".")[0].encode("ascii"), PKCS1v15(), SHA256())
        except InvalidSignature:
            raise InvalidToken("the token's signature is not ours") from None
        return claims

    def jwk(self) -> dict[str, str]:
        """The public key, in the form in which it is published."""
        numbers = self._public.public_numbers()
        return {
            "use": "sig",
            "kty": "RSA",
            "kid": self.key_id,
            "alg": self.algorithm,
            "n": _text(numbers.n.to_bytes((numbers.n.bit_length() + 7) // 8, "big")),
            "e": _text(numbers.e.to_bytes(3, "big")),
        }


def _key_of(path: Path, spare: RSAPrivateKey | None) -> RSAPrivateKey:
    if path.exists():
        return _read_key(path)
    made = spare or new_signing_key()
    pem = made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(path, pem)
    return made


def _read_key(path: Path) -> RSAPrivateKey:
    """Never replaced by a new one: that would silently refuse every token that was signed with it."""
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm, OSError) as error:
        raise DataDirectoryUnusable(
            f"the key that signs tokens can't be read from {path} ({_first_line(error)}): put it back from a copy; or "
            "remove it, and another one is made, but tokens that were signed with it are refused then"
        ) from error
    if not isinstance(key, RSAPrivateKey):
        raise DataDirectoryUnusable(f"{path} holds no RSA key: put the right one there, or remove it")
    return key


def _first_line(error: Exception) -> str:
    return str(error).partition(".")[0].partition("\n")[0] or type(error).__name__


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _bytes(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def _parts(token: str) -> tuple[dict[str, Any], dict[str, Any], bytes]:
    try:
        head, claims, signature = token.split(".")
        parsed = orjson.loads(_bytes(head)), orjson.loads(_bytes(claims)), _bytes(signature)
    except ValueError:
        raise InvalidToken("the token is no JWT") from None
    if not isinstance(parsed[0], dict) or not isinstance(parsed[1], dict):
        raise InvalidToken("the token is no JWT")
    return parsed
