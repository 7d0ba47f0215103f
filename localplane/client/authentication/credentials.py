"""Who we are to the server: what goes into the Authorization header, and which certificate we show."""

from __future__ import annotations

import base64
import time

from localplane.apimachinery.light_typing import Protocol
from localplane.apimachinery.records import field, record
from localplane.client.errors import CredentialsError
from localplane.client.kubeconfig.model import ClientConfig

_REREAD = 50.0
"""Seconds. Tokens in files are replaced while they are still good for a while, so a minute is often enough to look."""


@record
class ClientCertificate:
    """A certificate chain and its key, in PEM."""

    chain: bytes
    key: bytes = field(repr=False)


class Credentials(Protocol):
    """Who we are to a server. Asked before each request, so what it says may change: a token that is renewed."""

    async def authorization(self) -> str:
        """The header's value now; empty for none. Raises CredentialsError."""

    async def certificate(self) -> ClientCertificate | None:
        """What to show in the handshake. When it changes, connections made with the old one are dropped."""

    def rejected(self, authorization: str) -> None:
        """The server answered 401 to this header: what is cached should be asked for again."""


class StaticCredentials:
    """A token or password that never changes, a certificate, or neither."""

    def __init__(self, authorization: str = "", certificate: ClientCertificate | None = None) -> None:
        self._authorization = authorization
        self._certificate = certificate

    async def authorization(self) -> str:
        return self._authorization

    async def certificate(self) -> ClientCertificate | None:
        return self._certificate

    def rejected(self, authorization: str) -> None:
        """There is nothing else to try."""


class TokenFile:
    """A bearer token that somebody else keeps fresh in a file. While the file can't be read the old one serves."""

    def __init__(self, path: str, certificate: ClientCertificate | None = None) -> None:
        self._path = path
        self._certificate = certificate
        self._header = ""
        self._read_again = 0.0

    async def authorization(self) -> str:
        now = time.monotonic()
        if not self._header or now >= self._read_again:
            self._reread()
            self._read_again = now + _REREAD
        return self._header

    def _reread(self) -> None:
        try:
            token = _content(self._path).decode().strip()
        except OSError as error:
            problem = f"open {self._path}: {(error.strerror or str(error)).lower()}"
        else:
            if token:
                self._header = f"Bearer {token}"
                return
            problem = f'read empty token from file "{self._path}"'
        if not self._header:
            raise CredentialsError(problem)
        import logging

        logging.getLogger(__name__).error("unable to rotate token: %s", problem)

    async def certificate(self) -> ClientCertificate | None:
        return self._certificate

    def rejected(self, authorization: str) -> None:
        if authorization == self._header:
            self._read_again = 0.0


def credentials_for(config: ClientConfig) -> Credentials:
    """A token file goes before a token, and a credential plugin runs only when nothing else is configured."""
    certificate = _certificate(config)
    if config.token_file:
        return TokenFile(config.token_file, certificate)
    if config.token:
        return StaticCredentials(f"Bearer {config.token}", certificate)
    if config.username or config.password:
        pair = base64.b64encode(f"{config.username}:{config.password}".encode()).decode()
        return StaticCredentials(f"Basic {pair}", certificate)
    if config.exec is not None and certificate is None:
        from .exec_plugin import ExecPlugin

        return ExecPlugin(config.exec, config.exec_cluster)
    return StaticCredentials(certificate=certificate)


def _certificate(config: ClientConfig) -> ClientCertificate | None:
    if not (config.client_certificate or config.client_certificate_data):
        return None
    try:
        chain = config.client_certificate_data or _content(config.client_certificate)
        key = config.client_key_data or _content(config.client_key)
    except OSError as error:
        raise CredentialsError(f"open {error.filename}: {(error.strerror or str(error)).lower()}") from error
    return ClientCertificate(chain, key)


def _content(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
