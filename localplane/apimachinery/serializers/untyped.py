"""Numbers in fields that have no type, as Go keeps them: 64 bits with a sign, or a float."""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.golang.text import json_float

from .json_scanner import number


def untyped_number(value: Any) -> Any:
    """What Go makes of a number it has read and written once: 1.0 is 1, and what exceeds 63 bits loses its digits."""
    if isinstance(value, float) or not -(2**63) <= value < 2**63:
        return number(json_float(float(value)))
    return value


def go_untyped(value: Any) -> Any:
    """The value with its numbers as Go would store them; containers are changed in place.

    For objects without a schema of Go types: custom resources, and whatever a client reads without knowing it.
    """
    top = [value]
    pending: list[dict[str, Any] | list[Any]] = [top]
    while pending:
        container = pending.pop()
        items = container.items() if isinstance(container, dict) else enumerate(container)
        for key, item in items:
            kind = type(item)
            if kind is dict or kind is list:
                pending.append(item)
            elif kind is float or (kind is int and not -(2**63) <= item < 2**63):
                container[key] = untyped_number(item)  # type: ignore[index] # the key came from this container
    return top[0]
