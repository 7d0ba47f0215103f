"""A plane's context in the user's kubeconfig: put there when it is ready, taken out when it stops.

The context that was current before is written into our own entry, as an extension, so that the file alone is enough
to restore it, whoever was killed meanwhile and in whatever order planes come and go. What reads and writes such files
is imported when it is needed: `kctl status` and `kctl down` seldom need it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from localplane.apimachinery.objects import JSONObject
from localplane.client.errors import ConfigError
from localplane.client.kubeconfig import edits, load

_EXTENSION = "kctl"
_PREVIOUS = "previous-context"


def context_name(name: str) -> str:
    return f"kctl-{name}"


@dataclass(frozen=True, slots=True)
class Merged:
    """`into` is the user's file, `before` the context that was current in it."""

    into: Path
    before: str


def add_context(plane_kubeconfig: Path, *, switch: bool, into: Path | None = None) -> Merged:
    """Merge a plane's own kubeconfig, which has one entry of each sort, into the user's. Raises ConfigError."""
    ours: JSONObject = orjson.loads(plane_kubeconfig.read_bytes())
    name: str = ours["current-context"]
    path = edits.file_to_edit(into).absolute()
    before = ""

    def change(document: JSONObject) -> None:
        nonlocal before
        current = document.get("current-context") or ""
        existing = _find(document, "contexts", name)
        # A plane that was killed left its entry: what was current before it is what counts.
        before = _previous(existing) if current == name and existing else current
        for sort, field in (("clusters", "cluster"), ("users", "user")):
            _put(document, sort, name, field, ours[sort][0][field], keep=False)
        _put(document, "contexts", name, "context", ours["contexts"][0]["context"], keep=True)
        if switch:
            document["current-context"] = name
            _remember(_found(document, name), before)

    edits.edit(path, change)
    return Merged(path, before)


def remove_context(path: Path, name: str) -> None:
    """Take out what `add_context` put in. The current context goes back to what it was, if it is still ours."""

    def change(document: JSONObject) -> None:
        entry = _find(document, "contexts", name)
        previous = _previous(entry) if entry else ""
        for sort in ("clusters", "users", "contexts"):
            document[sort] = [one for one in document[sort] if one.get("name") != name]
        for other in document["contexts"]:
            if _previous(other) == name:
                _remember(other, previous)
        if document.get("current-context") == name:
            document["current-context"] = previous if _exists(document, previous) else ""

    if path.exists():
        edits.edit(path, change)


def current_context() -> str:
    """What kubectl would use now; empty if nobody can tell."""
    try:
        return load().current_context
    except ConfigError:
        return ""


def _find(document: JSONObject, sort: str, name: str) -> JSONObject | None:
    return next((entry for entry in document[sort] if entry.get("name") == name), None)


def _found(document: JSONObject, name: str) -> JSONObject:
    entry = _find(document, "contexts", name)
    assert entry is not None, "it was put there before"
    return entry


def _put(document: JSONObject, sort: str, name: str, field: str, value: Any, *, keep: bool) -> None:
    """`keep`: what somebody has added to the entry (a namespace) stays; else ours replaces it."""
    entry = _find(document, sort, name)
    if entry is None:
        entry = {"name": name}
        document[sort].append(entry)
    old = entry.get(field)
    entry[field] = {**old, **value} if keep and isinstance(old, dict) else dict(value)


def _extensions(entry: JSONObject) -> Iterator[JSONObject]:
    context = entry.get("context")
    listed = context.get("extensions") if isinstance(context, dict) else None
    for extension in listed if isinstance(listed, list) else ():
        if isinstance(extension, dict) and isinstance(extension.get("extension"), dict):
            yield extension


def _previous(entry: JSONObject) -> str:
    for extension in _extensions(entry):
        if extension.get("name") == _EXTENSION:
            return str(extension["extension"].get(_PREVIOUS) or "")
    return ""


def _remember(entry: JSONObject, previous: str) -> None:
    context = entry["context"]
    others = [one for one in context.get("extensions") or () if one.get("name") != _EXTENSION]
    context["extensions"] = [*others, {"name": _EXTENSION, "extension": {_PREVIOUS: previous}}]


def _exists(document: JSONObject, name: str) -> bool:
    """In this file, or in another one that is merged with it."""
    if _find(document, "contexts", name) is not None:
        return True
    try:
        return name in load().contexts
    except ConfigError:
        return False
