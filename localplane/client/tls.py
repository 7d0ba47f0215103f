"""The TLS side of a configuration, as an SSLContext."""

from __future__ import annotations

import os
from collections.abc import Callable

from localplane.apimachinery.light_typing import TYPE_CHECKING

from .credentials import ClientCertificate
from .errors import ClientError, ConfigError
from .kubeconfig.connection import ClientConfig

if TYPE_CHECKING:
    import ssl


def ssl_context(config: ClientConfig, certificate: ClientCertificate | None) -> ssl.SSLContext:
    """Raises ConfigError for authorities and certificates that can't be used."""
    _check(config)
    if certificate is not None:
        check_pair(certificate.chain, certificate.key)
    try:
        context = _trusting(config)
        if certificate is not None:
            _show(context, certificate)
    except (OSError, ValueError) as error:  # an SSLError is an OSError
        raise ConfigError(f"unable to use the configured certificates: {error}") from error
    return context


def check_pair(chain: bytes, key: bytes) -> None:
    """Raises ConfigError for what is no PEM at all, in Go's words."""
    for what, data in (("certificate", chain), ("key", key)):
        if b"-----BEGIN " not in data:
            raise ConfigError(f"tls: failed to find any PEM data in {what} input")


def _own_authority(config: ClientConfig) -> bool:
    return bool(config.certificate_authority or config.certificate_authority_data)


def _check(config: ClientConfig) -> None:
    if config.insecure_skip_tls_verify and _own_authority(config):
        raise ConfigError("specifying a root certificates file with the insecure flag is not allowed")
    authority = config.certificate_authority_data
    if not authority and config.certificate_authority:
        try:
            with open(config.certificate_authority, "rb") as file:
                authority = file.read()
        except OSError as error:
            raise ConfigError(f"open {config.certificate_authority}: {(error.strerror or '').lower()}") from error
    if authority and b"-----BEGIN " not in authority:
        raise ConfigError("unable to load root certificates: unable to parse bytes as PEM block")


def _trusting(config: ClientConfig) -> ssl.SSLContext:
    import ssl

    if config.insecure_skip_tls_verify:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif config.certificate_authority_data:
        context = ssl.create_default_context(cadata=config.certificate_authority_data.decode("ascii"))
    else:
        context = ssl.create_default_context(cafile=config.certificate_authority or None)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # Newer Pythons refuse authorities without some extensions, which Go and so every cluster lives with.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context


def _show(context: ssl.SSLContext, certificate: ClientCertificate) -> None:
    """OpenSSL takes files only; ours are in memory where the system can do that."""
    if not hasattr(os, "memfd_create"):
        _show_files(context, certificate)
        return
    chain, key = os.memfd_create("chain"), os.memfd_create("key")
    try:
        os.write(chain, certificate.chain)
        os.write(key, certificate.key)
        _load(context, f"/proc/self/fd/{chain}", f"/proc/self/fd/{key}")
    except FileNotFoundError:  # there is no /proc
        _show_files(context, certificate)
    finally:
        os.close(chain)
        os.close(key)


def _show_files(context: ssl.SSLContext, certificate: ClientCertificate) -> None:
    """In a directory that nobody else can enter, for as long as this takes."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="client-certificate-") as directory:
        chain, key = f"{directory}/chain.pem", f"{directory}/key.pem"
        for path, content in ((chain, certificate.chain), (key, certificate.key)):
            with open(path, "wb") as file:
                file.write(content)
        _load(context, chain, key)


def _load(context: ssl.SSLContext, chain: str, key: str) -> None:
    # An empty passphrase: an encrypted key is an error, not a question on the terminal.
    context.load_cert_chain(chain, key, password="")


_REASONS = {
    7: "x509: certificate signed by unknown authority",
    10: "x509: certificate has expired or is not yet valid",
    18: "x509: certificate signed by unknown authority",
    19: "x509: certificate signed by unknown authority",
    20: "x509: certificate signed by unknown authority",
    21: "x509: certificate signed by unknown authority",
}


def go_reason(error: OSError, name: str, shown: Callable[[], bytes] | None = None) -> str:
    """What Go says about a handshake that failed so. `shown` is the certificate that the server has shown."""
    import ssl

    if isinstance(error, ssl.SSLCertVerificationError):
        reason = _REASONS.get(error.verify_code) or _mismatch(name, shown)
        return f"tls: failed to verify certificate: {reason}"
    if isinstance(error, ssl.SSLError) and error.reason in ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE"):
        return "http: server gave HTTP response to HTTPS client"
    return "EOF" if isinstance(error, ssl.SSLEOFError | ConnectionResetError) else f"remote error: tls: {error}"


def _mismatch(name: str, shown: Callable[[], bytes] | None) -> str:
    from .hostnames import mismatch

    try:
        certificate = shown() if shown is not None else b""
    except (OSError, ClientError):
        certificate = b""
    return mismatch(certificate, name)
