"""What --for can say. Kubernetes: kubectl/pkg/cmd/wait, condition.go and json.go.

One object, and then every change to it.

The object comes first on the watch itself, where the server can do that; elsewhere it is listed before. Kubernetes:
client-go/tools/cache, Reflector.watchList.

Watching one object until something is true of it: `kctl wait` and `kctl rollout status`.

`following` brings an object and what becomes of it, whatever the network does; `conditions` are what can be waited for.
Verbs call both; they run in an event loop, because they give up after a while. Nothing here changes anything.
Kubernetes: kubectl/pkg/cmd/wait, client-go/tools/watch, UntilWithSync.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any, Final, NamedTuple, Protocol

from kctl.errors import KctlError
from kctl.objects import Info
from kctl.printers import jsonpath
from localplane.apimachinery.errors import APIError, Expired
from localplane.apimachinery.golang.text import go_plain, go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.client.errors import ConnectionLost
from localplane.client.rest import watch
from localplane.client.rest.options import ListOptions


class Check(Protocol):
    def met(self, obj: JSONObject) -> bool:
        """Raises KctlError if it can't be told."""


class Created(NamedTuple):
    pass


class Deleted(NamedTuple):
    pass


class Condition(NamedTuple):
    """One of status.conditions; an observation of an older generation does not count."""

    name: str
    status: str

    def met(self, obj: JSONObject) -> bool:
        status = obj.get("status") or {}
        for condition in status.get("conditions") or ():
            if not isinstance(condition, dict) or str(condition.get("type", "")).casefold() != self.name.casefold():
                continue
            if not isinstance(condition.get("status"), str):
                continue
            generation = (obj.get("metadata") or {}).get("generation")
            observed = condition.get("observedGeneration", status.get("observedGeneration"))
            if isinstance(generation, int) and isinstance(observed, int) and observed < generation:
                return False
            return bool(condition["status"].casefold() == self.status.casefold())
        return False


class Path(NamedTuple):
    """What a JSONPath leads to: anything at all, or this text."""

    template: Any
    value: str

    def met(self, obj: JSONObject) -> bool:
        try:
            results = jsonpath.find(self.template, obj, allow_missing=True)
        except jsonpath.JSONPathError as error:
            raise KctlError(str(error)) from error
        if not results or not results[0]:
            return False
        if len(results) > 1:
            raise KctlError("given jsonpath expression matches more than one list")
        if len(results[0]) > 1:
            raise KctlError("given jsonpath expression matches more than one value")
        if not self.value:
            return True
        found = results[0][0]
        if isinstance(found, (dict, list)):
            raise KctlError("jsonpath leads to a nested object or list which is not supported")
        return go_plain(found).strip() == self.value.strip()


Awaited = Created | Deleted | Condition | Path


def read(words: Sequence[str]) -> list[Awaited]:
    if not words:
        raise KctlError("unrecognized condition: []")
    return [_read(word) for word in words]


def _read(word: str) -> Awaited:
    match word.lower():
        case "delete":
            return Deleted()
        case "create":
            return Created()
    if word.startswith("condition="):
        name, equals, status = word.removeprefix("condition=").partition("=")
        return Condition(name, status if equals else "true")
    if word.startswith("jsonpath="):
        return _path(word.removeprefix("jsonpath="))
    raise KctlError(f"unrecognized condition: {go_quote(word)}")


def _path(text: str) -> Path:
    parts = _split(text)
    if len(parts) > 2:
        raise KctlError(
            "jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or "
            "--for=jsonpath='{.status.readyReplicas}'"
        )
    expression = jsonpath.relaxed(parts[0])
    value = parts[1].strip("'\"") if len(parts) == 2 else ""
    if len(parts) == 2 and not value:
        raise KctlError(
            "jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3"
        )
    if not expression:
        raise KctlError("jsonpath expression cannot be empty")
    try:
        return Path(jsonpath.parse(expression), value)
    except jsonpath.JSONPathSyntaxError as error:
        raise KctlError(str(error)) from error


def _split(text: str) -> list[str]:
    """At every `=` that is not one of two: filters compare with `==`."""
    marked = text.replace("==", "\0")
    return [part.replace("\0", "==") for part in marked.split("=")]


_INITIAL_END: Final = "k8s.io/initial-events-end"
_SHORTEST: Final = 300
"""Seconds after which the server may end a watch; it is asked for up to twice as many."""


async def follow(info: Info) -> AsyncIterator[tuple[str, JSONObject | None]]:
    """First `ADDED` and the object, or `ABSENT`; then MODIFIED, DELETED and ADDED as they happen, for ever."""
    known: JSONObject | None = None
    first, streams = True, True
    while True:
        current, watching = await _begin(info) if streams else (None, None)
        if watching is None:
            streams = False
            current, watching = await _list_first(info)
        if first or _version(current) != _version(known):
            yield _what_happened(known, current), current if current is not None else known
        known, first = current, False
        with suppress(ConnectionLost, Expired):
            async with watching:
                async for event in watching:
                    if event.type == "BOOKMARK":
                        continue
                    known = None if event.type == "DELETED" else event.object
                    yield event.type, event.object


async def _begin(info: Info) -> tuple[JSONObject | None, watch.WatchStream | None]:
    """What is there, and a watch that goes on from there; no watch from a server that can't begin one so."""
    options = ListOptions(
        field_selector=_selector(info),
        resource_version_match="NotOlderThan",
        timeout=_patience(),
        allow_watch_bookmarks=True,
        send_initial_events=True,
    )
    watching = info.resource.watch(options)
    found: JSONObject | None = None
    try:
        async for event in watching:
            if event.type == "BOOKMARK" and _INITIAL_END in (event.object["metadata"].get("annotations") or {}):
                return found, watching
            found = event.object if event.type in ("ADDED", "MODIFIED") else None if event.type == "DELETED" else found
    except (APIError, ConnectionLost):
        pass  # whatever it was, the other way tells
    await watching.close()
    return None, None


async def _list_first(info: Info) -> tuple[JSONObject | None, watch.WatchStream]:
    listed = await info.resource.list(ListOptions(field_selector=_selector(info)))
    options = ListOptions(
        field_selector=_selector(info),
        resource_version=str((listed.get("metadata") or {}).get("resourceVersion", "")),
        timeout=_patience(),
        allow_watch_bookmarks=True,
    )
    items = listed.get("items") or [None]
    return items[0], info.resource.watch(options)


def _selector(info: Info) -> str:
    return f"metadata.name={info.name}"


def _patience() -> timedelta:
    """Not the same for everybody, so that not all come back at once."""
    return timedelta(seconds=random.randint(_SHORTEST, 2 * _SHORTEST))  # noqa: S311 - it guards nothing


def _what_happened(before: JSONObject | None, now: JSONObject | None) -> str:
    if now is None:
        return "ABSENT" if before is None else "DELETED"
    return "ADDED" if before is None else "MODIFIED"


def _version(obj: JSONObject | None) -> str:
    return "" if obj is None else str((obj.get("metadata") or {}).get("resourceVersion", ""))
