"""--sort-by: objects, or a Table's rows, by what a path finds in them. Kubernetes: kubectl/pkg/cmd/get/sorter.go."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cmp_to_key
from typing import Any, NamedTuple, TypeVar

from kctl.errors import KctlError
from localplane.apimachinery.gotext import go_quote
from localplane.apimachinery.quantity import InvalidQuantity
from localplane.apimachinery.quantity import parse as parse_quantity

from .jsonpath import JSONPathError, JSONPathSyntaxError, find, parse, relaxed

T = TypeVar("T")

_ABSENT: Any = object()
_FEW = 12
"""Go sorts so many by insertion, which decides where those without the field end up."""


class _Keyed(NamedTuple):
    key: Any
    item: Any


def sorted_by(path: str, items: Sequence[T], objects: Sequence[Any]) -> list[T]:
    """`objects` are what the path is looked for in, one for each item. Raises KctlError if none of them has it."""
    expression = relaxed(path)
    try:
        template = parse(expression)
        found = [find(template, obj) for obj in objects]
    except (JSONPathSyntaxError, JSONPathError) as error:
        raise KctlError(str(error)) from error
    keys = [values[0][0] if values and values[0] else _ABSENT for values in found]
    if items and all(key is _ABSENT for key in keys):
        raise KctlError(f"couldn't find any field with path {go_quote(expression)} in the list of objects")
    keyed = [_Keyed(key, item) for key, item in zip(keys, items, strict=True)]
    if len(keyed) > _FEW:
        keyed.sort(key=cmp_to_key(_compared))
    else:
        _insertion_sort(keyed)
    return [one.item for one in keyed]


def _compared(a: _Keyed, b: _Keyed) -> int:
    return -1 if _less(a.key, b.key) else int(_less(b.key, a.key))


def _insertion_sort(keyed: list[_Keyed]) -> None:
    for end in range(1, len(keyed)):
        at = end
        while at > 0 and _less(keyed[at].key, keyed[at - 1].key):
            keyed[at], keyed[at - 1] = keyed[at - 1], keyed[at]
            at -= 1


def _less(a: Any, b: Any) -> bool:
    if a is _ABSENT or b is _ABSENT:
        return a is _ABSENT
    if a is None or b is None:
        return a is None and b is not None
    if isinstance(a, str) and isinstance(b, str):
        try:
            return bool(parse_quantity(a) < parse_quantity(b))
        except InvalidQuantity:
            return a < b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)) and not isinstance(a, bool):
        return a < b
    raise KctlError("the field is of an unsortable type")
