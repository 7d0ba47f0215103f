"""Signed JWTs, and the keys that sign and check them: RFC 7515, 7517 and 7518, as far as Kubernetes uses them.

The cryptography is a maintained library's; the format is short enough to be read here. No message holds any of a token.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import orjson
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS, AsymmetricPadding, PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey, RSAPublicNumbers
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256, SHA384, SHA512, HashAlgorithm
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

PrivateKey: TypeAlias = RSAPrivateKey | ec.EllipticCurvePrivateKey
PublicKey: TypeAlias = RSAPublicKey | ec.EllipticCurvePublicKey

_HASHES: Final[Mapping[str, Callable[[], HashAlgorithm]]] = {"256": SHA256, "384": SHA384, "512": SHA512}
_CURVES: Final[Mapping[str, tuple[str, ec.EllipticCurve]]] = {
    "P-256": ("ES256", ec.SECP256R1()),
    "P-384": ("ES384", ec.SECP384R1()),
    "P-521": ("ES512", ec.SECP521R1()),
}
ALGORITHMS: Final = ("RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512")


class MalformedToken(ValueError):
    """It is no JWT."""


class UnusableKey(ValueError):
    """No tokens are signed with keys of this kind; the text says what it is."""


@dataclass(frozen=True, slots=True)
class SignedToken:
    """What a token says, before anybody knows whether it is true."""

    header: Mapping[str, Any]
    claims: dict[str, Any]
    signed: bytes
    signature: bytes

    @property
    def algorithm(self) -> str:
        return str(self.header.get("alg", ""))

    @property
    def key_id(self) -> str:
        return str(self.header.get("kid", ""))


def parse(token: str) -> SignedToken:
    """Raises MalformedToken."""
    try:
        header, claims, signature = token.split(".")
        parsed = orjson.loads(bytes_of(header)), orjson.loads(bytes_of(claims)), bytes_of(signature)
        signed = token.rpartition(".")[0].encode("ascii")
    except ValueError:
        raise MalformedToken("the token is no JWT") from None
    if not isinstance(parsed[0], dict) or not isinstance(parsed[1], dict):
        raise MalformedToken("the token is no JWT")
    return SignedToken(parsed[0], parsed[1], signed, parsed[2])


class VerificationKey:
    """A public key. `key_id` is the name by which tokens refer to it: by default Kubernetes', a hash of the key."""

    def __init__(self, key: PublicKey, *, key_id: str = "") -> None:
        """Raises UnusableKey."""
        self._key = key
        self.algorithm = _algorithm(key)
        der = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self.key_id = key_id or text_of(hashlib.sha256(der).digest())

    def has_signed(self, token: SignedToken) -> bool:
        """Whether the token's own algorithm is one of this key, and the signature is good."""
        if token.algorithm not in ALGORITHMS:
            return False
        try:
            if isinstance(self._key, RSAPublicKey):
                if not token.algorithm.startswith(("RS", "PS")):
                    return False
                self._key.verify(token.signature, token.signed, _padding(token.algorithm), _hash(token.algorithm))
            else:
                if token.algorithm != self.algorithm:
                    return False
                signature = _der_signature(token.signature, self._key.curve)
                self._key.verify(signature, token.signed, ec.ECDSA(_hash(token.algorithm)))
        except (InvalidSignature, ValueError):
            return False
        return True

    def jwk(self) -> dict[str, str]:
        """The form in which it is published."""
        named = {"use": "sig", "kid": self.key_id, "alg": self.algorithm}
        if isinstance(self._key, RSAPublicKey):
            numbers = self._key.public_numbers()
            modulus = numbers.n.to_bytes((numbers.n.bit_length() + 7) // 8, "big")
            exponent = numbers.e.to_bytes((numbers.e.bit_length() + 7) // 8, "big")
            return {**named, "kty": "RSA", "n": text_of(modulus), "e": text_of(exponent)}
        point, size = self._key.public_numbers(), _coordinate_bytes(self._key.curve)
        curve = next(name for name, (algorithm, _) in _CURVES.items() if algorithm == self.algorithm)
        x, y = (text_of(number.to_bytes(size, "big")) for number in (point.x, point.y))
        return {**named, "kty": "EC", "crv": curve, "x": x, "y": y}


class SigningKey:
    def __init__(self, key: PrivateKey) -> None:
        """Raises UnusableKey."""
        self._key = key
        self.public = VerificationKey(key.public_key())

    def signed(self, claims: Mapping[str, Any]) -> str:
        """A token of these claims."""
        header = orjson.dumps({"alg": self.public.algorithm, "kid": self.public.key_id})
        body = f"{text_of(header)}.{text_of(orjson.dumps(claims))}"
        return f"{body}.{text_of(self._signature(body.encode('ascii')))}"

    def _signature(self, data: bytes) -> bytes:
        hashed = _hash(self.public.algorithm)
        if isinstance(self._key, RSAPrivateKey):
            return self._key.sign(data, PKCS1v15(), hashed)
        numbers, size = decode_dss_signature(self._key.sign(data, ec.ECDSA(hashed))), _coordinate_bytes(self._key.curve)
        return b"".join(number.to_bytes(size, "big") for number in numbers)


def key_of_jwk(jwk: Any) -> VerificationKey:
    """Raises UnusableKey."""
    if not isinstance(jwk, Mapping):
        raise UnusableKey("a published key is an object")
    try:
        match jwk.get("kty"):
            case "RSA":
                key: PublicKey = RSAPublicNumbers(_number(jwk["e"]), _number(jwk["n"])).public_key()
            case "EC":
                curve = _CURVES[jwk["crv"]][1]
                key = ec.EllipticCurvePublicNumbers(_number(jwk["x"]), _number(jwk["y"]), curve).public_key()
            case other:
                raise UnusableKey(f"a key of type {other!r} signs no tokens here")
    except (KeyError, TypeError, ValueError) as error:
        raise UnusableKey("a published key can't be read") from error
    return VerificationKey(key, key_id=str(jwk.get("kid", "")))


def text_of(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def bytes_of(text: str) -> bytes:
    """Raises ValueError."""
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def _number(text: str) -> int:
    return int.from_bytes(bytes_of(text), "big")


def _algorithm(key: PublicKey) -> str:
    if isinstance(key, RSAPublicKey):
        return "RS256"
    for algorithm, curve in _CURVES.values():
        if curve.name == key.curve.name:
            return algorithm
    raise UnusableKey(f"unknown public key curve {key.curve.name}, must be 256, 384, or 521")


def _hash(algorithm: str) -> HashAlgorithm:
    return _HASHES[algorithm[2:]]()


def _padding(algorithm: str) -> AsymmetricPadding:
    if algorithm.startswith("RS"):
        return PKCS1v15()
    hashed = _hash(algorithm)
    return PSS(MGF1(hashed), hashed.digest_size)


def _coordinate_bytes(curve: ec.EllipticCurve) -> int:
    return (curve.key_size + 7) // 8


def _der_signature(signature: bytes, curve: ec.EllipticCurve) -> bytes:
    """Tokens have both numbers one after the other. Raises ValueError."""
    size = _coordinate_bytes(curve)
    if len(signature) != 2 * size:
        raise ValueError("the signature has another length")
    return encode_dss_signature(int.from_bytes(signature[:size], "big"), int.from_bytes(signature[size:], "big"))
