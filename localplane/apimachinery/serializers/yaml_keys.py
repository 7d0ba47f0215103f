"""Mapping keys: JSON has only text, YAML has everything."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

from localplane.apimachinery.gotext import go_float, go_quote
from localplane.apimachinery.light_typing import Any

_PRINTED_DEPTH = 100


@dataclass(frozen=True, slots=True)
class Key:
    """A key as YAML has it, and as JSON has it."""

    raw: Any
    text: str


def key_of(raw: Any) -> Key | None:
    """None for keys that JSON can't have: null, and whole numbers that need a 64th bit."""
    if isinstance(raw, str):
        return Key(raw, raw)
    if isinstance(raw, bool):
        return Key(raw, "true" if raw else "false")
    if isinstance(raw, float):
        return Key(raw, _float_key(raw))
    if raw is None or raw >= 2**63:
        return None
    return Key(raw, str(raw))


def _float_key(value: float) -> str:
    """Go prints such keys with the digits of 32 bits."""
    if not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    try:
        (single,) = struct.unpack("f", struct.pack("f", value))
    except OverflowError:
        return ".inf" if value > 0 else "-.inf"
    for digits in range(1, 10):
        text = f"{single:.{digits}g}"
        if struct.unpack("f", struct.pack("f", float(text)))[0] == single:
            return go_float(float(text))
    raise AssertionError(value)


def go_syntax(value: Any, depth: int = 0, *, keys: str = "interface {}") -> str:
    """Go's %#v, which some messages have. `keys` is the type of the keys of a map."""
    match value:
        case None:
            return "interface {}(nil)" if depth else "<nil>"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return go_float(value)
        case str():
            return go_quote(value)
        case _ if depth >= _PRINTED_DEPTH:
            return "..."
        case list():
            return f"[]interface {{}}{{{', '.join(go_syntax(item, depth + 1, keys=keys) for item in value)}}}"
        case _:
            items = (f"{go_quote(key)}:{go_syntax(value[key], depth + 1, keys=keys)}" for key in sorted(value))
            return f"map[{keys}]interface {{}}{{{', '.join(items)}}}"
