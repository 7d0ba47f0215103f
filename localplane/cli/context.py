"""A plane's context in the user's kubeconfig: put there when it is ready, taken out when it stops.

The context that was current before is written into our own entry, as an extension, so that the file alone is enough
to tell what comes next, whoever was killed meanwhile and in whatever order planes come and go. Another plane of ours
becomes current again; somebody else's cluster only if that was asked for (`SwitchContext.ALWAYS`): a script that goes
on while its plane stops must not find itself in production. What reads and writes such files is imported when it is
needed: `kctl status` and `kctl down` seldom need it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import orjson

from localplane.apimachinery.objects import JSONObject
from localplane.client.errors import ConfigError
from localplane.client.kubeconfig import edits, load

_EXTENSION = "kctl"
_PREVIOUS = "previous-context"
_GOES_BACK = "goes-back"
_PREFIX = "kctl-"


class SwitchContext(StrEnum):
    """Whether a plane's context becomes the current one, and whether the one before is so again afterwards, even if it
    is of a cluster which is no plane of ours."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


def context_name(name: str) -> str:
    return f"{_PREFIX}{name}"


@dataclass(frozen=True, slots=True)
class Merged:
    """`into` is the user's file, `before` the context that was current in it."""

    into: Path
    before: str


@dataclass(frozen=True, slots=True)
class Left:
    """What is current in a kubeconfig from which a context was taken: `now`, empty if nothing is. `before` is what was
    current before that context, if it was the current one."""

    now: str
    before: str = ""

    def sentence(self) -> str:
        """For whoever has stopped the plane; empty if there is nothing to say."""
        if not self.before:
            return ""
        if self.now == self.before:
            return f"The current context is {self.now} again."
        if self.now:
            return f"The current context is {self.now}."
        return f"No context is current; {self.before} was, before it: `kctl ctx {self.before}` goes back."


def add_context(plane_kubeconfig: Path, *, switch: SwitchContext, into: Path | None = None) -> Merged:
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
        if switch is not SwitchContext.NEVER:
            document["current-context"] = name
            _remember(_found(document, name), before, goes_back=switch is SwitchContext.ALWAYS)

    edits.edit(path, change)
    return Merged(path, before)


def remove_context(path: Path, name: str) -> Left | None:
    """Take out what `add_context` put in. If it is still current, the one before is current again, or none is. Returns
    None if there is no such file."""
    left: Left | None = None

    def change(document: JSONObject) -> None:
        nonlocal left
        entry = _find(document, "contexts", name)
        previous = _previous(entry) if entry else ""
        goes_back = entry is not None and _goes_back(entry)
        for sort in ("clusters", "users", "contexts"):
            document[sort] = [one for one in document[sort] if one.get("name") != name]
        for other in document["contexts"]:
            if _previous(other) == name:
                _remember(other, previous, goes_back=_goes_back(other))
        if document.get("current-context") == name:
            is_allowed = goes_back or previous.startswith(_PREFIX)
            document["current-context"] = previous if is_allowed and _exists(document, previous) else ""
            left = Left(document["current-context"], previous)
        else:
            left = Left(document.get("current-context") or "")

    if path.exists():
        edits.edit(path, change)
    return left


def context_before(path: Path, name: str) -> str:
    """What was current before a plane's context, if that is the current one; empty if nobody can tell."""
    try:
        config = load(path)
    except ConfigError:
        return ""
    context = config.contexts.get(name)
    own = context.extensions.get(_EXTENSION) if context is not None and config.current_context == name else None
    return str(own.get(_PREVIOUS) or "") if isinstance(own, dict) else ""


def current_context(path: Path | None = None) -> str:
    """What kubectl would use now, of this file or of all; empty if nobody can tell."""
    try:
        return load(path).current_context
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


def _own(entry: JSONObject) -> JSONObject:
    """What we have written into an entry of ours."""
    for extension in _extensions(entry):
        if extension.get("name") == _EXTENSION:
            own: JSONObject = extension["extension"]
            return own
    return {}


def _previous(entry: JSONObject) -> str:
    return str(_own(entry).get(_PREVIOUS) or "")


def _goes_back(entry: JSONObject) -> bool:
    return _own(entry).get(_GOES_BACK) is True


def _remember(entry: JSONObject, previous: str, *, goes_back: bool) -> None:
    context = entry["context"]
    others = [one for one in context.get("extensions") or () if one.get("name") != _EXTENSION]
    own = {_PREVIOUS: previous, **({_GOES_BACK: True} if goes_back else {})}
    context["extensions"] = [*others, {"name": _EXTENSION, "extension": own}]


def _exists(document: JSONObject, name: str) -> bool:
    """In this file, or in another one that is merged with it."""
    if _find(document, "contexts", name) is not None:
        return True
    try:
        return name in load().contexts
    except ConfigError:
        return False
