"""`config view`: everything merged, secrets hidden unless they are asked for."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from kctl.changes.config.files import ConfigFiles, Entries
from kctl.errors import KctlError
from localplane.apimachinery.objects import JSONObject
from localplane.client.kubeconfig.fields import KINDS, STRUCTS, completed

_FILES = {
    "certificate-authority": "certificate-authority-data",
    "client-certificate": "client-certificate-data",
    "client-key": "client-key-data",
}
_SECRETS = ("token", "password")
_BYTES = tuple(name for fields in STRUCTS.values() for name, kind in fields.items() if kind == "[]uint8")


class View(NamedTuple):
    """What is asked for. `context` is taken for the current one, if only that is to be shown."""

    minify: bool
    flatten: bool
    raw: bool
    context: str


def document(files: ConfigFiles, view: View) -> JSONObject:
    current = view.context if view.minify and view.context else files.current_context
    kinds = {kind: files.entries(kind) for kind in KINDS}
    if view.minify:
        kinds = _minified(kinds, current)
    for kind, entries in kinds.items():
        for name, content in entries.items():
            if view.flatten:
                _flatten(content, files.directory(kind, name))
            elif not view.raw:
                _redact(content)
    return completed(
        {
            "preferences": files.whole("preferences"),
            "extensions": files.whole("extensions"),
            "current-context": current,
            **{
                kind: [{"name": name, KINDS[kind][0]: content} for name, content in entries.items()]
                for kind, entries in kinds.items()
            },
        }
    )


def _minified(kinds: Mapping[str, Entries], current: str) -> dict[str, Entries]:
    """Kubernetes: clientcmdapi.MinifyConfig."""
    if not current:
        raise KctlError("current-context must exist in order to minify")
    context = kinds["contexts"].get(current)
    if context is None:
        raise KctlError(f"cannot locate context {current}")
    kept: dict[str, Entries] = {"clusters": {}, "users": {}, "contexts": {current: context}}
    for kind, field in (("clusters", "cluster"), ("users", "user")):
        if name := context.get(field):
            if name not in kinds[kind]:
                raise KctlError(f"cannot locate {field} {name}")
            kept[kind] = {name: kinds[kind][name]}
    return kept


def _redact(content: JSONObject) -> None:
    for names, shown in ((_SECRETS, "REDACTED"), (_BYTES, "DATA+OMITTED")):
        for name in names:
            if content.get(name):
                content[name] = shown


def _flatten(content: JSONObject, base: Path) -> None:
    for name, data in _FILES.items():
        path = content.pop(name, "")
        if not path:
            continue
        if content.get(data):
            raise KctlError("cannot have values for both path and contents")
        file = base / path
        try:
            content[data] = base64.b64encode(file.read_bytes()).decode()
        except OSError as error:
            raise KctlError(f"open {file}: {(error.strerror or str(error)).lower()}") from error
