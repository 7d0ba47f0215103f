"""A certificate and the key that belongs to it. Kubernetes asks Go's tls.X509KeyPair; these are its words."""

from __future__ import annotations

import ssl
from pathlib import Path

from kctl.errors import KctlError

from .sources import reason


def read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise KctlError(f"Cannot read file {path}, open {path}: {reason(error)}") from error


def check_key_pair(certificate: bytes, key: bytes, certificate_path: str, key_path: str) -> None:
    for what, content, wanted in (("certificate", certificate, b"CERTIFICATE"), ("key", key, b"PRIVATE KEY")):
        if b"-----BEGIN " not in content:
            raise KctlError(f"tls: failed to find any PEM data in {what} input")
        if wanted not in content:
            raise KctlError(f'tls: failed to find "{wanted.decode()}" PEM block in {what} input')
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate_path, key_path, password=b"")
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise KctlError("tls: private key does not match public key") from error
        raise KctlError(f"tls: {str(error.reason or error).replace('_', ' ').lower()}") from error
