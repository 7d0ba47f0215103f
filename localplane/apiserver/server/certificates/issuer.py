"""Keys and certificates: ECDSA on P-256, as small and as fast as TLS has them.

Imported only when something must be issued: `cryptography` takes longer to load than the server takes to start.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_CLOCK_SKEW = timedelta(hours=24)  # a client whose clock is a little behind must not see the future
_LEAF_YEARS = timedelta(days=365)
_AUTHORITY_YEARS = timedelta(days=3650)  # kubeconfigs carry it; renewing it would invalidate them all


@dataclass(frozen=True, slots=True)
class Issued:
    """PEM for the files."""

    certificate: bytes
    key: bytes
    not_after: datetime


@dataclass(frozen=True, slots=True)
class Authority:
    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @classmethod
    def make(cls, at: datetime, *, name: str = "localplane-ca") -> Self:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"{name}@{int(at.timestamp())}")])
        usage = _key_usage(signs_certificates=True)
        certificate = (
            _builder(subject, key, at, _AUTHORITY_YEARS)
            .issuer_name(subject)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(usage, critical=True)
            .sign(key, hashes.SHA256())
        )
        return cls(certificate, key)

    @classmethod
    def load(cls, certificate: Path, key: Path, *, good_until: datetime) -> Self | None:
        """None if there is none, if it can't be read, or if it is over too soon."""
        try:
            loaded = cls.of_pem(certificate.read_bytes(), key.read_bytes())
        except (OSError, ValueError, TypeError):
            return None
        return loaded if loaded.not_after > good_until else None

    @classmethod
    def of_pem(cls, certificate: bytes, key: bytes) -> Self:
        """Raises ValueError or TypeError for what is none."""
        loaded = x509.load_pem_x509_certificate(certificate)
        private = serialization.load_pem_private_key(key, password=None)
        if not isinstance(private, ec.EllipticCurvePrivateKey) or loaded.public_key() != private.public_key():
            raise ValueError("the key is not that of the authority's certificate")
        return cls(loaded, private)

    @property
    def not_after(self) -> datetime:
        return self.certificate.not_valid_after_utc

    @property
    def certificate_pem(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def key_pem(self) -> bytes:
        return _key_pem(self.key)

    def issue_server(self, addresses: Sequence[str], at: datetime) -> Issued:
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localplane")])
        names = x509.SubjectAlternativeName([_general_name(address) for address in addresses])
        return self._issue(name, ExtendedKeyUsageOID.SERVER_AUTH, at, names)

    def issue_client(self, user: str, group: str, at: datetime) -> Issued:
        """As Kubernetes reads it: the common name is the user, the organization a group, if there is one."""
        groups = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group)] if group else []
        name = x509.Name([*groups, x509.NameAttribute(NameOID.COMMON_NAME, user)])
        return self._issue(name, ExtendedKeyUsageOID.CLIENT_AUTH, at, None)

    def _issue(
        self, name: x509.Name, purpose: x509.ObjectIdentifier, at: datetime, names: x509.SubjectAlternativeName | None
    ) -> Issued:
        key = ec.generate_private_key(ec.SECP256R1())
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key())
        builder = (
            _builder(name, key, at, _LEAF_YEARS)
            .issuer_name(self.certificate.subject)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_key_usage(signs_certificates=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
            .add_extension(issuer, critical=False)
        )
        if names is not None:
            builder = builder.add_extension(names, critical=False)
        certificate = builder.sign(self.key, hashes.SHA256())
        pem = certificate.public_bytes(serialization.Encoding.PEM)
        return Issued(pem, _key_pem(key), certificate.not_valid_after_utc)


def _builder(
    name: x509.Name, key: ec.EllipticCurvePrivateKey, at: datetime, lasts: timedelta
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(at - _CLOCK_SKEW)
        .not_valid_after(at + lasts)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _general_name(address: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(address))
    except ValueError:
        return x509.DNSName(address)


def _key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
