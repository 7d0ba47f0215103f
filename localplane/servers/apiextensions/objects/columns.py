"""The table of a custom resource: its name, and what its definition's columns find in it.

Kubernetes: pkg/registry/customresource/tableconvertor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from localplane.apimachinery.jsonpath import JSONPathError, JSONPathSyntaxError, Template, first, parse, text_of
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import InvalidTime, age, parse_time
from localplane.apiserver.endpoints.representation.table import ABOUT_CREATION
from localplane.apiserver.resource import NAME_COLUMN, Column

_AGE: Final = {
    "name": "Age",
    "type": "date",
    "jsonPath": ".metadata.creationTimestamp",
    "description": ABOUT_CREATION,
}
_MOST_VALUES: Final = 100_000
"""That a column may look at on its way in one object, which takes some 30 ms; beyond that its cell is empty. Kubernetes
has no such bound."""


def columns_of(declared: Sequence[Mapping[str, Any]]) -> list[Column]:
    """Without any of its own a custom resource shows its age. If one can't be read, none is shown."""
    columns = [NAME_COLUMN]
    try:
        templates = [(each, parse(f"{{{each.get('jsonPath', '')}}}")) for each in declared or (_AGE,)]
    except JSONPathSyntaxError:
        return columns
    return columns + [_column(each, template) for each, template in templates]


def _column(declared: Mapping[str, Any], template: Template) -> Column:
    json_path, type_ = declared.get("jsonPath", ""), declared.get("type", "")
    described = f"Custom resource definition column (in JSONPath format): {json_path}"
    return Column(
        declared.get("name", ""),
        _cell(template, type_),
        type=type_,
        format=declared.get("format", ""),
        description=declared.get("description") or described,
        priority=declared.get("priority", 0),
    )


def _cell(template: Template, type_: str) -> Callable[[JSONObject], Any]:
    make: Callable[[Any], Any] = _CELLS.get(type_, _nothing)

    def cell(obj: JSONObject) -> Any:
        try:
            found = first(template, obj, most=_MOST_VALUES)
        except JSONPathError:
            return None
        return make(found[0]) if found else None

    return cell


def _nothing(_: Any) -> None:
    return None


def _integer(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value)


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return value


def _date(value: Any) -> str | None:
    if not isinstance(value, str):
        return None
    try:
        parse_time(value)
    except InvalidTime:
        return "<invalid>"
    return age(value)


def _string(value: Any) -> str:
    """A field that is there and null is told as Go's templates tell nothing at all."""
    return "<no value>" if value is None else text_of(value)


_CELLS: Final[dict[str, Callable[[Any], Any]]] = {
    "integer": _integer,
    "number": _number,
    "boolean": lambda value: value if isinstance(value, bool) else None,
    "string": _string,
    "date": _date,
}
