"""What may stand in a kubeconfig, in the order in which Kubernetes writes it. Kubernetes: clientcmd/api/v1/types.go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CLUSTER: Mapping[str, str] = {
    "server": "text",
    "tls-server-name": "text",
    "insecure-skip-tls-verify": "switch",
    "certificate-authority": "text",
    "certificate-authority-data": "bytes",
    "proxy-url": "text",
    "disable-compression": "switch",
    "extensions": "map",
}
USER: Mapping[str, str] = {
    "client-certificate": "text",
    "client-certificate-data": "bytes",
    "client-key": "text",
    "client-key-data": "bytes",
    "token": "text",
    "tokenFile": "text",
    "act-as": "text",
    "act-as-uid": "text",
    "act-as-groups": "list",
    "act-as-user-extra": "map",
    "username": "text",
    "password": "text",
    "auth-provider": "map",
    "exec": "map",
    "extensions": "map",
}
CONTEXT: Mapping[str, str] = {"cluster": "text", "user": "text", "namespace": "text", "extensions": "map"}

KINDS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "clusters": ("cluster", CLUSTER),
    "users": ("user", USER),
    "contexts": ("context", CONTEXT),
}
"""The lists of a kubeconfig: what an entry's content is called, and what it may have."""

_ALWAYS: Mapping[str, tuple[str, ...]] = {"clusters": ("server",), "users": (), "contexts": ("cluster", "user")}


def complete(kind: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """An entry's content in order, with what Kubernetes always writes, and without what is empty."""
    _, fields = KINDS[kind]
    found: dict[str, Any] = {}
    for name in (*fields, *(name for name in content if name not in fields)):
        value = content.get(name)
        if value or name in _ALWAYS[kind]:
            found[name] = value or ""
    return found
