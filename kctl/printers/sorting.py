"""--sort-by: objects, or a Table's rows, by what a path finds in them. Kubernetes: kubectl/pkg/cmd/get/sorter.go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

from kctl.errors import KctlError, Unsortable
from localplane.apimachinery.gotext import go_quote, go_type_name
from localplane.apimachinery.quantity import InvalidQuantity
from localplane.apimachinery.quantity import parse as parse_quantity

from .go_sort import go_sort
from .jsonpath import JSONPathError, JSONPathSyntaxError, find, is_relaxed, parse, relaxed

T = TypeVar("T")

_ABSENT: Any = object()


class _Keyed(NamedTuple):
    key: Any
    item: Any


def sorted_by(path: str, items: Sequence[T], objects: Sequence[Any], *, rows: bool = False) -> list[T]:
    """`objects` are what the path is looked for in, one for each item; `rows` is whether the items are a table's.

    Raises KctlError if none of them has it.
    """
    expression = path if rows and not is_relaxed(path) else relaxed(path)
    try:
        template = parse(expression)
        found = [find(template, obj) for obj in objects]
    except (JSONPathSyntaxError, JSONPathError) as error:
        raise KctlError(str(error)) from error
    keys = [values[0][0] if values and values[0] else _ABSENT for values in found]
    if items and all(key is _ABSENT for key in keys):
        raise KctlError(f"couldn't find any field with path {go_quote(expression)} in the list of objects")
    where = ("sorter.go:375", "[][][]reflect.Value") if rows else ("sorter.go:329", "*unstructured.Unstructured")

    def less(a: _Keyed, b: _Keyed) -> bool:
        try:
            return _less(a.key, b.key)
        except TypeError as error:
            text = f"Field {expression} in {where[1]} is an unsortable type: interface, err: {error}"
            raise Unsortable(_logged(where[0], text)) from error

    keyed = [_Keyed(key, item) for key, item in zip(keys, items, strict=True)]
    go_sort(keyed, less)
    return [one.item for one in keyed]


def _less(a: Any, b: Any) -> bool:
    """Raises TypeError, in kubectl's words."""
    if a is _ABSENT or b is _ABSENT:
        return a is _ABSENT
    if a is None or b is None:
        return a is None and b is not None
    if isinstance(a, str) and isinstance(b, str):
        try:
            return bool(parse_quantity(a) < parse_quantity(b))
        except InvalidQuantity:
            return a < b
    if type(a) is type(b) and type(a) in (int, float):
        return bool(a < b)
    if type(a) in (str, int, float):
        raise TypeError("unsortable interface: interface")
    raise TypeError(f"unsortable type: {go_type_name(a)}")


def _logged(place: str, text: str) -> str:
    import os
    from datetime import datetime

    stamp = datetime.now().astimezone().strftime("%m%d %H:%M:%S.%f")
    return f"F{stamp} {os.getpid():7d} {place}] {text}"
