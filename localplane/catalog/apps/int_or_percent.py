"""Numbers of pods, told as a number or as a share: `1`, `"25%"`.

Kubernetes: pkg/apis/apps/validation (ValidatePositiveIntOrPercent, IsNotMoreThan100Percent, getIntOrPercentValue).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from localplane.apimachinery.fieldpath import FieldError, Path, invalid
from localplane.apimachinery.names import regex_error
from localplane.catalog.validation.values import not_negative

IntOrPercent = int | str

_PERCENT = "[0-9]+%"
_is_percent = re.compile(_PERCENT).fullmatch
_is_number = re.compile("[+-]?[0-9]+").fullmatch
_NO_PERCENT = regex_error(
    "a valid percent string must be a numeric string followed by an ending '%'", _PERCENT, "1%", "93%"
)


def positive_errors(value: IntOrPercent, path: Path) -> Iterator[FieldError]:
    if isinstance(value, int):
        yield from not_negative(value, path)
    elif not _is_percent(value):
        yield invalid(path, value, _NO_PERCENT)


def share_errors(value: IntOrPercent, path: Path) -> Iterator[FieldError]:
    """A share is at most the whole; a number may be any."""
    if isinstance(value, str) and _is_percent(value) and count(value) > 100:
        yield invalid(path, value, "must not be greater than 100%")


def count(value: IntOrPercent) -> int:
    """The number, be it of pods or of percent; what is neither counts as none."""
    if isinstance(value, int):
        return value
    digits = value[:-1] if _is_percent(value) else value
    return int(digits) if _is_number(digits) and len(digits) < 20 else 0


def scaled(value: IntOrPercent, total: int, *, round_up: bool) -> int:
    """How many of the total are meant. Kubernetes: intstr.GetScaledValueFromIntOrPercent."""
    if isinstance(value, int):
        return value
    share = count(value) * total
    return -(-share // 100) if round_up else share // 100
