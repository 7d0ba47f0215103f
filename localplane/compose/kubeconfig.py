"""The file with which a client finds a server: one cluster, one user, one context."""

from __future__ import annotations

import base64
from pathlib import Path

import orjson

from localplane.apiserver.server.certificates.self_signed import CertificateFiles
from localplane.apiserver.storage.data_directory import write_atomically


def write_kubeconfig(
    path: Path, *, name: str, url: str, certificates: CertificateFiles | None, token: str = ""
) -> None:
    """Mode 0600: with generated certificates it holds the administrator's key; without them it names nobody, and
    whoever uses it adds what he has. `token` is for clients that can't use a certificate. JSON is YAML enough for
    everybody."""
    cluster: dict[str, str] = {"server": reachable(url)}
    user: dict[str, str] = {"token": token} if token else {}
    if certificates is not None:
        cluster["certificate-authority-data"] = _encoded(certificates.authority)
        user["client-certificate-data"] = _encoded(certificates.admin)
        user["client-key-data"] = _encoded(certificates.admin_key)
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": name, "user": user}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "current-context": name,
    }
    write_atomically(path, orjson.dumps(content, option=orjson.OPT_INDENT_2))


def reachable(url: str) -> str:
    """A server that listens on all addresses has none of its own; from here it is reached over loopback."""
    return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")


def _encoded(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()
