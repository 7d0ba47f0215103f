"""Filling in what a client left out, as a schema's defaults say.

A null counts as left out where null is not allowed. Defaults of a field apply before those inside of it, so a default
object gets the defaults of its own fields. Kubernetes: apiextensions-apiserver pkg/apiserver/schema/defaulting.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .nodes import NOTHING, Node

Fill = Callable[[Any], None]


def fill_defaults(node: Node, value: Any) -> None:
    """Fill in, in place."""
    _filler(node)(value)


def _filler(node: Node) -> Fill:
    """What fills a value of this node; where nothing has a default, nobody looks."""
    fill = node.compiled.get("fill")
    if fill is None:
        fill = node.compiled["fill"] = _compile(node.load()) if _has_defaults(node, set()) else _leave
    result: Fill = fill
    return result


def _leave(_: Any) -> None:
    pass


def _has_defaults(node: Node, seen: set[int]) -> bool:
    if id(node) in seen:
        return False
    seen.add(id(node))
    return any(child.load().default is not NOTHING or _has_defaults(child, seen) for child in node.children())


def _later(node: Node, table: dict[str, Fill], key: str) -> None:
    """Compile a child when it is first met: a type may contain itself."""

    def compile_first(value: Any) -> None:
        table[key] = fill = _filler(node)
        fill(value)

    table[key] = compile_first


def _compile(node: Node) -> Fill:
    fields, values, items = _fields(node), node.values, node.items
    known = node.properties.keys()

    def fill(value: Any) -> None:
        if type(value) is dict:
            fields(value)
            if values is not None:
                for key in value.keys() - known:
                    value[key] = _filled(values, value[key])
        elif type(value) is list and items is not None:
            for number, item in enumerate(value):
                value[number] = _filled(items, item)

    return fill


def _fields(node: Node) -> Fill:
    """The fields themselves first, then what is in them."""
    absent: list[tuple[str, Any, bool]] = []
    within: dict[str, Fill] = {}
    for name, each in node.properties.items():
        child = each.node.load()
        if child.default is not NOTHING:
            absent.append((name, child.default, child.nullable))
        if _has_defaults(child, set()):
            _later(child, within, name)

    def fill(value: dict[str, Any]) -> None:
        for name, default, nullable in absent:
            if name not in value or (value[name] is None and not nullable):
                value[name] = _copy(default)
        for name, inner in within.items():
            if name in value:
                inner(value[name])

    return fill


def _filled(node: Node, value: Any) -> Any:
    if value is None and not node.load().nullable and node.default is not NOTHING:
        value = _copy(node.default)
    _filler(node)(value)
    return value


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value
