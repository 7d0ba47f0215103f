"""Conditions of the kind that all newer kinds share: metav1.Condition.

Kubernetes: apimachinery/pkg/apis/meta/v1/validation (ValidateConditions) and pkg/api/meta (SetStatusCondition).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from localplane.apimachinery.names import regex_error
from localplane.apimachinery.times import now

from .rules import QUALIFIED_NAME, AtLeast, Each, Fields, Longest, Named, OneOf, Required, Unique

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


def _reason(text: str) -> list[str]:
    return [] if _is_reason(text) else [_NO_REASON]


CONDITIONS = Each(
    Unique("type", at_item=True),
    Fields(
        type=Required(QUALIFIED_NAME, detail="is required"),
        status=Required(OneOf("False", "True", "Unknown")),
        observedGeneration=AtLeast(0, "must be greater than or equal to zero"),
        lastTransitionTime=Required(),
        reason=Required(Named(_reason), Longest(1024)),
        message=Longest(32 * 1024),
    ),
)


def set_condition(conditions: list[dict[str, Any]], new: Mapping[str, Any]) -> None:
    """In place. The time of the last transition is now, unless the status stays what it was."""
    for old in conditions:
        if old.get("type") == new["type"]:
            if old.get("status") != new["status"]:
                old["lastTransitionTime"] = now()
            old.update({"message": ""} | dict(new))
            return
    conditions.append({"message": "", "lastTransitionTime": now()} | dict(new))
