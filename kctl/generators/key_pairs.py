"""A certificate and its key, checked as Go's tls.X509KeyPair checks them."""

from __future__ import annotations

import re
import ssl
from pathlib import Path

from kctl.errors import KctlError

_BLOCK = re.compile(rb"-----BEGIN ([A-Z0-9 ]+)-----")


def read_pair(certificate: str, key: str) -> tuple[bytes, bytes]:
    """Raises KctlError if they don't belong together."""
    public, private = _read(certificate), _read(key)
    _check_certificate(_BLOCK.findall(public))
    _check_key(_BLOCK.findall(private))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key, password=lambda: b"")
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise KctlError("tls: private key does not match public key") from error
        if error.reason == "KEY_TYPE_MISMATCH":
            raise KctlError("tls: private key type does not match public key type") from error
        raise KctlError(f"tls: failed to parse the certificate or its key: {error.reason}") from error
    return public, private


def _read(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise KctlError(f"Cannot read file {file}, open {file}: {(error.strerror or str(error)).lower()}") from error


def _check_certificate(blocks: list[bytes]) -> None:
    if b"CERTIFICATE" in blocks:
        return
    if not blocks:
        raise KctlError("tls: failed to find any PEM data in certificate input")
    if len(blocks) == 1 and blocks[0].endswith(b"PRIVATE KEY"):
        raise KctlError(
            "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may "
            "have been switched"
        )
    shown = " ".join(block.decode() for block in blocks)
    raise KctlError(
        f'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following '
        f"types: [{shown}]"
    )


def _check_key(blocks: list[bytes]) -> None:
    if any(block == b"PRIVATE KEY" or block.endswith(b" PRIVATE KEY") for block in blocks):
        return
    if not blocks:
        raise KctlError("tls: failed to find any PEM data in key input")
    if blocks == [b"CERTIFICATE"]:
        raise KctlError("tls: found a certificate rather than a key in the PEM for the private key")
    shown = " ".join(block.decode() for block in blocks)
    raise KctlError(
        'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the '
        f"following types: [{shown}]"
    )
