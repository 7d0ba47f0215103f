"""What hears of changes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from localplane.apimachinery.objects import JSONObject

from .delta_fifo import DeletedFinalStateUnknown

Deleted = JSONObject | DeletedFinalStateUnknown


class EventHandler(Protocol):
    """Called for one change after the other, in order; a coroutine is awaited before the next.

    The objects are those in the informer's copy: don't change them. If a method raises, the informer ends with that.
    """

    def on_add(self, obj: JSONObject, /, *, is_in_initial_list: bool) -> Awaitable[None] | None:
        """An object that this handler has not seen; `is_in_initial_list` if it was there before we were."""

    def on_update(self, old: JSONObject, new: JSONObject, /) -> Awaitable[None] | None:
        """Also called with twice the same object, at a resync."""

    def on_delete(self, obj: Deleted, /) -> Awaitable[None] | None:
        """A DeletedFinalStateUnknown if nobody saw it go; `deleted_object` gives the object in either case."""


def deleted_object(obj: Deleted) -> JSONObject:
    return obj.object if isinstance(obj, DeletedFinalStateUnknown) else obj


@dataclass(frozen=True, slots=True)
class HandlerFunctions:
    """A handler of the functions that are given."""

    add: Callable[[JSONObject], Awaitable[None] | None] | None = None
    update: Callable[[JSONObject, JSONObject], Awaitable[None] | None] | None = None
    delete: Callable[[Deleted], Awaitable[None] | None] | None = None

    def on_add(self, obj: JSONObject, /, *, is_in_initial_list: bool) -> Awaitable[None] | None:  # noqa: ARG002 - few care
        return self.add(obj) if self.add is not None else None

    def on_update(self, old: JSONObject, new: JSONObject, /) -> Awaitable[None] | None:
        return self.update(old, new) if self.update is not None else None

    def on_delete(self, obj: Deleted, /) -> Awaitable[None] | None:
        return self.delete(obj) if self.delete is not None else None


@dataclass(frozen=True, slots=True)
class FilteringHandler:
    """Only what passes: an object that begins to pass is added, one that ceases to is deleted."""

    passes: Callable[[JSONObject], bool]
    handler: EventHandler

    def on_add(self, obj: JSONObject, /, *, is_in_initial_list: bool) -> Awaitable[None] | None:
        return self.handler.on_add(obj, is_in_initial_list=is_in_initial_list) if self.passes(obj) else None

    def on_update(self, old: JSONObject, new: JSONObject, /) -> Awaitable[None] | None:
        match self.passes(old), self.passes(new):
            case True, True:
                return self.handler.on_update(old, new)
            case False, True:
                return self.handler.on_add(new, is_in_initial_list=False)
            case True, False:
                return self.handler.on_delete(old)
            case _:
                return None

    def on_delete(self, obj: Deleted, /) -> Awaitable[None] | None:
        return self.handler.on_delete(obj) if self.passes(deleted_object(obj)) else None
