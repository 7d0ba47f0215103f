"""Signs what was approved, for the four signers of `kubernetes.io`, with the authority that the server believes.

Kubernetes: pkg/controller/certificates (signer, authority).
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final, cast

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.types import CertificateIssuerPrivateKeyTypes
from cryptography.x509.oid import ExtendedKeyUsageOID

from localplane.apimachinery.clock import present
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import now
from localplane.client import Client, Lister, WorkQueue, object_key
from localplane.controllers.context import CertificateAuthority, ControllerContext
from localplane.controllers.worker import NotYet, hearing, work

from .requests import (
    ACCOUNT,
    API_SERVER_CLIENT,
    KUBELET_CLIENT,
    KUBELET_SERVING,
    LEGACY_UNKNOWN,
    REQUESTS,
    alternative_names,
    has_failed,
    is_approved,
    is_issued,
    objection,
    parsed,
)

_SIGNERS: Final = (API_SERVER_CLIENT, KUBELET_CLIENT, KUBELET_SERVING, LEGACY_UNKNOWN)
_LONGEST: Final = timedelta(days=365)
_SHORTEST: Final = timedelta(minutes=10)
_BACKDATED: Final = timedelta(minutes=5)
# A certificate that is good for less than this keeps its end where it was asked for.
_SHORT: Final = timedelta(hours=8)
_KEY_USAGES: Final = {
    "signing": "digital_signature",
    "digital signature": "digital_signature",
    "content commitment": "content_commitment",
    "key encipherment": "key_encipherment",
    "key agreement": "key_agreement",
    "data encipherment": "data_encipherment",
    "cert sign": "key_cert_sign",
    "crl sign": "crl_sign",
    "encipher only": "encipher_only",
    "decipher only": "decipher_only",
}
_PURPOSES: Final = {
    "any": ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE,
    "server auth": ExtendedKeyUsageOID.SERVER_AUTH,
    "client auth": ExtendedKeyUsageOID.CLIENT_AUTH,
    "code signing": ExtendedKeyUsageOID.CODE_SIGNING,
    "email protection": ExtendedKeyUsageOID.EMAIL_PROTECTION,
    "s/mime": ExtendedKeyUsageOID.EMAIL_PROTECTION,
    "ipsec end system": x509.ObjectIdentifier("1.3.6.1.5.5.7.3.5"),
    "ipsec tunnel": x509.ObjectIdentifier("1.3.6.1.5.5.7.3.6"),
    "ipsec user": x509.ObjectIdentifier("1.3.6.1.5.5.7.3.7"),
    "timestamping": ExtendedKeyUsageOID.TIME_STAMPING,
    "ocsp signing": ExtendedKeyUsageOID.OCSP_SIGNING,
    "microsoft sgc": x509.ObjectIdentifier("1.3.6.1.4.1.311.10.3.3"),
    "netscape sgc": x509.ObjectIdentifier("2.16.840.1.113730.4.1"),
}
"""In the order in which a certificate lists them."""


async def start(context: ControllerContext) -> None:
    queue = WorkQueue[str]()
    requests = context.informers.informer(REQUESTS)
    signer = _Signer(context.client_of(ACCOUNT), requests.lister, context.authority)
    await requests.wait_for_sync()
    with hearing(requests, lambda request: queue.add(object_key(request)), deletions=False):
        await work(queue, signer.sync)


class _Signer:
    """Without an authority it tells what fails, and signs nothing."""

    def __init__(self, client: Client, requests: Lister, authority: CertificateAuthority | None) -> None:
        self._client = client
        self._requests = requests
        self._authority = authority

    async def sync(self, name: str) -> None:
        """Raises APIError and NotYet."""
        request = self._requests.get(name)
        if request is None or is_issued(request) or not is_approved(request) or has_failed(request):
            return
        spec = request["spec"]
        if spec.get("signerName") not in _SIGNERS:
            return
        csr, usages = parsed(request), spec.get("usages") or ()
        if (reason := objection(csr, usages, spec["signerName"])) is not None:
            await self._fail(request, reason)
        elif self._authority is not None:
            lifetime = _lifetime(spec.get("expirationSeconds"))
            certificate = signed(csr, usages, lifetime, self._authority, at=present())
            status = request["status"] | {"certificate": base64.b64encode(certificate).decode()}
            await self._client.resource(REQUESTS).update(request | {"status": status}, subresource="status")

    async def _fail(self, request: JSONObject, reason: str) -> None:
        failure = {
            "type": "Failed",
            "status": "True",
            "reason": "SignerValidationFailure",
            "message": reason,
            "lastUpdateTime": now(),
        }
        status = request["status"] | {"conditions": [*(request["status"].get("conditions") or ()), failure]}
        await self._client.resource(REQUESTS).update(request | {"status": status}, subresource="status")


def _lifetime(seconds: int | None) -> timedelta:
    return _LONGEST if seconds is None else min(max(timedelta(seconds=seconds), _SHORTEST), _LONGEST)


def signed(
    csr: x509.CertificateSigningRequest,
    usages: Sequence[str],
    lifetime: timedelta,
    authority: CertificateAuthority,
    *,
    at: datetime,
) -> bytes:
    """The certificate in PEM. Of what the request asks for only its names are taken. Raises NotYet."""
    try:
        issuer = x509.load_pem_x509_certificate(authority.certificate.read_bytes())
        key = serialization.load_pem_private_key(authority.key.read_bytes(), password=None)
        begin, end = _period(lifetime, issuer.not_valid_after_utc, at)
        builder = (
            x509.CertificateBuilder()
            .subject_name(csr.subject)
            .issuer_name(issuer.subject)
            .public_key(csr.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(begin)
            .not_valid_after(end)
        )
        for extension in _extensions(csr, usages, issuer):
            builder = builder.add_extension(extension.value, critical=extension.critical)
        certificate = builder.sign(cast("CertificateIssuerPrivateKeyTypes", key), hashes.SHA256())
    except (OSError, ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise NotYet(f"error auto signing csr: {error}") from error
    return certificate.public_bytes(serialization.Encoding.PEM)


def _period(lifetime: timedelta, issuer_ends: datetime, at: datetime) -> tuple[datetime, datetime]:
    """Begins a little earlier, for clocks that are behind. Raises ValueError."""
    if at >= issuer_ends:
        raise ValueError(f"refusing to sign a certificate that expired in the past: NotAfter={issuer_ends}")
    end = at + (lifetime if lifetime < _SHORT else lifetime - _BACKDATED)
    return at - _BACKDATED, min(end, issuer_ends)


def _extensions(
    csr: x509.CertificateSigningRequest, usages: Sequence[str], issuer: x509.Certificate
) -> list[x509.Extension[x509.ExtensionType]]:
    extensions: list[x509.Extension[x509.ExtensionType]] = []

    def add(value: x509.ExtensionType, *, critical: bool = False) -> None:
        extensions.append(x509.Extension(value.oid, critical, value))

    if {name for usage in usages if (name := _KEY_USAGES.get(usage))}:
        add(_key_usage(usages), critical=True)
    if purposes := list(dict.fromkeys(purpose for usage, purpose in _PURPOSES.items() if usage in usages)):
        add(x509.ExtendedKeyUsage(purposes))
    add(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    add(_authority_key(issuer))
    if len(names := alternative_names(csr)):
        add(names, critical=not list(csr.subject))
    return extensions


def _key_usage(usages: Sequence[str]) -> x509.KeyUsage:
    """What says how keys are agreed on means nothing where they are not."""
    wanted = {name for usage in usages if (name := _KEY_USAGES.get(usage))}
    if "key_agreement" not in wanted:
        wanted -= {"encipher_only", "decipher_only"}
    return x509.KeyUsage(**{name: name in wanted for name in dict.fromkeys(_KEY_USAGES.values())})


def _authority_key(issuer: x509.Certificate) -> x509.AuthorityKeyIdentifier:
    try:
        known = issuer.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    except x509.ExtensionNotFound:
        key = cast("Any", issuer.public_key())
        return x509.AuthorityKeyIdentifier.from_issuer_public_key(key)
    return x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(known)
