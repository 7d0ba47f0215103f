"""The file with which a client finds a server: one cluster, one user, one context."""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass
from pathlib import Path

import orjson

from localplane.apiserver.server.certificates.self_signed import CertificateFiles
from localplane.files import write_atomically


@dataclass(frozen=True, slots=True, kw_only=True)
class KubeconfigEntry:
    """`authority` is whom the client trusts. The user has a certificate, a token for clients that can't use one, or
    both; with neither the file names nobody, and whoever uses it adds what he has."""

    name: str
    url: str
    authority: Path | None = None
    certificate: Path | None = None
    key: Path | None = None
    token: str = ""
    namespace: str = ""

    @classmethod
    def of_admin(cls, name: str, url: str, certificates: CertificateFiles | None, token: str) -> KubeconfigEntry:
        """Of a server that is known by these certificates, if it has some of its own."""
        if certificates is None:
            return cls(name=name, url=url, token=token)
        return cls(
            name=name,
            url=url,
            authority=certificates.authority,
            certificate=certificates.admin,
            key=certificates.admin_key,
            token=token,
        )

    def document(self) -> bytes:
        """JSON is YAML enough for everybody."""
        name = self.name
        cluster: dict[str, str] = {"server": reachable(self.url)}
        user: dict[str, str] = {"token": self.token} if self.token else {}
        if self.authority is not None:
            cluster["certificate-authority-data"] = _encoded(self.authority)
        if self.certificate is not None and self.key is not None:
            user["client-certificate-data"] = _encoded(self.certificate)
            user["client-key-data"] = _encoded(self.key)
        namespace = {"namespace": self.namespace} if self.namespace else {}
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": name, "cluster": cluster}],
            "users": [{"name": name, "user": user}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": name, **namespace}}],
            "current-context": name,
        }
        return orjson.dumps(content, option=orjson.OPT_INDENT_2)


def write_kubeconfig(path: Path, entry: KubeconfigEntry) -> None:
    """Mode 0600: it may hold an administrator's key."""
    write_atomically(path, entry.document())


def write_passing_kubeconfig(path: Path, entry: KubeconfigEntry) -> None:
    """The same for a file that is gone before this process is: no power cut matters to it, so nothing waits for a
    disk."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(entry.document())


def reachable(url: str) -> str:
    """A server that listens on all addresses has none of its own; from here it is reached over loopback."""
    return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")


def _encoded(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()
