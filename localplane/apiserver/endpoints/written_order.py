"""The order in which Kubernetes would have written an object that a patch opened in places.

Its patch library sorts the maps that it had to look into, and leaves the bytes of all others as they were: in the order
of the struct's fields. Messages about patches show such objects. Kubernetes: gopkg.in/evanphx/json-patch.v4.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from localplane.apimachinery.schema import Node

Opened = dict[str, Any]
"""The maps that were looked into, by the keys that lead there; what is no dictionary was not."""


def opened_by_paths(pointers: Iterable[Any]) -> Opened:
    """What the operations of a JSON patch look into on the way to these pointers."""
    root: Opened = {}
    for pointer in pointers:
        level = root
        for step in str(pointer).split("/")[1:-1]:
            level = level.setdefault(step.replace("~1", "/").replace("~0", "~"), {})
    return root


def as_written(node: Node | None, value: Any, opened: Any) -> Any:
    """A copy of the value in that order. Without a node everything is sorted, as custom resources are."""
    if isinstance(value, list):
        if isinstance(opened, list):  # the patch brought it, and all of it was looked into for nulls
            return [as_written(None, item, None) for item in value]
        items = node.items.load() if node is not None and node.items is not None else None
        inner = opened if isinstance(opened, dict) else {}
        return [as_written(items, item, inner.get(str(number))) for number, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    if node is not None and node.codec is not None and not isinstance(opened, dict):
        return value  # raw JSON: nobody but its author knows its order
    names: Iterable[str] = sorted(value)
    if node is not None and node.properties and not isinstance(opened, dict):
        names = [
            *(name for name in node.properties if name in value),
            *(name for name in names if name not in node.properties),
        ]
    inner = opened if isinstance(opened, dict) else {}
    return {name: as_written(_below(node, name), value[name], inner.get(name)) for name in names}


def _below(node: Node | None, name: str) -> Node | None:
    found = node.child(name) if node is not None else None
    return found.load() if found is not None else None
