"""The table, read when somebody first asks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

_MARKS = "*!?"


class Field(NamedTuple):
    """`empty` is what is written for nothing: `!` its zero, `?` null, or nothing at all. `merges` is how a list or a
    struct is patched: None if it is replaced, else the key, which may be empty."""

    name: str
    type: str
    pointer: bool
    empty: str
    merges: str | None
    retains_keys: bool


@cache
def _table() -> Mapping[str, Mapping[str, str]]:
    table: Mapping[str, Mapping[str, str]] = json.loads(Path(__file__).with_name("fields.json").read_bytes())
    return table


def struct_name(obj: Mapping[str, Any]) -> str | None:
    """Of an object's kind; None for one that we don't know."""
    return _table()["kinds"].get(f"{obj.get('apiVersion')}, {obj.get('kind')}")


@cache
def fields(struct: str) -> tuple[Field, ...]:
    return tuple(map(_field, _table()["types"][struct].split()))


def _field(text: str) -> Field:
    retains = text.endswith("~")
    text, at, key = text.removesuffix("~").partition("@")
    marked, _, kind = text.partition(":")
    name = marked.rstrip(_MARKS)
    marks = marked[len(name) :]
    return Field(name, kind or "s", "*" in marks, marks.strip("*"), key if at else None, retains)
