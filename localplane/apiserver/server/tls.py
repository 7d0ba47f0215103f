"""The server's side of TLS: at least 1.2, HTTP/1.1, and client certificates for those who have one."""

from __future__ import annotations

import asyncio
import logging
import ssl
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

_log = logging.getLogger(__name__)


class UnusableCertificate(Exception):
    """The files can't be served; the text says which and why."""


@dataclass(frozen=True, slots=True)
class TLSFiles:
    """`client_ca` signed the client certificates that are believed, `proxy_ca` those of proxies; without either none
    is asked for."""

    certificate: Path
    key: Path
    client_ca: Path | None = None
    proxy_ca: Path | None = None


class ServingTLS:
    """A context for the listener, which keeps serving what the files say: they may be replaced while we run."""

    def __init__(self, files: TLSFiles) -> None:
        self._files = files
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.minimum_version = ssl.TLSVersion.TLSv1_2
        self.context.set_alpn_protocols(["http/1.1"])
        self._load()
        for authority in (files.client_ca, files.proxy_ca):
            if authority is not None:
                # A certificate that nobody trusted signed fails the handshake; Kubernetes would answer 401.
                self.context.verify_mode = ssl.CERT_OPTIONAL
                self._trust(authority)
        self._seen = self._stamps()

    async def follow_files(self, *, every: timedelta = timedelta(minutes=1)) -> None:
        """New connections get the new certificate; open ones keep theirs. Runs until cancelled."""
        while True:
            await asyncio.sleep(every.total_seconds())
            self.reload_if_changed()

    def reload_if_changed(self) -> None:
        """Files that are half replaced are tried again at the next look."""
        stamps = self._stamps()
        if stamps == self._seen:
            return
        try:
            self._load()
        except UnusableCertificate as error:
            _log.warning("keeping the serving certificate: %s", error)
            return
        self._seen = stamps
        _log.info("the serving certificate was replaced")

    def _load(self) -> None:
        try:
            self.context.load_cert_chain(self._files.certificate, self._files.key)
        except (OSError, ssl.SSLError) as error:
            names = f"{self._files.certificate} and {self._files.key}"
            raise UnusableCertificate(f"{names} can't be served: {_reason(error)}") from error

    def _trust(self, client_ca: Path) -> None:
        try:
            self.context.load_verify_locations(client_ca)
        except (OSError, ssl.SSLError) as error:
            raise UnusableCertificate(f"{client_ca} can't be used as client CA: {_reason(error)}") from error

    def _stamps(self) -> tuple[tuple[int, int], ...]:
        stamps = []
        for path in (self._files.certificate, self._files.key):
            try:
                stat = path.stat()
                stamps.append((stat.st_mtime_ns, stat.st_ino))
            except OSError:
                stamps.append((0, 0))
        return tuple(stamps)


def _reason(error: OSError) -> str:
    if isinstance(error, ssl.SSLError):
        return (error.reason or str(error)).replace("_", " ").lower()
    return error.strerror or str(error)
