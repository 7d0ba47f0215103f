"""Whom a proxy in front of us speaks for. It says so in headers, and proves itself by its certificate.

The proxy's authority is not the clients': whoever holds a certificate of it can be anybody, so none of them is a user
by itself. Each has a verifier of its own. Kubernetes: apiserver/pkg/authentication/request/headerrequest.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final
from urllib.parse import unquote

from localplane.apiserver.request import Request, User

from .certificate_verification import CertificateVerifier
from .client_certificate import user_of
from .der import MalformedDER
from .interface import Unauthenticated

_USER: Final = "x-remote-user"
_UID: Final = "x-remote-uid"
_GROUP: Final = "x-remote-group"
_EXTRA: Final = "x-remote-extra-"


class RequestHeaderAuthenticator:
    """`allowed_names` are the common names that a proxy's certificate may have; none means any."""

    def __init__(self, verifier: CertificateVerifier, *, allowed_names: Collection[str] = ()) -> None:
        self._verifier = verifier
        self._allowed_names = frozenset(allowed_names)

    async def authenticate(self, request: Request) -> User | None:
        name = request.headers.get(_USER, "")
        if not name or not request.peer_certificates:
            return None
        self._verifier.check(request.peer_certificates)
        self._check_name(request.peer_certificates[0])
        return User(
            name,
            uid=request.headers.get(_UID, ""),
            groups=tuple(group for group in request.header_values(_GROUP) if group),
            extra={
                unquote(header[len(_EXTRA) :]): tuple(request.header_values(header))
                for header in request.headers
                if header.startswith(_EXTRA)
            },
        )

    def _check_name(self, certificate: bytes) -> None:
        if not self._allowed_names:
            return
        try:
            proxy = user_of(certificate)
        except MalformedDER as problem:
            raise Unauthenticated(f"client certificate: {problem}") from None
        shown = proxy.name if proxy else ""
        if shown not in self._allowed_names:
            raise Unauthenticated(f"x509: subject with cn={shown} is not in the allowed list")
