"""A user from a client certificate: the common name is the name, each organization a group.

Kubernetes: authentication/request/x509, CommonNameUserConversion.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from functools import lru_cache

from localplane.apiserver.request import Request, User

from . import der
from .certificate_verification import CertificateVerifier
from .interface import Unauthenticated

_COMMON_NAME = "2.5.4.3"
_ORGANIZATION = "2.5.4.10"
_UID = "1.3.6.1.4.1.57683.2"
_CREDENTIAL_ID = "authentication.kubernetes.io/credential-id"
_REMEMBERED = 256


class ClientCertificateAuthenticator:
    """Believes a certificate that the verifier believes.

    It reads the certificate's DER bytes itself (the ssl module decodes a certificate to a dictionary that can't tell
    two attributes in one set from two sets). A connection asks many times with one certificate, so the last users are
    remembered; whether the certificate is still good is asked each time.
    """

    def __init__(self, verifier: CertificateVerifier) -> None:
        self._verifier = verifier
        self._user_of: Callable[[bytes], User | None] = lru_cache(maxsize=_REMEMBERED)(user_of)

    async def authenticate(self, request: Request) -> User | None:
        if not request.peer_certificates:
            return None
        self._verifier.check(request.peer_certificates)
        try:
            return self._user_of(request.peer_certificates[0])
        except der.MalformedDER as problem:
            raise Unauthenticated(f"client certificate: {problem}") from None


def user_of(certificate: bytes) -> User | None:
    """None for a certificate without a common name. Of several the last one counts, as in Go."""
    name, uids, groups = "", [], []
    for kind, value in _subject(certificate):
        if kind == _COMMON_NAME:
            name = der.text(value)
        elif kind == _ORGANIZATION:
            groups.append(der.text(value))
        elif kind == _UID:
            uids.append(der.text(value))
    if not name:
        return None
    if len(uids) > 1 or "" in uids:
        raise der.MalformedDER("expected at most one UID, and none that is empty")
    fingerprint = hashlib.sha256(certificate).hexdigest()
    return User(
        name,
        uid=uids[0] if uids else "",
        groups=tuple(groups),
        extra={_CREDENTIAL_ID: (f"X509SHA256={fingerprint}",)},
    )


def _subject(certificate: bytes) -> Iterator[tuple[str, der.Element]]:
    """The attributes of the subject: RFC 5280, 4.1."""
    parts = list(der.elements(der.only(certificate, der.SEQUENCE)))
    if len(parts) != 3:
        raise der.MalformedDER("a certificate has three parts")
    fields = list(der.elements(der.content(parts[0], der.SEQUENCE)))
    if fields and fields[0].tag == der.EXPLICIT_0:
        fields = fields[1:]  # the version, absent in the first
    # serial number, signature algorithm, issuer, validity, subject, public key
    if len(fields) < 6:
        raise der.MalformedDER("a certificate has at least six fields")
    der.content(fields[0], der.INTEGER)
    for names in der.elements(der.content(fields[4], der.SEQUENCE)):
        for attribute in der.elements(der.content(names, der.SET)):
            pair = list(der.elements(der.content(attribute, der.SEQUENCE)))
            if len(pair) != 2:
                raise der.MalformedDER("an attribute is a type and a value")
            yield der.object_identifier(der.content(pair[0], der.OBJECT_IDENTIFIER)), pair[1]
