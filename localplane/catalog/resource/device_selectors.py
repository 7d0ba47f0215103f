"""Selectors of devices in CEL, and configuration that only a driver understands: of classes and of claims.

Kubernetes: pkg/apis/resource/validation, validateSelector and validateDeviceConfiguration.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, required, too_long
from localplane.apimachinery.golang.text import go_json
from localplane.apimachinery.names import size

from .names import declared_driver_errors

JSONObject = Mapping[str, Any]

SELECTORS_MAX, CONFIGURATIONS_MAX = 32, 32
_EXPRESSION_MAX, _PARAMETERS_MAX = 10 * 1024, 10 * 1024


def selector_errors(selector: JSONObject, path: Path) -> Iterator[FieldError]:
    if (cel := selector.get("cel")) is None:
        yield required(path / "cel")
        return
    expression, place = cel.get("expression") or "", path / "cel" / "expression"
    if size(expression) > _EXPRESSION_MAX:
        yield too_long(place, _EXPRESSION_MAX)
    else:
        from .device_expressions import compile_errors  # CEL, which a cluster without devices never loads

        yield from compile_errors(expression, place)


def stored_selector_errors(selector: JSONObject, path: Path) -> Iterator[FieldError]:
    """An expression that was accepted once is not looked at again."""
    if selector.get("cel") is None:
        yield required(path / "cel")


def configuration_errors(configuration: JSONObject, path: Path, *, is_stored: bool = False) -> Iterator[FieldError]:
    if (opaque := configuration.get("opaque")) is None:
        yield required(path / "opaque")
        return
    yield from declared_driver_errors(opaque.get("driver") or "", path / "opaque" / "driver")
    parameters = path / "opaque" / "parameters"
    yield from raw_object_errors(opaque.get("parameters"), parameters, _PARAMETERS_MAX, is_stored=is_stored)


def raw_object_errors(value: Any, path: Path, limit: int, *, is_stored: bool = False) -> Iterator[FieldError]:
    """Of a field that holds any JSON object. One that was too long before the limit came may stay."""
    if value is None:
        yield required(path)
    elif not is_stored and size(go_json(value)) > limit:
        yield too_long(path, limit)
    elif not isinstance(value, dict):
        yield invalid(path, "<value omitted>", "must be a valid JSON object")
