"""Until an object is as a test wants it: one watch, and no looking again and again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

from localplane.apimachinery.errors import Expired
from localplane.apimachinery.objects import JSONObject
from localplane.client import ClientError, ListOptions, ResourceClient

Condition = str | Callable[[JSONObject], Any]
"""The type of a condition in the object's status that is True (`Available`), or with its status (`Ready=False`); or
`created`, `deleted`; or whatever a function says of the object."""

CREATED: Final = "created"
DELETED: Final = "deleted"
_PAUSE_SECONDS: Final = 0.05


class WaitTimedOut(TimeoutError):
    """It did not become so. The text says what was waited for, and has the object, its events and who changed it."""


class Wait:
    """Of one object, or with an empty name of any of its kind. `seen` is the last state that there was."""

    def __init__(self, objects: ResourceClient, name: str, condition: Condition) -> None:
        self._objects = objects
        self._name = name
        self._condition = condition
        self.seen: JSONObject | None = None

    async def until_so(self, within: timedelta) -> JSONObject | None:
        """The object as it was when it was so, None once it is gone. Raises TimeoutError, and what the function
        raises."""
        async with asyncio.timeout(within.total_seconds()):
            while True:
                try:
                    if await self._follow():
                        return self.seen
                except (Expired, ClientError):
                    await asyncio.sleep(_PAUSE_SECONDS)  # a watch that was cut begins anew

    async def _follow(self) -> bool:
        """True when it is so; False when the watch ended before."""
        selector = f"metadata.name={self._name}" if self._name else ""
        listed = await self._objects.list(ListOptions(field_selector=selector))
        self.seen = None
        if self._condition == DELETED and not listed["items"]:
            return True
        if any(self._is_so(obj) for obj in listed["items"]):
            return True
        since = ListOptions(field_selector=selector, resource_version=listed["metadata"]["resourceVersion"])
        async with self._objects.watch(since) as events:
            async for event in events:
                if event.type == "DELETED":
                    self.seen = None
                    if self._condition == DELETED:
                        return True
                elif event.type in ("ADDED", "MODIFIED") and self._is_so(event.object):
                    return True
        return False

    def _is_so(self, obj: JSONObject) -> bool:
        self.seen = obj
        if callable(self._condition):
            return bool(self._condition(obj))
        return self._condition != DELETED and has_condition(obj, self._condition)


def has_condition(obj: JSONObject, wanted: str) -> bool:
    """`Available`, `Ready=False`; `created` is true of all that there are."""
    if wanted == CREATED:
        return True
    kind, _, status = wanted.removeprefix("condition=").partition("=")
    conditions = (obj.get("status") or {}).get("conditions") or []
    return any(
        str(each.get("type", "")).lower() == kind.lower()
        and str(each.get("status", "")).lower() == (status or "True").lower()
        for each in conditions
    )


def described(condition: Condition) -> str:
    if not callable(condition):
        return condition
    return f"what {getattr(condition, '__name__', repr(condition))} asks for"
