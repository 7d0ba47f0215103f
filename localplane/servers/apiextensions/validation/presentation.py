"""Printer columns, subresources and selectable fields.

Kubernetes: ValidateCustomResourceColumnDefinition, ValidateCustomResourceDefinitionSubresources,
ValidateCustomResourceSelectableFields.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, invalid, required, too_many

from .demands import MAX_SELECTABLE_FIELDS
from .field_paths import InvalidFieldPath, field_at

_TYPES: Final = ("boolean", "date", "integer", "number", "string")
_FORMATS: Final = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
_SELECTABLE: Final = (
    "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed."
)


def column_errors(column: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    if not column.get("name"):
        yield required(path / "name")
    type_, must = column.get("type", ""), f"must be one of {','.join(_TYPES)}"
    if not type_:
        yield required(path / "type", must)
    elif type_ not in _TYPES:
        yield invalid(path / "type", type_, must)
    format_ = column.get("format", "")
    if format_ and format_ not in _FORMATS:
        yield invalid(path / "format", format_, f"must be one of {','.join(_FORMATS)}")
    json_path = column.get("jsonPath", "")
    if not json_path:
        yield required(path / "JSONPath")
    else:
        yield from _simple_path_errors(json_path, path / "JSONPath")


def _simple_path_errors(text: str, path: Path) -> Iterator[FieldError]:
    if not text.startswith("."):
        yield invalid(path, text, "must be a simple json path starting with .")


def subresource_errors(subresources: Mapping[str, Any] | None, path: Path) -> Iterator[FieldError]:
    scale = (subresources or {}).get("scale")
    if scale is None:
        return
    yield from _replicas_errors(scale.get("specReplicasPath", ""), ".spec", path / "scale.specReplicasPath")
    yield from _replicas_errors(scale.get("statusReplicasPath", ""), ".status", path / "scale.statusReplicasPath")
    selector, place = scale.get("labelSelectorPath", ""), path / "scale.labelSelectorPath"
    problems = list(_simple_path_errors(selector, place)) if selector else []
    if selector and not problems and not selector.startswith((".spec.", ".status.")):
        problems = [invalid(place, selector, "should be a json path under either .spec or .status")]
    yield from problems


def _replicas_errors(text: str, under: str, path: Path) -> Iterator[FieldError]:
    if not text:
        yield required(path)
        return
    problems = list(_simple_path_errors(text, path))
    if not problems and not text.startswith(f"{under}."):
        problems = [invalid(path, text, f"should be a json path under {under}")]
    yield from problems


def selectable_errors(
    fields: Sequence[Mapping[str, Any]], schema: Mapping[str, Any], path: Path, *, any_number: bool
) -> Iterator[FieldError]:
    seen: set[str] = set()
    for number, each in enumerate(fields):
        text, place = each.get("jsonPath", ""), path[number] / "jsonPath"
        if not text:
            yield required(place)
            continue
        try:
            found = field_at(text, schema, brackets=False)
        except InvalidFieldPath as error:
            yield invalid(place, text, f"is an invalid path: {error}")
            continue
        if found.root == "metadata":
            yield invalid(place, text, "must not point to fields in metadata")
        if (found.schema or {}).get("type") not in ("string", "boolean", "integer"):
            yield invalid(place, text, _SELECTABLE)
        if str(found.path) in seen:
            yield duplicate(place, text)
        seen.add(str(found.path))
    if len(seen) > MAX_SELECTABLE_FIELDS and not any_number:
        yield too_many(path, len(seen), MAX_SELECTABLE_FIELDS)
