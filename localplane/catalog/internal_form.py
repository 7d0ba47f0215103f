"""Objects as Go prints Kubernetes' internal types, which messages about pods are full of.

Internal types have no names for JSON: a field is called as in Go, and shows even when it is empty. data/internal_types
has a line for each type: its fields in order, as `GoName:type`, or `GoName=name:type` where our name is not the Go name
with a small first letter. A type is s text, i number, b boolean, q quantity, x what has names of its own (x0: and is 0
when it is missing), or the name of a type, after * a pointer, [] a list, {} a map. A type alone is one whose fields
stand in its parent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import orjson

_ZEROS: dict[str, Any] = {"s": "", "i": 0, "b": False, "q": "0", "x": {}, "x0": 0}
_SELECTOR_ORDER = ("matchLabels", "matchExpressions", "key", "operator", "values")
_HTML_SAFE = str.maketrans({each: f"\\u{ord(each):04x}" for each in "<>&\u2028\u2029"})


@dataclass(frozen=True, slots=True)
class _Field:
    """Without a name it is a type whose fields stand in its parent."""

    name: str
    ours: str
    type: str


def internal_form(value: Any, kind: str) -> Any:
    """A value of ours as the internal type shows it: `internal_form(spec, "PodSpec")`."""
    if kind.startswith(("*", "[]", "{}")) and value is None:
        return None
    if kind.startswith("*"):
        return internal_form(value, kind[1:])
    if kind.startswith("[]"):
        return [internal_form(each, kind[2:]) for each in value]
    if kind.startswith("{}"):
        return {name: internal_form(value[name], kind[2:]) for name in sorted(value)}
    if kind in _ZEROS:
        return _ZEROS[kind] if value is None else _ordered(value)
    return _struct(value or {}, kind)


def diff(old: Any, new: Any, kind: str) -> str:
    """What differs between two values. Kubernetes: apimachinery/pkg/util/diff, Diff."""
    from difflib import unified_diff  # only a refusal needs it

    one, other = (_lines(internal_form(value, kind)) for value in (old, new))
    found = list(unified_diff(one, other, n=3))
    return "".join(found[2:])  # without the names of files


def _struct(value: Mapping[str, Any], kind: str) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for field in _fields(kind):
        if field.name:
            shown[field.name] = internal_form(value.get(field.ours), field.type)
        else:
            shown |= value.get("metadata") or {} if field.type == "x" else _struct(value, field.type)
    return shown


def _ordered(value: Any) -> Any:
    """What has names of its own: a selector in the order of its type, its labels by name."""
    if isinstance(value, list):
        return [_ordered(each) for each in value]
    if not isinstance(value, Mapping):
        return value
    rank = {name: str(index) for index, name in enumerate(_SELECTOR_ORDER)}
    return {name: _ordered(value[name]) for name in sorted(value, key=lambda name: rank.get(name, name))}


def _lines(value: Any) -> list[str]:
    text = json.dumps(value, indent=1, ensure_ascii=False).translate(_HTML_SAFE)
    return [f"{line}\n" for line in text.split("\n")]


@cache
def _fields(kind: str) -> tuple[_Field, ...]:
    return tuple(_field(text) for text in _table()[kind].split())


def _field(text: str) -> _Field:
    names, colon, kind = text.partition(":")
    if not colon:
        return _Field("", "", text)
    name, _, ours = names.partition("=")
    return _Field(name, ours or name[0].lower() + name[1:], kind)


@cache
def _table() -> dict[str, str]:
    table: dict[str, str] = orjson.loads((files("localplane.catalog") / "data" / "internal_types.json").read_bytes())
    return table
