"""An object as Go's struct shows it.

Kubernetes compares structs, and some of their fields are there even if nobody set them: a condition without a
lastTransitionTime has one, and it is null. Whoever adds the condition owns that field, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from localplane.apimachinery.schema import Node, Property, Schema

View = Callable[[Any], Any]

_COMPILED: Final = "as shown"
_ZEROS: Final[dict[str, Any]] = {
    "string": "",
    "bytes": "",
    "integer": 0,
    "number": 0,
    "boolean": False,
    "int-or-string": 0,
    "struct": {},
}
"""Structs that are always shown were filled in before, with all that is in them."""


def as_shown(schema: Schema | Node) -> View:
    """What makes the objects of a kind complete: it returns them as they are, or a copy of what had to be changed."""
    return _view(schema.root if isinstance(schema, Schema) else schema)


def _view(node: Node) -> View:
    found = node.compiled.get(_COMPILED)
    if found is None:
        found = node.compiled[_COMPILED] = _compiled(node.load()) if _shows_more(node, set()) else unchanged
    view: View = found
    return view


def unchanged(value: Any) -> Any:
    return value


def _shows_more(node: Node, seen: set[int]) -> bool:
    """Whether anything in a value of this node is shown without being there."""
    if id(node) in seen:
        return False
    seen.add(id(node))
    node.load()
    return any(each.emit for each in node.properties.values()) or any(
        _shows_more(child, seen) for child in node.children()
    )


def _compiled(node: Node) -> View:
    match node.shape:
        case "struct":
            return _struct(node)
        case "map" if node.values is not None:
            return _map(node.values)
        case "list" if node.items is not None:
            return _list(node.items)
    return unchanged


def _struct(node: Node) -> View:
    absent = {name: _zero(each) for name, each in node.properties.items() if each.emit}
    absent_items = tuple(absent.items())
    views: dict[str, View] = {}
    for name, each in node.properties.items():
        if _shows_more(each.node, set()):
            _view_later(each.node, views, name)
    view_of = views.get

    def view(value: Any) -> Any:
        if type(value) is not dict:
            return value
        found = value
        for name, zero in absent_items:
            if name not in value:
                found = dict(value) if found is value else found
                found[name] = zero
        for name, item in value.items():
            if (type(item) is dict or type(item) is list) and (look := view_of(name)) is not None:
                shown = look(item)
                if shown is not item:
                    found = dict(value) if found is value else found
                    found[name] = shown
        return found

    return view


def _view_later(node: Node, views: dict[str, View], name: str) -> None:
    """Compile a child when it is first met: a type may contain itself, and most are never met."""

    def compile_first(value: Any) -> Any:
        views[name] = view = _view(node)
        return view(value)

    views[name] = compile_first


def _zero(each: Property) -> Any:
    if each.emit == "null":
        return None
    return each.node.codec.zero if each.node.codec is not None else _ZEROS.get(each.node.shape)


def _map(values: Node) -> View:
    def view(value: Any) -> Any:
        if type(value) is not dict:
            return value
        look = _view(values)
        shown = {name: look(item) for name, item in value.items()} if look is not unchanged else value
        return shown if any(shown[name] is not item for name, item in value.items()) else value

    return view


def _list(items: Node) -> View:
    def view(value: Any) -> Any:
        look = _view(items)
        if type(value) is not list or look is unchanged:
            return value
        shown = list(map(look, value))
        return shown if any(new is not old for new, old in zip(shown, value, strict=True)) else value

    return view
