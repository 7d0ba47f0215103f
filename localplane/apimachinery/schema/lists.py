"""Lists that are sets or maps hold nothing twice.

Kubernetes: apiextensions-apiserver pkg/apiserver/schema/listtype.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, invalid

from .nodes import Node
from .values import identity, in_order


def may_repeat(node: Node, value: list[Any]) -> bool:
    """A quick look: False means that this list, as a set, as a map or as a list of unique items, is in order."""
    try:
        if node.list_type != "map":
            return len(set(value)) < len(value)
        if len(node.list_map_keys) == 1:
            key = node.list_map_keys[0]
            return len({item.get(key) for item in value}) < len(value)
        return len({tuple([item.get(key) for key in node.list_map_keys]) for item in value}) < len(value)
    except (TypeError, AttributeError):  # something in it is no scalar, or an item no object
        return True


def list_errors(node: Node | None, value: Any, path: Path) -> Iterator[FieldError]:
    """What is twice in this value and below it."""
    if node is None:
        return
    if isinstance(value, dict):
        if node.load().values is not None:
            for key, item in value.items():
                yield from list_errors(node.values, item, path[key])
        for key, item in value.items():
            if key in node.properties:
                yield from list_errors(node.properties[key].node, item, path / key)
    elif isinstance(value, list):
        yield from _errors(node.load(), value, path)
        for number, item in enumerate(value):
            yield from list_errors(node.items, item, path[number])


def _errors(node: Node, value: list[Any], path: Path) -> Iterator[FieldError]:
    if node.list_type == "set":
        for number in _repeated(value):
            yield duplicate(path[number], in_order(value[number]))
    elif node.list_type == "map":
        for number, item in enumerate(value):
            if item is not None and not isinstance(item, dict):
                yield invalid(path[number], in_order(item), "must be an object for an array of list-type map")
                return
        keys = [_key(node, item) for item in value]
        for number in _repeated(keys):
            yield duplicate(path[number], in_order(keys[number]))


def _key(node: Node, item: dict[str, Any] | None) -> dict[str, Any]:
    return {name: item[name] for name in node.list_map_keys if name in item} if item else {}


def _repeated(values: list[Any]) -> Iterator[int]:
    """The first repetition of each value; a third one is not told."""
    times: dict[Any, int] = {}
    for number, value in enumerate(values):
        known = identity(value)
        times[known] = times.get(known, 0) + 1
        if times[known] == 2:
            yield number
