"""Objects as Go prints Kubernetes' internal types, which messages about pods are full of.

Internal types have no names for JSON: a field is called as in Go, and shows even when it is empty. Nearly all have the
fields of the version that is served, in the same order. Those that differ stand in the table of types as well, in a
package without a version: `apiextensions.txt` beside `apiextensions_v1.txt`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from localplane.apimachinery.api_types import APIType
from localplane.apis.table import TYPES

from .unified_diff import unified_diff

_ZEROS: dict[str, Any] = {
    **dict.fromkeys(("string", "meta/v1.Time"), ""),
    **dict.fromkeys(("int32", "int64", "double", "intstr.IntOrString"), 0),
    "bool": False,
    "bytes": None,
    "resource.Quantity": "0",
}
_NAMED_AS_OURS = ("meta/v1.LabelSelector", "runtime.RawExtension", "apiextensions/v1.JSON")
"""Types without an internal form: their fields have the names of JSON."""

_METADATA = "meta/v1.ObjectMeta"
_SELECTOR_ORDER = ("matchLabels", "matchExpressions", "key", "operator", "values")
_HTML_SAFE = str.maketrans({character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"})


def internal_form(value: Any, kind: str) -> Any:
    """A value of ours as the internal type shows it: `internal_form(spec, "core.PodSpec")`. Before the type may stand
    what it is in: `*` a pointer, `[]` a list, `{}` a map."""
    if kind.startswith(("*", "[]", "{}")) and value is None:
        return None
    if kind.startswith("*"):
        return internal_form(value, kind[1:])
    if kind.startswith("[]"):
        return [internal_form(item, kind[2:]) for item in value]
    if kind.startswith("{}"):
        return {name: internal_form(value[name], kind[2:]) for name in sorted(value)}
    if kind in _ZEROS:
        return _ZEROS[kind] if value is None else value
    if kind in _NAMED_AS_OURS:
        return {} if value is None else _ordered(value)
    return _struct(value or {}, kind)


def diff(old: Any, new: Any, kind: str) -> str:
    """What differs between two values. Kubernetes: apimachinery/pkg/util/diff, Diff."""
    return unified_diff(*(_lines(internal_form(value, kind)) for value in (old, new)))


def _struct(value: Mapping[str, Any], kind: str) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for field in _internal_type(kind).fields:
        if field.type == _METADATA:  # an internal type embeds it
            shown |= value.get(field.name) or {}
        else:
            pointer = "*" if field.pointer else ""
            shown[field.go_name] = internal_form(value.get(field.name), f"{pointer}{field.type}")
    return shown


@cache
def _internal_type(kind: str) -> APIType:
    """`core.PodSpec`, or `core/v1.PodSpec`, which is a field's type in a table of that version."""
    package, _, name = kind.rpartition(".")
    group = package.partition("/")[0]
    return TYPES.get(f"{group}.{name}") or TYPES.type(f"{group}/v1.{name}")


def _ordered(value: Any) -> Any:
    """What has names of its own: a selector in the order of its type, its labels by name."""
    if isinstance(value, list):
        return [_ordered(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    rank = {name: str(index) for index, name in enumerate(_SELECTOR_ORDER)}
    return {name: _ordered(value[name]) for name in sorted(value, key=lambda name: rank.get(name, name))}


def _lines(value: Any) -> list[str]:
    text = json.dumps(value, indent=1, ensure_ascii=False).translate(_HTML_SAFE)
    return [f"{line}\n" for line in text.split("\n")]
