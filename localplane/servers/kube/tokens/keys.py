"""Files with keys of service accounts' tokens: our own, or somebody's. Kubernetes: client-go/util/keyutil."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import orjson
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from localplane.apiserver.authentication.jwt import PrivateKey, SigningKey, UnusableKey, VerificationKey
from localplane.apiserver.server.certificates.self_signed import PREVIOUS
from localplane.apiserver.server.certificates.signing_key import new_signing_key
from localplane.apiserver.server.options import InvalidOptions
from localplane.apiserver.storage.data_directory import DataDirectoryUnusable
from localplane.files import write_atomically

_KNOWN_EVERYWHERE_AFTER: Final = timedelta(minutes=1)
_UNREADABLE: Final = (ValueError, TypeError, UnsupportedAlgorithm)


def own_key(path: Path, spare: RSAPrivateKey | None) -> RSAPrivateKey:
    """The key in the server's own directory. Never replaced by a new one: that would silently refuse every token that
    was signed with it."""
    if path.exists():
        return _read_own_key(path)
    made = spare or new_signing_key()
    pem = made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(path, pem)
    return made


def _read_own_key(path: Path) -> RSAPrivateKey:
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except (*_UNREADABLE, OSError) as error:
        raise DataDirectoryUnusable(
            f"the key that signs tokens can't be read from {path} ({_first_line(error)}): put it back from a copy; or "
            "remove it, and another one is made, but tokens that were signed with it are refused then"
        ) from error
    if not isinstance(key, RSAPrivateKey):
        raise DataDirectoryUnusable(f"{path} holds no RSA key: put the right one there, or remove it")
    return key


@dataclass(frozen=True, slots=True)
class EarlierKey:
    """What signed before the key was renewed. It goes on doing so until `until`, in seconds of the wall's clock: by
    then every server of the cluster knows the new one."""

    key: RSAPrivateKey
    until: float


def earlier_key(path: Path) -> EarlierKey | None:
    """Of the key in the server's own directory, while both are believed."""
    older = path.with_name(PREVIOUS)
    try:
        renewed = datetime.fromisoformat(orjson.loads((older / "renewed.json").read_bytes())["renewed"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return EarlierKey(_read_own_key(older / path.name), (renewed + _KNOWN_EVERYWHERE_AFTER).timestamp())


def read_signing_key(path: Path) -> PrivateKey:
    """The first private key in a file. Raises InvalidOptions."""
    for block in _blocks(path):
        if b"PRIVATE KEY" not in block:
            continue
        try:
            key = load_pem_private_key(block, password=None)
            if isinstance(key, (RSAPrivateKey, EllipticCurvePrivateKey)):
                SigningKey(key)
                return key
        except UnusableKey as error:
            raise InvalidOptions([f"failed to build token generator: {error}"]) from error
        except _UNREADABLE:
            continue
    raise InvalidOptions(
        [f"failed to parse service-account-signing-key-file: {path} does not contain a valid RSA or EC private key"]
    )


def read_verification_keys(paths: Sequence[Path]) -> list[VerificationKey]:
    """Public keys, those of private keys, and those of certificates: all that are in the files. Raises InvalidOptions
    for a file without any."""
    found: list[VerificationKey] = []
    for path in paths:
        keys = list(_public_keys(path))
        if not keys:
            raise InvalidOptions(
                [f"error reading public key file {path}: data does not contain any valid RSA or ECDSA public keys"]
            )
        found += keys
    return found


def _public_keys(path: Path) -> Iterator[VerificationKey]:
    for block in _blocks(path):
        try:
            key = _public_key(block)
            if isinstance(key, (RSAPublicKey, EllipticCurvePublicKey)):
                yield VerificationKey(key)
        except _UNREADABLE:
            continue  # another block may be one


def _public_key(block: bytes) -> object:
    if b"PRIVATE KEY" in block:
        private = load_pem_private_key(block, password=None)
        return private.public_key() if isinstance(private, (RSAPrivateKey, EllipticCurvePrivateKey)) else None
    if block.startswith(b"-----BEGIN CERTIFICATE-----"):
        return x509.load_pem_x509_certificate(block).public_key()
    return load_pem_public_key(block)


def _blocks(path: Path) -> list[bytes]:
    """Raises InvalidOptions."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        reason = (error.strerror or "").lower()
        raise InvalidOptions([f"error reading public key file {path}: open {path}: {reason}"]) from error
    blocks: list[bytes] = []
    block: list[bytes] = []
    for line in lines:
        if line.startswith(b"-----BEGIN "):
            block = []
        block.append(line.strip())
        if line.startswith(b"-----END ") and block[0].startswith(b"-----BEGIN "):
            blocks.append(b"\n".join((*block, b"")))
    return blocks


def _first_line(error: Exception) -> str:
    return str(error).partition(".")[0].partition("\n")[0] or type(error).__name__
