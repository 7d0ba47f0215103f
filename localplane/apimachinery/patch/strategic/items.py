"""The items of lists: what type they have, and what tells one from another."""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.golang.text import go_plain, go_type_name
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.errors import PatchFailed, PatchNotApplicable


def as_list(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    raise _wrong_type("[]interface {}", value)


def as_map(value: Any) -> JSONObject:
    if isinstance(value, dict):
        return value
    raise _wrong_type("map[string]interface {}", value)


def _wrong_type(wanted: str, given: Any) -> PatchFailed:
    received = "%!s(<nil>)" if given is None else go_type_name(given)
    return PatchFailed(f"expected a {wanted}, but received a {received}")


def identity(value: Any) -> Any:
    """What two equal scalars have in common; true is no 1. Raises PatchFailed for what Go can't compare."""
    if isinstance(value, (dict, list)):
        raise PatchFailed(f"runtime error: comparing uncomparable type {go_type_name(value)}")
    return (type(value), value)


def key_of(item: Any, key: str) -> Any:
    """The identity of an item: its own, or that of its merge key. Raises PatchFailed where a map has none."""
    if not key:
        return identity(item)
    found = as_map(item)
    if key not in found:
        raise PatchFailed(f"map: {go_plain(found)} does not contain declared merge key: {key}")
    return identity(found[key])


def element_type(*lists: list[Any]) -> type:
    """The one type of all items. Raises PatchNotApplicable for lists in lists, PatchFailed for anything mixed."""
    found: type | None = None
    for item in (item for each in lists for item in each):
        if found is None:
            if item is None:
                raise PatchFailed("runtime error: invalid memory address or nil pointer dereference")
            if isinstance(item, list):
                raise PatchNotApplicable("lists of lists are not supported")
            found = type(item)
        elif type(item) is not found:
            raise PatchFailed(f"list element types are not identical: {go_plain(list(lists))}")
    if found is None:
        raise PatchFailed("no elements in any of the given slices")
    return found
