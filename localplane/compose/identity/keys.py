"""All keys of a cluster as one value: how they are made, renewed and retired, and how they lie in a directory.

A renewal takes two steps, so that nobody is locked out. First there are new keys beside the old ones (`previous`):
both are believed, what is published has both, new client certificates are of the new authority, and the certificate
that a server shows is still of the old one, which is all that old kubeconfigs know. When everybody has the new ones,
the old ones are retired.

    ca.crt ca.key                          the authority of servers and clients
    front-proxy-ca.crt front-proxy-ca.key  the authority by which other servers know this one
    sa.key                                 signs tokens of service accounts
    admin.token                            the administrator's
    previous/                              the same of before the renewal, and when that was
    ca-bundle.crt front-proxy-ca-bundle.crt   both authorities, while there are two
"""

from __future__ import annotations

import base64
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self

import orjson
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from localplane.apiserver.server.certificates.issuer import Authority
from localplane.apiserver.server.certificates.self_signed import PREVIOUS, RECORD
from localplane.apiserver.server.certificates.signing_key import new_signing_key
from localplane.files import write_atomically

_FRONT_PROXY_RECORD: Final = "front-proxy.json"
_RENEWED: Final = "renewed.json"
_NAMES: Final = ("ca.crt", "ca.key", "front-proxy-ca.crt", "front-proxy-ca.key", "sa.key", "admin.token")
_BUNDLES: Final = {"ca.crt": "ca-bundle.crt", "front-proxy-ca.crt": "front-proxy-ca-bundle.crt"}


class KeysIncomplete(Exception):
    """A sentence: what is missing of a cluster's keys."""


class RenewalState(Exception):
    """A sentence: why there is nothing to renew or to retire now."""


@dataclass(frozen=True, slots=True)
class ClusterKeys:
    """`files` by their names. `previous` are those of before the renewal at `renewed`, if they are still believed."""

    files: Mapping[str, bytes]
    previous: Mapping[str, bytes] | None = None
    renewed: datetime | None = None

    @classmethod
    def make(cls, at: datetime, *, spare: RSAPrivateKey | None = None) -> Self:
        """`spare` is a key for tokens that somebody has made already, which takes longest."""
        authority, proxy = Authority.make(at), Authority.make(at, name="front-proxy-ca")
        signing = (spare or new_signing_key()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return cls(
            {
                "ca.crt": authority.certificate_pem,
                "ca.key": authority.key_pem,
                "front-proxy-ca.crt": proxy.certificate_pem,
                "front-proxy-ca.key": proxy.key_pem,
                "sa.key": signing,
                "admin.token": secrets.token_urlsafe(32).encode(),
            }
        )

    @classmethod
    def read(cls, directory: Path) -> Self:
        """Raises KeysIncomplete."""
        files = {name: _content(directory / name) for name in _NAMES}
        older = directory / PREVIOUS
        try:
            renewed = datetime.fromisoformat(orjson.loads((older / _RENEWED).read_bytes())["renewed"])
        except (OSError, ValueError, KeyError, TypeError):
            return cls(files)
        return cls(files, {name: _content(older / name) for name in _NAMES}, renewed)

    @classmethod
    def of_document(cls, document: Any) -> Self:
        """Raises KeysIncomplete for what is no document of keys."""
        try:
            files = _decoded(document["files"])
            if "previous" not in document:
                return cls(files)
            return cls(files, _decoded(document["previous"]), datetime.fromisoformat(document["renewed"]))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise KeysIncomplete(f"its keys can't be read ({error!r})") from error

    def document(self) -> dict[str, Any]:
        """As JSON has it. It holds secrets."""
        document: dict[str, Any] = {"files": _encoded(self.files)}
        if self.previous is not None and self.renewed is not None:
            document |= {"previous": _encoded(self.previous), "renewed": self.renewed.isoformat()}
        return document

    def renew(self, at: datetime) -> Self:
        """New ones, with these beside them. Raises RenewalState."""
        if self.previous is not None and self.renewed is not None:
            since = self.renewed.isoformat(timespec="seconds").replace("+00:00", "Z")
            raise RenewalState(
                f"the keys were renewed at {since} and the previous ones are still believed: when everybody has a "
                "kubeconfig of since then, retire those first, with `kctl certs retire`"
            )
        return replace(self, files=self.make(at).files, previous=self.files, renewed=at)

    def retire(self) -> Self:
        """These alone, without the previous ones. Raises RenewalState."""
        if self.previous is None:
            raise RenewalState("there are no previous keys: renew them first, with `kctl certs renew`")
        return replace(self, previous=None, renewed=None)

    def write(self, directory: Path) -> None:
        """Into a directory of the server's own. What was signed for other keys than these is forgotten first: a start
        that is killed here does all of it again."""
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        directory.chmod(0o700)
        for record in (RECORD, _FRONT_PROXY_RECORD):
            (directory / record).unlink(missing_ok=True)
        older = directory / PREVIOUS
        if self.previous is None:
            shutil.rmtree(older, ignore_errors=True)
        else:
            older.mkdir(mode=0o700, exist_ok=True)
            for name, content in self.previous.items():
                write_atomically(older / name, content)
        for name, content in self.files.items():
            write_atomically(directory / name, content)
        for name, bundle in _BUNDLES.items():
            if self.previous is None:
                (directory / bundle).unlink(missing_ok=True)
            else:
                write_atomically(directory / bundle, self.files[name] + self.previous[name])
        if self.previous is not None and self.renewed is not None:
            write_atomically(older / _RENEWED, orjson.dumps({"renewed": self.renewed.astimezone(UTC).isoformat()}))


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise KeysIncomplete(f"{path} can't be read: {error.strerror}") from error


def _encoded(files: Mapping[str, bytes]) -> dict[str, str]:
    return {name: base64.b64encode(content).decode() for name, content in files.items()}


def _decoded(files: Mapping[str, str]) -> dict[str, bytes]:
    decoded = {name: base64.b64decode(files[name], validate=True) for name in _NAMES}
    Authority.of_pem(decoded["ca.crt"], decoded["ca.key"])
    return decoded
