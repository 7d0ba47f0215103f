"""Whom a proxy in front of us speaks for. It says so in headers, and proves itself by its certificate.

The proxy's authority is not the clients': whoever holds a certificate of it can be anybody, so none of them is a user
by itself. Kubernetes: apiserver/pkg/authentication/request/headerrequest.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import lru_cache
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from localplane.apiserver.request import Request, User

from .client_certificate import user_of
from .der import MalformedDER
from .interface import Authenticator, Unauthenticated

_USER: Final = "x-remote-user"
_UID: Final = "x-remote-uid"
_GROUP: Final = "x-remote-group"
_EXTRA: Final = "x-remote-extra-"
_REMEMBERED: Final = 256


class FrontProxyAuthority:
    """Signed the certificates of proxies, directly. TLS has verified a certificate, but not whose it is."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._issued: Callable[[bytes], bool] = lru_cache(maxsize=_REMEMBERED)(self._has_issued)

    def issued(self, certificate: bytes) -> bool:
        return self._issued(certificate)

    def _has_issued(self, certificate: bytes) -> bool:
        """`cryptography` takes long to import, and only those behind a proxy need it."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.x509 import load_der_x509_certificate, load_pem_x509_certificates

        shown = load_der_x509_certificate(certificate)
        for authority in load_pem_x509_certificates(self._file.read_bytes()):
            try:
                shown.verify_directly_issued_by(authority)
            except (ValueError, TypeError, InvalidSignature):
                continue
            return True
        return False


class RequestHeaderAuthenticator:
    """`allowed_names` are the common names that a proxy's certificate may have; none means any."""

    def __init__(self, authority: FrontProxyAuthority, *, allowed_names: Collection[str] = ()) -> None:
        self._authority = authority
        self._allowed_names = frozenset(allowed_names)

    async def authenticate(self, request: Request) -> User | None:
        name = request.headers.get(_USER, "")
        if not name or request.peer_certificate is None or not self._authority.issued(request.peer_certificate):
            return None
        self._check_name(request.peer_certificate)
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


class ClientsOnly:
    """Passes over requests with a proxy's certificate."""

    def __init__(self, clients: Authenticator, authority: FrontProxyAuthority) -> None:
        self._clients = clients
        self._authority = authority

    async def authenticate(self, request: Request) -> User | None:
        if request.peer_certificate is not None and self._authority.issued(request.peer_certificate):
            return None
        return await self._clients.authenticate(request)
