"""The server's side of TLS: at least 1.2, HTTP/1.1, and client certificates for those who have one."""

from __future__ import annotations

import asyncio
import itertools
import logging
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from localplane.tls.authorities import NoAuthorities, certificates_in
from localplane.tls.client_certificates import AnyClientCertificate, accept_any

_log = logging.getLogger(__name__)


class UnusableCertificate(Exception):
    """The files can't be served; the text says which and why."""


@dataclass(frozen=True, slots=True)
class TLSFiles:
    """`client_ca` vouches for the client certificates that are believed, `proxy_ca` for those of proxies; without
    either none is asked for."""

    certificate: Path
    key: Path
    client_ca: Path | None = None
    proxy_ca: Path | None = None


class ServingTLS:
    """A context for the listener, which keeps serving what the files say: they may be replaced while we run."""

    def __init__(self, files: TLSFiles) -> None:
        self.files = files
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.minimum_version = ssl.TLSVersion.TLSv1_2
        self.context.set_alpn_protocols(["http/1.1"])
        # A certificate is judged at each request; a session that is taken up again would not show it whole.
        self.context.options |= ssl.OP_NO_TICKET
        self.context.num_tickets = 0
        self._load()
        authorities = [path for path in (files.client_ca, files.proxy_ca) if path is not None]
        self._any_certificate = self._ask_for_certificates(authorities) if authorities else None
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
            self.context.load_cert_chain(self.files.certificate, self.files.key)
        except (OSError, ssl.SSLError) as error:
            names = f"{self.files.certificate} and {self.files.key}"
            raise UnusableCertificate(f"{names} can't be served: {_reason(error)}") from error

    def _ask_for_certificates(self, authorities: Sequence[Path]) -> AnyClientCertificate | None:
        """Who is believed is decided by those who know what for: the authenticators. Where OpenSSL can't be told to
        take any certificate, one that none of the authorities vouches for ends the handshake."""
        bundles = [client_authorities(path) for path in authorities]
        if (accepting := accept_any(self.context)) is not None:
            accepting.name_authorities(itertools.chain.from_iterable(bundles))
            return accepting
        self.context.verify_mode = ssl.CERT_OPTIONAL
        self.context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        for certificate in itertools.chain.from_iterable(bundles):
            self.context.load_verify_locations(cadata=certificate)
        return None

    def _stamps(self) -> tuple[tuple[int, int], ...]:
        stamps = []
        for path in (self.files.certificate, self.files.key):
            try:
                stat = path.stat()
                stamps.append((stat.st_mtime_ns, stat.st_ino))
            except OSError:
                stamps.append((0, 0))
        return tuple(stamps)


def client_authorities(client_ca: Path) -> list[bytes]:
    """The certificates of a bundle. Raises UnusableCertificate."""
    try:
        return certificates_in(client_ca.read_bytes())
    except OSError as error:
        raise UnusableCertificate(f"{client_ca} can't be used as client CA: {_reason(error)}") from error
    except NoAuthorities as error:
        raise UnusableCertificate(f"{client_ca} can't be used as client CA: {error}") from error


def _reason(error: OSError) -> str:
    if isinstance(error, ssl.SSLError):
        return (error.reason or str(error)).replace("_", " ").lower()
    return error.strerror or str(error)
