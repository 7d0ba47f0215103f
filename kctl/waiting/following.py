"""One object, and then every change to it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from localplane.apimachinery.errors import Expired
from localplane.client.errors import ConnectionLost
from localplane.client.options import ListOptions

if TYPE_CHECKING:
    from kctl.resolve import Info

Object = dict[str, Any]


async def follow(info: Info) -> AsyncIterator[tuple[str, Object | None]]:
    """First `ADDED` and the object, or `ABSENT`; then MODIFIED, DELETED and ADDED as they happen, for ever."""
    selector = f"metadata.name={info.name}"
    known: Object | None = None
    first = True
    while True:
        listed = await info.resource.list(ListOptions(field_selector=selector))
        items = listed.get("items") or [None]
        current: Object | None = items[0]
        if first or _version(current) != _version(known):
            yield _what_happened(known, current), current if current is not None else known
        known, first = current, False
        options = ListOptions(
            field_selector=selector,
            resource_version=str((listed.get("metadata") or {}).get("resourceVersion", "")),
            allow_watch_bookmarks=True,
        )
        try:
            async with info.resource.watch(options) as events:
                async for event in events:
                    if event.type == "BOOKMARK":
                        continue
                    known = None if event.type == "DELETED" else event.object
                    yield event.type, event.object
        except (ConnectionLost, Expired):
            continue


def _what_happened(before: Object | None, now: Object | None) -> str:
    if now is None:
        return "ABSENT" if before is None else "DELETED"
    return "ADDED" if before is None else "MODIFIED"


def _version(obj: Object | None) -> str:
    return "" if obj is None else str((obj.get("metadata") or {}).get("resourceVersion", ""))
