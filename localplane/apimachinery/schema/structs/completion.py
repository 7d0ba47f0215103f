"""Fields that Go writes even when they hold nothing: `status: {}`, `rules: null`.

What a client left out is filled in with the zero value, so that an object is the same whether it was read from a
client or from Go's own encoder. Compiled per node when it is first used; where nothing is always written, nobody looks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from localplane.apimachinery.schema.nodes import Node, Property

Complete = Callable[[Any], None]

_OBJECT: Final = object()
"""An empty object: each gets one of its own."""

_ZERO: Final[dict[str, Any]] = {
    "string": "",
    "bytes": "",
    "integer": 0,
    "number": 0,
    "boolean": False,
    "int-or-string": 0,
}


def complete(node: Node, value: Any, *, final: bool) -> None:
    """Fill in, in place. Before an object is `final` it keeps lacking what is required, so that this can be told, and
    has no nulls, so that nobody has to look out for them."""
    _completer(node, final=final)(value)


def _completer(node: Node, *, final: bool) -> Complete:
    key = "complete finally" if final else "complete"
    found = node.compiled.get(key)
    if found is None:
        found = node.compiled[key] = _compile(node.load(), final=final) if _always_writes(node, set()) else _leave
    result: Complete = found
    return result


def _leave(_: Any) -> None:
    pass


def _always_writes(node: Node, seen: set[int]) -> bool:
    """Whether anything in a value of this node is written without being there."""
    if id(node) in seen:
        return False
    seen.add(id(node))
    node.load()
    if any(each.emit for each in node.properties.values()):
        return True
    return any(_always_writes(child, seen) for child in node.children())


def _later(node: Node, table: dict[str, Complete], key: str, *, final: bool) -> None:
    """Compile a child when it is first met: a type may contain itself, and most are never met. One in which there is
    nothing to fill in leaves the table."""

    def compile_first(value: Any) -> None:
        table[key] = found = _completer(node, final=final)
        if found is _leave:
            del table[key]
        found(value)

    table[key] = compile_first


def _compile(node: Node, *, final: bool) -> Complete:
    match node.shape:
        case "struct":
            return _struct(node, final=final)
        case "map" if node.values is not None:
            return _each(node.values, lambda value: value.values(), dict, final=final)
        case "list" if node.items is not None:
            return _each(node.items, iter, list, final=final)
    return _leave


def _each(node: Node, items: Callable[[Any], Any], container: type, *, final: bool) -> Complete:
    def each(value: Any) -> None:
        if type(value) is container:
            within = _completer(node, final=final)
            for item in items(value):
                within(item)

    return each


def _struct(node: Node, *, final: bool) -> Complete:
    absent = tuple(_absent(node, final=final).items())
    emptied = _emptied(node) if final else ()
    within: dict[str, Complete] = {}
    for name, each in node.properties.items():
        if each.node.loader or each.node.shape in ("struct", "map", "list"):
            _later(each.node, within, name, final=final)
    look_up = within.get

    def struct(value: Any) -> None:
        if type(value) is not dict:
            return
        for name, zero in absent:
            if name not in value:
                value[name] = {} if zero is _OBJECT else zero
        for name in emptied:
            if not value[name]:
                value[name] = None
        for name, item in value.items():
            if (type(item) is dict or type(item) is list) and (look := look_up(name)) is not None:
                look(item)

    return struct


def _emptied(node: Node) -> tuple[str, ...]:
    """Lists and maps that are null when they are empty: on the way through Go's storage the two become the same."""
    return tuple(
        name for name, each in node.properties.items() if each.emit == "null" and each.node.shape in ("list", "map")
    )


def _absent(node: Node, *, final: bool) -> dict[str, Any]:
    """What each field is written as when it is not there, for those that are written then."""
    found: dict[str, Any] = {}
    for name, each in node.properties.items():
        if each.emit == "null" and final:
            found[name] = None
        elif each.emit == "always" and (final or name not in node.required):
            found[name] = _zero(each)
    return found


def _zero(each: Property) -> Any:
    if each.node.codec is not None:
        return each.node.codec.zero
    return _ZERO.get(each.node.shape, _OBJECT)
