"""Whom a proxy in front of us speaks for. It says so in headers, and proves itself by its certificate.

The proxy's authority is not the clients': whoever holds a certificate of it can be anybody, so none of them is a user
by itself. Each has a verifier of its own. Kubernetes: apiserver/pkg/authentication/request/headerrequest.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from localplane.apiserver.request import Request, User

from .certificate_verification import CertificateVerifier
from .client_certificate import user_of
from .der import MalformedDER
from .interface import Unauthenticated


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyHeaders:
    """The headers in which it is said, in lower case. Of several for the name and the uid the first that says something
    counts; groups and extras are gathered from all."""

    user: tuple[str, ...] = ("x-remote-user",)
    uid: tuple[str, ...] = ("x-remote-uid",)
    group: tuple[str, ...] = ("x-remote-group",)
    extra_prefix: tuple[str, ...] = ("x-remote-extra-",)


_USUAL: Final = ProxyHeaders()


class RequestHeaderAuthenticator:
    """`allowed_names` are the common names that a proxy's certificate may have; none means any."""

    def __init__(
        self,
        verifier: CertificateVerifier,
        *,
        allowed_names: Collection[str] = (),
        headers: ProxyHeaders = _USUAL,
    ) -> None:
        self._verifier = verifier
        self._allowed_names = frozenset(allowed_names)
        self._headers = headers

    async def authenticate(self, request: Request) -> User | None:
        name = _first(request, self._headers.user)
        if not name or not request.peer_certificates:
            return None
        self._verifier.check(request.peer_certificates)
        self._check_name(request.peer_certificates[0])
        return User(
            name,
            uid=_first(request, self._headers.uid),
            groups=tuple(group for each in self._headers.group for group in request.header_values(each) if group),
            extra={
                unquote(header[len(prefix) :]): tuple(request.header_values(header))
                for header in request.headers
                for prefix in self._headers.extra_prefix
                if header.startswith(prefix)
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


def _first(request: Request, names: Collection[str]) -> str:
    return next((value for name in names if (value := request.headers.get(name, ""))), "")
