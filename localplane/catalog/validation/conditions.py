"""Conditions of the kind that all newer kinds share: metav1.Condition.

Kubernetes: apimachinery/pkg/apis/meta/v1/validation (ValidateConditions) and pkg/api/meta (SetStatusCondition).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, invalid, not_supported, required, too_long
from localplane.apimachinery.names import qualified_name, regex_error, size
from localplane.apimachinery.times import now

_STATUSES = ("False", "True", "Unknown")
_REASON_MAX, _MESSAGE_MAX = 1024, 32 * 1024
_REASON = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?"
_is_reason = re.compile(_REASON).fullmatch
_NO_REASON = regex_error(
    "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric "
    "characters or '_,:', and must end with an alphanumeric character or '_'",
    _REASON,
    "my_name",
    "MY_NAME",
    "MyName",
    "ReasonA,ReasonB",
    "ReasonA:ReasonB",
)


def conditions_errors(conditions: Sequence[Mapping[str, Any]], path: Path) -> Iterator[FieldError]:
    seen = set()
    for index, condition in enumerate(conditions):
        if (kind := condition.get("type", "")) in seen:
            yield duplicate(path[index], kind)
        seen.add(kind)
        yield from condition_errors(condition, path[index])


def condition_errors(condition: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    kind, status = condition.get("type", ""), condition.get("status", "")
    if not kind:
        yield required(path / "type", "is required")
    else:
        yield from (invalid(path / "type", kind, problem) for problem in qualified_name(kind))
    if not status:
        yield required(path / "status")
    elif status not in _STATUSES:
        yield not_supported(path / "status", status, _STATUSES)
    generation = condition.get("observedGeneration") or 0
    if generation < 0:
        yield invalid(path / "observedGeneration", generation, "must be greater than or equal to zero")
    if not condition.get("lastTransitionTime"):
        yield required(path / "lastTransitionTime")
    yield from _reason_errors(condition.get("reason", ""), path / "reason")
    if size(condition.get("message", "")) > _MESSAGE_MAX:
        yield too_long(path / "message", _MESSAGE_MAX)


def _reason_errors(reason: str, path: Path) -> Iterator[FieldError]:
    if not reason:
        yield required(path)
        return
    if not _is_reason(reason):
        yield invalid(path, reason, _NO_REASON)
    if size(reason) > _REASON_MAX:
        yield too_long(path, _REASON_MAX)


def set_condition(conditions: list[dict[str, Any]], new: Mapping[str, Any]) -> None:
    """In place. The time of the last transition is now, unless the status stays what it was."""
    for old in conditions:
        if old.get("type") == new["type"]:
            if old.get("status") != new["status"]:
                old["lastTransitionTime"] = now()
            old.update({"message": ""} | dict(new))
            return
    conditions.append({"message": "", "lastTransitionTime": now()} | dict(new))
