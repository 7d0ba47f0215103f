"""What a server is made of, once the options have been read: files opened, certificates made."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from localplane.files import write_atomically

from .certificates.self_signed import CertificateFiles, ensure_certificates
from .http.limits import ConnectionLimits
from .options import LOOPBACK, ServerOptions
from .tls import ServingTLS, TLSFiles, client_authorities


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    """`generated` says where our own certificates lie, for whoever writes a kubeconfig; `authority` is what clients
    should trust, if we know it, and `client_authority` is whose certificates of clients are believed. Where several
    servers share an event loop, `watches_loop` is one's alone."""

    addresses: tuple[str, ...] = LOOPBACK
    port: int = 0
    tls: ServingTLS | None = None
    generated: CertificateFiles | None = None
    limits: ConnectionLimits = field(default_factory=ConnectionLimits)
    shutdown_delay: timedelta = timedelta(0)
    shutdown_timeout: timedelta = timedelta(seconds=60)
    watches_loop: bool = True

    @property
    def authority(self) -> Path | None:
        """A certificate that somebody else has made is trusted by itself: who signed it is not known here."""
        if self.generated and self.tls and self.tls.files.certificate == self.generated.server:
            return self.generated.bundle
        return self.tls.files.certificate if self.tls else None

    @property
    def client_authority(self) -> Path | None:
        return self.tls.files.client_ca if self.tls else None


def configure(options: ServerOptions) -> ServerConfig:
    """Raises InvalidOptions or UnusableCertificate. Makes certificates where the options say so."""
    options.check()
    generated = _generated(options)
    return ServerConfig(
        addresses=options.addresses,
        port=options.port,
        tls=_tls(options, generated),
        generated=generated,
        shutdown_delay=options.shutdown_delay,
        shutdown_timeout=options.shutdown_timeout,
    )


def _generated(options: ServerOptions) -> CertificateFiles | None:
    if not options.tls.enabled or options.tls.directory is None:
        return None
    return ensure_certificates(options.tls.directory, addresses=_served(options))


def _served(options: ServerOptions) -> tuple[str, ...]:
    """By which addresses and names a certificate of our own is known."""
    advertised = (options.advertise_address,) if options.advertise_address else ()
    return (*options.addresses, *advertised, *options.tls.names)


def _tls(options: ServerOptions, generated: CertificateFiles | None) -> ServingTLS | None:
    tls, proxy_ca = options.tls, options.authentication.request_header.client_ca
    if not tls.enabled:
        return None
    client_ca = _client_authorities(tls.client_ca, generated) if generated else tls.client_ca
    if tls.certificate is not None and tls.key is not None:
        return ServingTLS(TLSFiles(tls.certificate, tls.key, client_ca, proxy_ca))
    assert generated is not None, "options were checked"
    return ServingTLS(TLSFiles(generated.server, generated.server_key, client_ca, proxy_ca))


def _client_authorities(given: Path | None, generated: CertificateFiles) -> Path:
    """Our own, so that the administrator is always let in, and somebody else's beside it."""
    if given is None:
        return generated.bundle
    client_authorities(given)
    bundle = given.read_bytes().rstrip() + b"\n" + generated.bundle.read_bytes()
    path = generated.authority.with_name("client-ca.crt")
    write_atomically(path, bundle)
    return path
