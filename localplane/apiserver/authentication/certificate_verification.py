"""Whether a client's certificate is believed, at each request. Kubernetes: authentication/request/x509.

A connection asks many times with one certificate, so what was found out is remembered: for as long as the chain is
good, and a refusal for a few seconds.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from localplane.apimachinery.clock import timestamp
from localplane.tls.certificates import Certificate, MalformedCertificate
from localplane.tls.verification import Pool, Purpose, Untrusted, verify

from .interface import Unauthenticated

if TYPE_CHECKING:
    from localplane.tls.verification import Pool

_REMEMBERED: Final = 256
_REFUSED_FOR: Final = timedelta(seconds=10)

PeerCertificates = tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class _Finding:
    """`problem` is empty for those who are believed. `until` is a time of the wall's clock."""

    until: float
    problem: str = ""


class CertificateVerifier:
    """Believes those whom one bundle vouches for, for use by clients. Two bundles are two verifiers, and who is
    believed by one is nobody to the other."""

    def __init__(self, bundle: Path, *, clock: Callable[[], float] = timestamp) -> None:
        self._bundle = bundle
        self._clock = clock
        self._roots: Pool | None = None
        self._findings: OrderedDict[PeerCertificates, _Finding] = OrderedDict()

    def check(self, shown: PeerCertificates) -> None:
        """Raises Unauthenticated."""
        finding = self._findings.get(shown)
        if finding is None or self._clock() > finding.until:
            finding = self._findings[shown] = self._judged(shown)
            self._findings.move_to_end(shown)
            while len(self._findings) > _REMEMBERED:
                self._findings.popitem(last=False)
        if finding.problem:
            raise Unauthenticated(finding.problem)

    def _judged(self, shown: PeerCertificates) -> _Finding:
        """`cryptography` takes long to import, and only those who are shown a certificate need it."""
        if self._roots is None:
            self._roots = Pool.of_bundle(self._bundle.read_bytes())
        try:
            trusted = verify(shown, self._roots, purpose=Purpose.CLIENT, at=datetime.fromtimestamp(self._clock(), UTC))
        except Untrusted as error:
            until = self._clock() + _REFUSED_FOR.total_seconds()
            return _Finding(until, f"verifying certificate {_identified(shown[0])}failed: {error}")
        return _Finding(trusted.until.timestamp())


def _identified(raw: bytes) -> str:
    """Kubernetes: certificateIdentifier."""
    try:
        certificate = Certificate.load(raw)
    except MalformedCertificate:
        return ""
    own, issuer = (_hexadecimal(each) for each in (certificate.key_identifier, certificate.issuer_key_identifier))
    return f"SN={certificate.parsed.serial_number}, SKID={own}, AKID={issuer} "


def _hexadecimal(data: bytes) -> str:
    return data.hex(":").upper()
