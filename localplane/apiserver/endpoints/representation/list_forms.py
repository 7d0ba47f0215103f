"""The forms of a list as text: what stands before its items, between them and after them, and how one is written.

So a list can be written one item after the other, in one go or with pauses in between; the bytes are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers.json_writer import to_json
from localplane.apimachinery.serializers.media_types import JSON, YAML
from localplane.apimachinery.serializers.yaml_writer import to_yaml
from localplane.apiserver.endpoints.served import Served
from localplane.apiserver.registry.rest import Result

from . import table
from .negotiation import Target
from .objects import partial_json, versioned

Write = Callable[[Result], bytes]

_INNER_LINE = b"\n    "


@dataclass(frozen=True, slots=True)
class ListForm:
    """Of a list that is not empty."""

    content_type: str
    opening: bytes
    separator: bytes
    closing: bytes
    write: Write

    def whole(self, items: Iterable[Result]) -> bytes:
        return b"".join((self.opening, self.separator.join(map(self.write, items)), self.closing))


@dataclass(frozen=True, slots=True)
class _Shape:
    """What a list is, before anybody knows in which letters: the document without its items, the name of the list in
    it, and an item as a value; `data` is an item as JSON, if there is a shorter way to it."""

    document: JSONObject
    name: str
    value: Callable[[Result], JSONObject]
    data: Write | None = None


def list_form(
    served: Served, target: Target, meta: JSONObject, *, cells: Iterable[list[Any]] | None = None
) -> ListForm:
    """`cells` are those of all rows of a table, where they depend on one another; then each item is written once."""
    shape = _table(served, target, meta, cells) if target.transform == "Table" else _items(served, target, meta)
    if target.media_type == YAML.name:
        return _yaml(shape)
    if target.pretty:
        return _pretty(shape)
    opening = to_json(shape.document | {shape.name: []}).removesuffix(b"]}")
    return ListForm(JSON.name, opening, b",", b"]}\n", shape.data or (lambda item: to_json(shape.value(item))))


def _table(served: Served, target: Target, meta: JSONObject, cells: Iterable[list[Any]] | None) -> _Shape:
    document = table.table(served, [], meta, target)
    del document["rows"]
    value = partial(_row, served, target=target)
    if cells is None:
        return _Shape(document, "rows", value, partial(table.row_json, served, target=target))
    following = iter(cells)
    return _Shape(document, "rows", lambda item: value(item) | {"cells": next(following)})


def _items(served: Served, target: Target, meta: JSONObject) -> _Shape:
    version = target.transform_version
    if target.transform:
        document = {"kind": target.transform, "apiVersion": version, "metadata": meta}
        value = partial(_partial, served, version=version)
        return _Shape(document, "items", value, partial(partial_json, served, version=version))
    document = {"kind": served.list_kind, "apiVersion": served.api_version, "metadata": meta}
    return _Shape(document, "items", partial(_item, served))


def _yaml(shape: _Shape) -> ListForm:
    """A list below a key stands as far left as the key, so an item looks the same as in a list of its own."""
    before = {name: value for name, value in shape.document.items() if name < shape.name}
    after = {name: value for name, value in shape.document.items() if name > shape.name}
    opening = (to_yaml(before) if before else b"") + f"{shape.name}:\n".encode()
    closing = to_yaml(after) if after else b""
    return ListForm(YAML.name, opening, b"", closing, lambda item: to_yaml([shape.value(item)]))


def _pretty(shape: _Shape) -> ListForm:
    opening = to_json(shape.document | {shape.name: []}, pretty=True).removesuffix(b"]\n}") + _INNER_LINE
    return ListForm(
        JSON.name,
        opening,
        b"," + _INNER_LINE,
        b"\n  ]\n}",
        lambda item: to_json(shape.value(item), pretty=True).replace(b"\n", _INNER_LINE),
    )


def _row(served: Served, item: Result, *, target: Target) -> JSONObject:
    return table.row(served, versioned(served, item), target)


def _partial(served: Served, item: Result, *, version: str) -> JSONObject:
    return table.partial(versioned(served, item), version)


def _item(served: Served, item: Result) -> JSONObject:
    """Where items don't say what they are, the list does."""
    obj = versioned(served, item)
    if not served.dialect.items_say_type:
        obj.pop("kind", None)
        obj.pop("apiVersion", None)
    return obj
