"""What is in requests and certificates, and what is wrong with them, in the words of Go's crypto/x509.

The library is imported where it is used: it is a large one, and few clusters see a certificate in their objects.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509 import (
    BasicConstraints,
    DNSName,
    ExtensionNotFound,
    SubjectAlternativeName,
    load_der_x509_certificate,
    load_der_x509_csr,
)

from .pem import blocks

if TYPE_CHECKING:
    from cryptography.x509 import CertificateSigningRequest

_MALFORMED_REQUEST = "asn1: structure error: malformed certificate request"
_MALFORMED_CERTIFICATE = "x509: malformed certificate"


@dataclass(frozen=True, slots=True)
class CertificateFacts:
    """`public_key` is its encoded form, by which keys are compared."""

    not_before: datetime
    not_after: datetime
    public_key: bytes
    is_authority: bool
    dns_names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PublicKey:
    """`problem` is what pods' certificates may not have; `shown` is what a message says of it, if anything."""

    encoded: bytes
    problem: str = ""
    shown: str = ""


def request_problem(pem: bytes) -> str:
    """What is wrong with a request, nothing if it is well-formed and signed by its own key. Kubernetes:
    pkg/apis/certificates, ParseCSR."""
    block = next(blocks(pem), None)
    if block is None or block.kind != "CERTIFICATE REQUEST":
        return "PEM block type must be CERTIFICATE REQUEST"
    if not block.data:
        return "asn1: syntax error: sequence truncated"
    request = _request(block.data)
    return _MALFORMED_REQUEST if request is None else _signature_problem(request)


def _request(der: bytes) -> CertificateSigningRequest | None:
    try:
        return load_der_x509_csr(der)
    except ValueError:
        return None


def _signature_problem(request: CertificateSigningRequest) -> str:
    try:
        if request.is_signature_valid:
            return ""
        key = request.public_key()
    except (ValueError, UnsupportedAlgorithm):
        return "x509: cannot verify signature: algorithm unimplemented"
    if isinstance(key, RSAPublicKey):
        return "crypto/rsa: verification error"
    kind = "ECDSA" if isinstance(key, EllipticCurvePublicKey) else "Ed25519"
    return f"x509: {kind} verification failure"


def certificates_problem(pem: bytes) -> str:
    """What is wrong with a chain that was issued, nothing if every block is a certificate."""
    found = list(blocks(pem))
    for block in found:
        if block.kind != "CERTIFICATE":
            return f'only CERTIFICATE PEM blocks are allowed, found "{block.kind}"'
        if block.has_headers:
            return "no PEM block headers are permitted"
        if certificate(block.data) is None:
            return _MALFORMED_CERTIFICATE
    return "" if found else "must contain at least one CERTIFICATE PEM block"


def certificate(der: bytes) -> CertificateFacts | None:
    """None if it is none."""
    try:
        found = load_der_x509_certificate(der)
        key = found.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        extensions = found.extensions
    except (ValueError, UnsupportedAlgorithm):
        return None
    try:
        is_authority = extensions.get_extension_for_class(BasicConstraints).value.ca
    except ExtensionNotFound:
        is_authority = False
    try:
        names = extensions.get_extension_for_class(SubjectAlternativeName).value.get_values_for_type(DNSName)
    except ExtensionNotFound:
        names = []
    return CertificateFacts(found.not_valid_before_utc, found.not_valid_after_utc, key, is_authority, tuple(names))


def request_key(der: bytes) -> PublicKey | None:
    """The key of a request as pods send them; None if it is no request."""
    request = _request(der)
    if request is None:
        return None
    key = request.public_key()
    encoded = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    if isinstance(key, RSAPublicKey):
        wrong = key.key_size not in (3072, 4096)
        said = ("RSA keys must have modulus size 3072 or 4096", f"{key.key_size}-bit modulus") if wrong else ("", "")
    elif isinstance(key, EllipticCurvePublicKey):
        wrong = key.curve.key_size not in (256, 384, 521) or not key.curve.name.startswith("secp")
        curve = f"curve P-{key.curve.key_size}"
        said = ("elliptic public keys must use curve P256, P384, or P521", curve) if wrong else ("", "")
    elif isinstance(key, Ed25519PublicKey):
        said = ("", "")
    else:
        said = ("unknown public key type; supported types are Ed25519, ECDSA, and RSA", "")
    problem, shown = said
    if not problem and _signature_problem(request):
        problem = "invalid signature"
    return PublicKey(encoded, problem, shown)
