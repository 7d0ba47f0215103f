"""`config view`: everything merged, secrets hidden unless they are asked for."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from pathlib import Path

from kctl.errors import KctlError

from .fields import CLUSTER, USER, complete
from .files import ConfigFiles, Document, Entries

_FILES = {
    "certificate-authority": "certificate-authority-data",
    "client-certificate": "client-certificate-data",
    "client-key": "client-key-data",
}
_SECRETS = ("token", "password")
_BYTES = tuple(name for fields in (CLUSTER, USER) for name, kind in fields.items() if kind == "bytes")


def document(files: ConfigFiles, *, minify: bool, flatten: bool, raw: bool, context: str) -> Document:
    current = context if minify and context else files.current_context
    kinds = {kind: files.entries(kind) for kind in ("clusters", "users", "contexts")}
    if minify:
        kinds = _minified(kinds, current)
    if flatten:
        kinds = _changed(kinds, lambda content: _flattened(content, files.file.parent))
    elif not raw:
        kinds = _changed(kinds, _redacted)
    return {
        "kind": "Config",
        "apiVersion": "v1",
        "clusters": _listed("clusters", "cluster", kinds),
        "users": _listed("users", "user", kinds),
        "contexts": _listed("contexts", "context", kinds),
        "current-context": current,
    }


def _listed(kind: str, field: str, kinds: Mapping[str, Entries]) -> list[Document] | None:
    return [{"name": name, field: complete(kind, content)} for name, content in kinds[kind].items()] or None


def _minified(kinds: Mapping[str, Entries], current: str) -> dict[str, Entries]:
    """Kubernetes: clientcmdapi.MinifyConfig."""
    if not current:
        raise KctlError("current-context must exist in order to minify")
    context = kinds["contexts"].get(current)
    if context is None:
        raise KctlError(f"cannot locate context {current}")
    kept: dict[str, Entries] = {"contexts": {current: context}, "clusters": {}, "users": {}}
    for kind, field, what in (("clusters", "cluster", "cluster"), ("users", "user", "user")):
        if name := context.get(field):
            if name not in kinds[kind]:
                raise KctlError(f"cannot locate {what} {name}")
            kept[kind] = {name: kinds[kind][name]}
    return kept


def _changed(kinds: Mapping[str, Entries], change: Callable[[Document], Document]) -> dict[str, Entries]:
    return {kind: {name: change(dict(entry)) for name, entry in entries.items()} for kind, entries in kinds.items()}


def _redacted(content: Document) -> Document:
    for name in _SECRETS:
        if content.get(name):
            content[name] = "REDACTED"
    for name in _BYTES:
        if content.get(name):
            content[name] = "DATA+OMITTED"
    provider = content.get("auth-provider")
    if isinstance(provider, dict) and isinstance(provider.get("config"), dict):
        content["auth-provider"] = {**provider, "config": dict.fromkeys(provider["config"], "REDACTED")}
    return content


def _flattened(content: Document, base: Path) -> Document:
    for name, data in _FILES.items():
        if path := content.pop(name, ""):
            try:
                content[data] = base64.b64encode((base / path).read_bytes()).decode()
            except OSError as error:
                raise KctlError(f"open {path}: {(error.strerror or str(error)).lower()}") from error
    return content
