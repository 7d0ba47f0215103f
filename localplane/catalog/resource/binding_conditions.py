"""Conditions that must be met, or must not, before a pod is bound to the node of its device.

Kubernetes: pkg/apis/resource/validation, validateDeviceBindingParameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, invalid
from localplane.catalog.validation.rules import QUALIFIED_NAME
from localplane.catalog.validation.values import repeated

from .lists import slice_errors

_CONDITIONS_MAX = 4
_BINDING, _FAILURE = "bindingConditions", "bindingFailureConditions"


def binding_condition_errors(holder: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    binding, failure = holder.get(_BINDING) or [], holder.get(_FAILURE) or []
    for name, conditions in ((_BINDING, binding), (_FAILURE, failure)):
        yield from slice_errors(conditions, _CONDITIONS_MAX, QUALIFIED_NAME, path / name)
        yield from _duplicate_errors(conditions, path / name)
    for index, condition in enumerate(failure):
        if condition in binding:
            detail = f"{_FAILURE} must not overlap with {_BINDING}"
            yield invalid((path / _FAILURE)[index], condition, detail)
    if failure and not binding:
        yield invalid(path / _BINDING, None, f"{_BINDING} are required to use {_FAILURE}")
    if binding and not failure:
        yield invalid(path / _FAILURE, None, f"{_FAILURE} are required to use {_BINDING}")


def _duplicate_errors(conditions: Sequence[str], path: Path) -> Iterator[FieldError]:
    for index, (condition, is_repeated) in enumerate(zip(conditions, repeated(conditions), strict=True)):
        if is_repeated:
            yield duplicate(path[index], condition)
