"""Numbers, ports and choices, in the words of Kubernetes' validation."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, not_supported, required

NOT_NEGATIVE = "must be greater than or equal to 0"


def not_negative(value: int | None, path: Path) -> list[FieldError]:
    return [invalid(path, value, NOT_NEGATIVE)] if value is not None and value < 0 else []


def in_range(value: int, low: int, high: int, path: Path) -> list[FieldError]:
    """Both ends count. Kubernetes: util/validation, InclusiveRangeError."""
    return [] if low <= value <= high else [invalid(path, value, f"must be between {low} and {high}, inclusive")]


def port_number(value: int, path: Path) -> list[FieldError]:
    return in_range(value, 1, 65535, path)


def one_of(value: Any, supported: Iterable[str], path: Path, *, missing: str | None = None) -> list[FieldError]:
    """One of a few words, which the message lists in order. With `missing`, an empty value is a required one, and that
    is its detail."""
    if missing is not None and not value:
        return [required(path, missing)]
    return [] if value in (known := sorted(supported)) else [not_supported(path, value or "", known)]


def repeated(values: Iterable[Hashable]) -> Iterator[bool]:
    """Of each value in turn, whether it has come before."""
    seen: set[Hashable] = set()
    for value in values:
        yield value in seen
        seen.add(value)
