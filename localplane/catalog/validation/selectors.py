"""Label selectors as they stand in an object: `matchLabels` and `matchExpressions`.

Kubernetes: apimachinery/pkg/apis/meta/v1/validation, ValidateLabelSelector.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, required
from localplane.apimachinery.names import label_value, qualified_name
from localplane.apimachinery.objectmeta import validate_labels


def selector_errors(
    selector: Mapping[str, Any] | None, path: Path, *, forgive_values: bool = False
) -> Iterator[FieldError]:
    """`forgive_values` lets values pass that are no label values, as kinds do that once did not look."""
    if selector is None:
        return
    yield from validate_labels(selector.get("matchLabels") or {}, path / "matchLabels")
    for index, expression in enumerate(selector.get("matchExpressions") or ()):
        yield from _expression_errors(expression, path / "matchExpressions", index, forgive_values=forgive_values)


def _expression_errors(
    expression: Mapping[str, Any], path: Path, index: int, *, forgive_values: bool
) -> Iterator[FieldError]:
    place, values = path[index], expression.get("values") or []
    match expression.get("operator", ""):
        case "In" | "NotIn":
            if not values:
                yield required(place / "values", "must be specified when `operator` is 'In' or 'NotIn'")
        case "Exists" | "DoesNotExist":
            if values:
                yield forbidden(place / "values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
        case operator:
            yield invalid(place / "operator", operator, "not a valid selector operator")
    key = expression.get("key", "")
    for problem in qualified_name(key):
        yield invalid(place / "key", key, problem)
    if forgive_values:
        return
    for number, value in enumerate(values):
        for problem in label_value(value):
            yield invalid((place / "values")[number], value, problem)
