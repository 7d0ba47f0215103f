"""Taints of devices, and who tolerates them. Kubernetes: pkg/apis/resource/validation, validateDeviceTaint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, not_supported, required
from localplane.apimachinery.names import label_value
from localplane.apimachinery.times import now
from localplane.catalog.validation.rules import (
    QUALIFIED_NAME,
    All,
    Always,
    Each,
    Fields,
    Named,
    OneOf,
    Optional,
    Required,
)

JSONObject = Mapping[str, Any]

_EFFECT = OneOf("NoExecute", "NoSchedule", "None")
_LABEL_VALUE = Named(label_value)
_TAINT = Fields(key=Always(QUALIFIED_NAME), value=Optional(_LABEL_VALUE))
_TAINT_EFFECT = Fields(effect=Required(_EFFECT))


def default_taint(taint: dict[str, Any]) -> None:
    if not taint.get("timeAdded"):
        taint["timeAdded"] = now()


def taint_errors(taint: JSONObject, path: Path, *, old_effect: str | None = None) -> Iterator[FieldError]:
    """An effect that stays as it was is not looked at again."""
    yield from _TAINT(taint, path)
    if (taint.get("effect") or "") != old_effect:
        yield from _TAINT_EFFECT(taint, path)


def default_toleration(toleration: dict[str, Any]) -> None:
    if not toleration.get("operator"):
        toleration["operator"] = "Equal"


def _operator_errors(toleration: JSONObject, path: Path) -> Iterator[FieldError]:
    operator, value = toleration.get("operator") or "", toleration.get("value") or ""
    if operator == "Exists":
        if value:
            yield invalid(path / "value", value, "must be empty for operator `Exists`")
    elif operator == "Equal":
        yield from _LABEL_VALUE(value, path / "value")
    elif not operator:
        yield required(path / "operator")
    else:
        yield not_supported(path / "operator", operator, ("Equal", "Exists"))


_TOLERATION = All(
    Fields(key=Optional(QUALIFIED_NAME)),
    _operator_errors,
    Fields(effect=Optional(_EFFECT)),
)

TOLERATIONS = Fields(tolerations=Each(_TOLERATION))
