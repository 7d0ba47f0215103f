"""Taints of devices, and who tolerates them. Kubernetes: pkg/apis/resource/validation, validateDeviceTaint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, not_supported, required
from localplane.apimachinery.times import now

from .names import label_key_errors, label_value_errors

JSONObject = Mapping[str, Any]

_EFFECTS = ("NoExecute", "NoSchedule", "None")
_OPERATORS = ("Equal", "Exists")


def default_taint(taint: dict[str, Any]) -> None:
    if not taint.get("timeAdded"):
        taint["timeAdded"] = now()


def taint_errors(taint: JSONObject, path: Path, *, old_effect: str | None = None) -> Iterator[FieldError]:
    """An effect that stays as it was is not looked at again."""
    yield from label_key_errors(taint.get("key") or "", path / "key")
    if value := taint.get("value"):
        yield from label_value_errors(value, path / "value")
    effect = taint.get("effect") or ""
    if effect == old_effect:
        return
    if not effect:
        yield required(path / "effect")
    elif effect not in _EFFECTS:
        yield not_supported(path / "effect", effect, _EFFECTS)


def default_toleration(toleration: dict[str, Any]) -> None:
    if not toleration.get("operator"):
        toleration["operator"] = "Equal"


def toleration_errors(toleration: JSONObject, path: Path) -> Iterator[FieldError]:
    operator, value, effect = (toleration.get(name) or "" for name in ("operator", "value", "effect"))
    if key := toleration.get("key"):
        yield from label_key_errors(key, path / "key")
    if operator == "Exists":
        if value:
            yield invalid(path / "value", value, "must be empty for operator `Exists`")
    elif operator == "Equal":
        yield from label_value_errors(value, path / "value")
    elif not operator:
        yield required(path / "operator")
    else:
        yield not_supported(path / "operator", operator, _OPERATORS)
    if effect and effect not in _EFFECTS:
        yield not_supported(path / "effect", effect, _EFFECTS)
