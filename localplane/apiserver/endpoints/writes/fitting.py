"""Integers as Go has them when it converts a map to a struct: nothing is too large, what is above is cut off.

Applied and strategically merged objects come so. Kubernetes: runtime.DefaultUnstructuredConverter (fromUnstructured).
"""

from __future__ import annotations

from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema import DecodeError, Node

_BITS: Final = {"int32": 32}


def fit_integers(node: Node, obj: JSONObject) -> None:
    """In place. Raises DecodeError for a number that is no integer."""
    _fitting(node, obj)


def _fitting(node: Node, value: Any) -> Any:
    shape = node.shape
    if isinstance(value, dict) and shape in ("struct", "map"):
        for name, item in value.items():
            field = node.properties.get(name)
            below = field.node if field is not None else node.values
            if below is not None:
                value[name] = _fitting(below, item)
    elif isinstance(value, list) and shape == "list" and node.items is not None:
        value[:] = [_fitting(node.items, item) for item in value]
    elif shape == "integer" and isinstance(value, (int, float)) and not isinstance(value, bool):
        return _cut(value, _BITS.get(node.format, 64))
    return value


def _cut(number: float, bits: int) -> int:
    if isinstance(number, float):
        if not number.is_integer():
            raise DecodeError(f"cannot convert float64 to int{bits}")
        if abs(number) >= 2**63:
            return 0 if bits < 64 else -(2**63)
    half = 1 << (bits - 1)
    return (int(number) + half) % (2 * half) - half
