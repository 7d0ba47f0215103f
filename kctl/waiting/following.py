"""One object, and then every change to it.

The object comes first on the watch itself, where the server can do that; elsewhere it is listed before. Kubernetes:
client-go/tools/cache, Reflector.watchList.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from localplane.apimachinery.errors import APIError, Expired
from localplane.apimachinery.objects import JSONObject
from localplane.client.errors import ConnectionLost
from localplane.client.options import ListOptions

if TYPE_CHECKING:
    from kctl.resolve import Info
    from localplane.client.watch import WatchStream


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


async def _begin(info: Info) -> tuple[JSONObject | None, WatchStream | None]:
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


async def _list_first(info: Info) -> tuple[JSONObject | None, WatchStream]:
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
