"""The TLS side of a configuration, as an SSLContext."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable

from localplane.apimachinery.light_typing import TYPE_CHECKING
from localplane.client.errors import ConfigError
from localplane.client.kubeconfig.model import ClientConfig
from localplane.tls import contexts, words

from .credentials import ClientCertificate

if TYPE_CHECKING:
    import ssl


def ssl_context(
    config: ClientConfig, certificate: ClientCertificate | None, *, judging: bool = False
) -> ssl.SSLContext:
    """Raises ConfigError for authorities and certificates that can't be used. `judging` is for a second try: it takes
    longer to import, refuses nobody whom Go would believe, and says why as Go says it."""
    authority = _authority(config)
    if certificate is not None:
        check_pair(certificate.chain, certificate.key)
    try:
        context = _trusting(config, authority, judging=judging)
    except ValueError as error:
        raise ConfigError(str(error)) from error
    try:
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


def _authority(config: ClientConfig) -> bytes:
    """Whom the configuration names, in PEM; nothing if it names nobody."""
    if config.insecure_skip_tls_verify and _own_authority(config):
        raise ConfigError("specifying a root certificates file with the insecure flag is not allowed")
    authority = config.certificate_authority_data
    if not authority and config.certificate_authority:
        try:
            with open(config.certificate_authority, "rb") as file:
                authority = file.read()
        except OSError as error:
            raise ConfigError(f"open {config.certificate_authority}: {(error.strerror or '').lower()}") from error
    return authority


def _trusting(config: ClientConfig, authority: bytes, *, judging: bool) -> ssl.SSLContext:
    if config.insecure_skip_tls_verify:
        return contexts.trusting_anybody()
    return contexts.judging(authority) if judging else contexts.verifying(authority)


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
    with tempfile.TemporaryDirectory(prefix="client-certificate-") as directory:
        chain, key = f"{directory}/chain.pem", f"{directory}/key.pem"
        for path, content in ((chain, certificate.chain), (key, certificate.key)):
            with open(path, "wb") as file:
                file.write(content)
        _load(context, chain, key)


def _load(context: ssl.SSLContext, chain: str, key: str) -> None:
    # An empty passphrase: an encrypted key is an error, not a question on the terminal.
    context.load_cert_chain(chain, key, password="")


def handshake_failure(error: OSError, host: str, shown: Callable[[], bytes] | None = None) -> str:
    """What Go says about a handshake that failed so. `shown` returns the certificate that the server has shown, in DER;
    it is asked only if it matters."""
    return words.handshake_failure(error, host, shown)
