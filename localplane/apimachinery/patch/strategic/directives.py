"""What a patch says beside values, and taking it out again."""

from __future__ import annotations

from typing import Any, Final

from localplane.apimachinery.golang.text import go_plain, go_type_name
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.errors import InvalidPatch, PatchFailed

PATCH: Final = "$patch"
DELETE: Final = "delete"
REPLACE: Final = "replace"
MERGE: Final = "merge"
RETAIN_KEYS: Final = "$retainKeys"
ELEMENT_ORDER: Final = "$setElementOrder"
DELETE_FROM_LIST: Final = "$deleteFromPrimitiveList"


def field_of(key: str, directive: str) -> str:
    """The field that `$setElementOrder/x` or `$deleteFromPrimitiveList/x` is about. Raises InvalidPatch."""
    prefix, slash, name = key.partition("/")
    if slash and prefix == directive:
        return name
    of_what = "setElementOrder list" if directive == ELEMENT_ORDER else "primitive list"
    raise InvalidPatch(f"invalid patch format of {of_what}")


def is_directive(key: str) -> bool:
    """A parallel list: it is about a field, and none itself."""
    return key.startswith((DELETE_FROM_LIST, ELEMENT_ORDER))


def unknown_directive(directive: Any, patch: JSONObject) -> PatchFailed:
    shown = directive if isinstance(directive, str) else _no_text(directive)
    return PatchFailed(f"unknown patch type: {shown} in map: {go_plain(patch)}")


def _no_text(value: Any) -> str:
    """Go's %s of what is no text."""
    return "%!s(<nil>)" if value is None else f"%!s({go_type_name(value)}={go_plain(value)})"


def is_dropped(value: Any) -> bool:
    """A map that is nothing but a directive about something that is not there."""
    return isinstance(value, dict) and PATCH in value


def without_directives(value: Any) -> Any:
    """The value, changed in place: maps with a `$patch` are gone from the maps and lists in it."""
    waiting = [value]
    while waiting:
        current = waiting.pop()
        if isinstance(current, dict):
            for name in [name for name, item in current.items() if is_dropped(item)]:
                del current[name]
            waiting += current.values()
        elif isinstance(current, list):
            current[:] = [item for item in current if not is_dropped(item)]
            waiting += current
    return value


def drop_nulls(value: Any) -> None:
    """Take out of all maps in a value, in place, what is null: it deletes nothing that is there."""
    waiting = [value]
    while waiting:
        current = waiting.pop()
        if isinstance(current, dict):
            for name in [name for name, item in current.items() if item is None]:
                del current[name]
            waiting += current.values()
        elif isinstance(current, list):
            waiting += current
