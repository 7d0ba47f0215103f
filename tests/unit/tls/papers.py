"""Certificates of every kind for tests: chains, short lives, odd names, small keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

SERVER, CLIENT = ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH
Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey


@dataclass(frozen=True)
class Paper:
    certificate: x509.Certificate
    key: Key

    @property
    def der(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.DER)

    @property
    def pem(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def key_pem(self) -> bytes:
        return self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )

    def written(self, directory: Path, name: str, *above: Paper) -> tuple[Path, Path]:
        """The files of a certificate with those above it, and of its key."""
        chain, key = directory / f"{name}.crt", directory / f"{name}.key"
        chain.write_bytes(b"".join(paper.pem for paper in (self, *above)))
        key.write_bytes(self.key_pem)
        return chain, key


def issue(
    name: str,
    issuer: Paper | None = None,
    *,
    ca: bool | None = False,
    path_length: int | None = None,
    hosts: Sequence[str] | None = (),
    organization: str = "",
    purposes: Sequence[x509.ObjectIdentifier] = (),
    age: timedelta = timedelta(hours=1),
    lasts: timedelta = timedelta(hours=1),
    key: Key | None = None,
    extensions: Sequence[tuple[x509.ExtensionType, bool]] = (),
    digest: hashes.SHA224 | hashes.SHA256 | None = None,
) -> Paper:
    """Signed by itself without an issuer. `ca` None leaves the basic constraints out, `hosts` None the names."""
    key = key or ec.generate_private_key(ec.SECP256R1())
    now = datetime.now(UTC).replace(microsecond=0)
    attributes = [x509.NameAttribute(NameOID.COMMON_NAME, name)] if name else []
    if organization:
        attributes.append(x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization))
    subject = x509.Name(attributes)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.certificate.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - age)
        .not_valid_after(now + lasts)
    )
    if ca is not None:
        constraints = x509.BasicConstraints(ca=ca, path_length=path_length if ca else None)
        builder = builder.add_extension(constraints, critical=True)
    if hosts:
        builder = builder.add_extension(x509.SubjectAlternativeName([_host(each) for each in hosts]), critical=False)
    if purposes:
        builder = builder.add_extension(x509.ExtendedKeyUsage(list(purposes)), critical=False)
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical=critical)
    return Paper(builder.sign(issuer.key if issuer else key, digest or hashes.SHA256()), key)


def _host(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)
