"""What a server is made of, once the options have been read: files opened, certificates made."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from .certificates.self_signed import CertificateFiles, ensure_certificates
from .http.limits import ConnectionLimits
from .options import LOOPBACK, ServerOptions
from .tls import ServingTLS, TLSFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    """`generated` says where our own certificates lie, for whoever writes a kubeconfig; `authority` is what clients
    should trust, if we know it. Where several servers share an event loop, `watches_loop` is one's alone."""

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
        return self.generated.authority if self.generated else None


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
    if not options.tls.enabled or options.tls.certificate is not None:
        return None
    assert options.tls.directory is not None, "options were checked"
    return ensure_certificates(options.tls.directory, addresses=(*options.addresses, *options.tls.names))


def _tls(options: ServerOptions, generated: CertificateFiles | None) -> ServingTLS | None:
    tls, proxy_ca = options.tls, options.authentication.request_header.client_ca
    if not tls.enabled:
        return None
    if generated is not None:
        client_ca = tls.client_ca or generated.authority
        return ServingTLS(TLSFiles(generated.server, generated.server_key, client_ca, proxy_ca))
    assert tls.certificate is not None, "options were checked"
    assert tls.key is not None, "options were checked"
    return ServingTLS(TLSFiles(tls.certificate, tls.key, tls.client_ca, proxy_ca))
