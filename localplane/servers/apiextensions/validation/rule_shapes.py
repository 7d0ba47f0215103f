"""The rules of x-kubernetes-validations, apart from what their expressions mean.

Kubernetes: pkg/apis/apiextensions/validation, ValidateCustomResourceDefinitionOpenAPISchema.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, not_supported, required

from .field_paths import InvalidFieldPath, field_at

Schema = Mapping[str, Any]

_REASONS: Final = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")


def rule_shape_errors(schema: Schema, path: Path) -> Iterator[FieldError]:
    for number, rule in enumerate(schema["x-kubernetes-validations"]):
        yield from _text_errors(rule, path[number])
        yield from _field_path_errors(schema, rule.get("fieldPath", ""), path[number] / "fieldPath")


def _text_errors(rule: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    expression, message = rule.get("rule", "").strip(), rule.get("message", "")
    if not expression:
        yield required(path / "rule", "rule is not specified")
    elif message and not message.strip():
        yield invalid(path / "message", message, "must be non-empty if specified")
    elif _has_newlines(message.strip()):
        yield invalid(path / "message", message, "must not contain line breaks")
    elif _has_newlines(expression) and not message.strip():
        yield required(path / "message", "message must be specified if rule contains line breaks")
    if rule.get("messageExpression") and not rule["messageExpression"].strip():
        yield required(path / "messageExpression", "messageExpression must be non-empty if specified")
    reason = rule.get("reason")
    if reason is not None and reason not in _REASONS:
        yield not_supported(path / "reason", reason, _REASONS)


def _field_path_errors(schema: Schema, field_path: str, path: Path) -> Iterator[FieldError]:
    if not field_path:
        return
    if not field_path.strip():
        yield invalid(path, field_path, "must be non-empty if specified")
    if _has_newlines(field_path):
        yield invalid(path, field_path, "must not contain line breaks")
    try:
        field_at(field_path, schema)
    except InvalidFieldPath:
        yield invalid(path, field_path, "must be a valid path")


def _has_newlines(text: str) -> bool:
    return "\n" in text or "\r" in text
