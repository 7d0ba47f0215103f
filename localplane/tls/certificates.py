"""A certificate with all of it that decides whom it speaks for, read once. Go: crypto/x509 (parseCertificate)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from ipaddress import IPv4Address, IPv6Address
from typing import Final, Self, TypeVar

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.x509.oid import ExtensionOID, NameOID, SignatureAlgorithmOID

_Kind = TypeVar("_Kind", bound=x509.ExtensionType)

_LARGEST_RSA_KEY: Final = 8192  # Go's limit in TLS: one signature of a larger key takes longer than a request may
_SAFE_HASHES: Final = (hashes.SHA256, hashes.SHA384, hashes.SHA512)
_INSECURE: Final = {
    SignatureAlgorithmOID.RSA_WITH_MD5: "MD5-RSA",
    SignatureAlgorithmOID.RSA_WITH_SHA1: "SHA1-RSA",
    SignatureAlgorithmOID.ECDSA_WITH_SHA1: "ECDSA-SHA1",
}
_UNIMPLEMENTED: Final = "x509: cannot verify signature: algorithm unimplemented"
_UNDERSTOOD: Final = frozenset(
    {
        ExtensionOID.KEY_USAGE,
        ExtensionOID.BASIC_CONSTRAINTS,
        ExtensionOID.SUBJECT_ALTERNATIVE_NAME,
        ExtensionOID.NAME_CONSTRAINTS,
        ExtensionOID.EXTENDED_KEY_USAGE,
        ExtensionOID.CRL_DISTRIBUTION_POINTS,
        ExtensionOID.CERTIFICATE_POLICIES,
    }
)
"""Whoever marks another one as critical says that a certificate that is not understood is not to be believed."""


class MalformedCertificate(ValueError):
    """It can't be read."""


class BadSignature(Exception):
    """One certificate did not sign another, or may not; the text is Go's."""


@dataclass(frozen=True)
class Certificate:
    """`raw` is its DER."""

    raw: bytes
    parsed: x509.Certificate

    @classmethod
    def load(cls, raw: bytes) -> Self:
        try:
            parsed = x509.load_der_x509_certificate(raw)
            certificate = cls(raw, parsed)
            certificate.extensions  # noqa: B018 - what can't be read fails here, and nowhere else
            certificate.not_after  # noqa: B018
        except (ValueError, x509.DuplicateExtension, x509.UnsupportedGeneralNameType) as error:
            raise MalformedCertificate(f"x509: malformed certificate: {error}") from error
        return certificate

    @cached_property
    def extensions(self) -> x509.Extensions:
        return self.parsed.extensions

    @cached_property
    def subject(self) -> bytes:
        return self.parsed.subject.public_bytes()

    @cached_property
    def issuer(self) -> bytes:
        return self.parsed.issuer.public_bytes()

    @cached_property
    def not_before(self) -> datetime:
        return self.parsed.not_valid_before_utc

    @cached_property
    def not_after(self) -> datetime:
        return self.parsed.not_valid_after_utc

    @cached_property
    def name(self) -> str:
        """By which people know it."""
        for kind in (NameOID.COMMON_NAME, NameOID.ORGANIZATION_NAME):
            for attribute in self.parsed.subject.get_attributes_for_oid(kind):
                if attribute.value:
                    return str(attribute.value)
        return f"serial:{self.parsed.serial_number}"

    @cached_property
    def common_name(self) -> str:
        names = self.parsed.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
        return str(names[-1].value) if names else ""

    @cached_property
    def public_key(self) -> bytes | None:
        """None for one of a kind, or of a size, that signs nothing for us."""
        try:
            key = self.parsed.public_key()
        except (ValueError, UnsupportedAlgorithm):
            return None
        if isinstance(key, RSAPublicKey) and key.key_size > _LARGEST_RSA_KEY:
            return None
        return key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)

    @cached_property
    def alternative_names(self) -> x509.SubjectAlternativeName | None:
        return self._extension(x509.SubjectAlternativeName)

    @cached_property
    def dns_names(self) -> list[str]:
        return self.alternative_names.get_values_for_type(x509.DNSName) if self.alternative_names else []

    @cached_property
    def addresses(self) -> list[IPv4Address | IPv6Address]:
        found: Iterable[object] = (
            self.alternative_names.get_values_for_type(x509.IPAddress) if self.alternative_names else ()
        )
        return [each for each in found if isinstance(each, IPv4Address | IPv6Address)]

    @cached_property
    def basic_constraints(self) -> x509.BasicConstraints | None:
        return self._extension(x509.BasicConstraints)

    @cached_property
    def name_constraints(self) -> x509.NameConstraints | None:
        return self._extension(x509.NameConstraints)

    @cached_property
    def purposes(self) -> frozenset[str]:
        """What it may be used for, as object identifiers; none means anything."""
        usage = self._extension(x509.ExtendedKeyUsage)
        return frozenset(each.dotted_string for each in usage) if usage else frozenset()

    @cached_property
    def key_identifier(self) -> bytes:
        found = self._extension(x509.SubjectKeyIdentifier)
        return found.digest if found else b""

    @cached_property
    def issuer_key_identifier(self) -> bytes:
        found = self._extension(x509.AuthorityKeyIdentifier)
        return (found.key_identifier or b"") if found else b""

    @cached_property
    def is_understood(self) -> bool:
        """Whether every extension that is critical is one that is looked at here."""
        return all(each.oid in _UNDERSTOOD for each in self.extensions if each.critical)

    def check_signed_by(self, parent: Certificate) -> None:
        """Raises BadSignature. Go: Certificate.CheckSignatureFrom."""
        constraints = parent.basic_constraints
        if (constraints is None and parent.parsed.version is x509.Version.v3) or (constraints and not constraints.ca):
            raise BadSignature("x509: invalid signature: parent certificate cannot sign this kind of certificate")
        usage = parent._extension(x509.KeyUsage)
        if usage is not None and not usage.key_cert_sign:
            raise BadSignature("x509: invalid signature: parent certificate cannot sign this kind of certificate")
        try:
            digest = self.parsed.signature_hash_algorithm
            if digest is not None and not isinstance(digest, _SAFE_HASHES):
                raise BadSignature(_unsafe(self.parsed.signature_algorithm_oid))
            self.parsed.verify_directly_issued_by(parent.parsed)
        except InvalidSignature:
            raise BadSignature(_wrong_signature(parent)) from None
        except (ValueError, TypeError, UnsupportedAlgorithm):
            raise BadSignature(_UNIMPLEMENTED) from None

    def _extension(self, kind: type[_Kind]) -> _Kind | None:
        try:
            return self.extensions.get_extension_for_class(kind).value
        except x509.ExtensionNotFound:
            return None


def _unsafe(algorithm: x509.ObjectIdentifier) -> str:
    name = _INSECURE.get(algorithm)
    return f"x509: cannot verify signature: insecure algorithm {name}" if name else _UNIMPLEMENTED


def _wrong_signature(parent: Certificate) -> str:
    return (
        "crypto/rsa: verification error"
        if isinstance(parent.parsed.public_key(), RSAPublicKey)
        else ("x509: ECDSA verification failure")
    )
