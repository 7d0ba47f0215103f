"""A certificate and the key that belongs to it. Kubernetes asks Go's tls.X509KeyPair; these are its words."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any, NamedTuple

from kctl.errors import KctlError

from .sources import failed_call, reason

_BLOCK = re.compile(rb"(?:^|\n)-----BEGIN ([^\n]*?)-----[ \t\r]*\n(.*?)\n?-----END \1-----[ \t\r]*(?=\n|$)", re.DOTALL)


class _Block(NamedTuple):
    type: str
    content: bytes


def read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise KctlError(f"Cannot read file {path}, {failed_call(error)} {path}: {reason(error)}") from error


def check_key_pair(certificate: bytes, key: bytes) -> None:
    """Raises KctlError."""
    der = _certificate_block(_blocks(certificate))
    key_der = _key_block(_blocks(key))
    public = _public_key(der)
    private = _private_key(key_der)
    if type(private.public_key()) is not type(public):
        raise KctlError("tls: private key type does not match public key type")
    if private.public_key() != public:
        raise KctlError("tls: private key does not match public key")


def _blocks(text: bytes) -> list[_Block]:
    """Kubernetes: Go's encoding/pem. Headers, which only encrypted keys have, are no part of the content."""
    found = []
    for match in _BLOCK.finditer(text):
        body = match[2].rpartition(b"\n\n")[2] if b": " in match[2] else match[2]
        try:
            found.append(_Block(match[1].decode(), base64.b64decode(b"".join(body.split()), validate=True)))
        except ValueError:
            continue
    return found


def _certificate_block(blocks: list[_Block]) -> bytes:
    for block in blocks:
        if block.type == "CERTIFICATE":
            return block.content
    if not blocks:
        raise KctlError("tls: failed to find any PEM data in certificate input")
    if len(blocks) == 1 and blocks[0].type.endswith("PRIVATE KEY"):
        raise KctlError(
            "tls: failed to find certificate PEM data in certificate input, but did find a private key; "
            "PEM inputs may have been switched"
        )
    raise KctlError(
        'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following '
        f"types: [{' '.join(block.type for block in blocks)}]"
    )


def _key_block(blocks: list[_Block]) -> bytes:
    for block in blocks:
        if block.type == "PRIVATE KEY" or block.type.endswith(" PRIVATE KEY"):
            return block.content
    if not blocks:
        raise KctlError("tls: failed to find any PEM data in key input")
    if len(blocks) == 1 and blocks[0].type == "CERTIFICATE":
        raise KctlError("tls: found a certificate rather than a key in the PEM for the private key")
    raise KctlError(
        'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the '
        f"following types: [{' '.join(block.type for block in blocks)}]"
    )


def _public_key(der: bytes) -> Any:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.x509 import load_der_x509_certificate

    try:
        public = load_der_x509_certificate(der).public_key()
    except (ValueError, UnsupportedAlgorithm) as error:
        raise KctlError("x509: malformed certificate") from error
    if _family(public) is None:
        raise KctlError("tls: unknown public key algorithm")
    return public


def _private_key(der: bytes) -> Any:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_der_private_key

    try:
        private = load_der_private_key(der, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise KctlError("tls: failed to parse private key") from error
    if _family(private.public_key()) is None:
        raise KctlError("tls: found unknown private key type in PKCS#8 wrapping")
    return private


def _family(public: Any) -> type | None:
    """What Go's TLS knows to use."""
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

    return next(
        (one for one in (RSAPublicKey, EllipticCurvePublicKey, Ed25519PublicKey) if isinstance(public, one)), None
    )
