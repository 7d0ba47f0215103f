"""The functions that a template can call: Go's own, and kubectl's `exists` and `base64decode`."""

from __future__ import annotations

import base64
import binascii
import operator
import re
import urllib.parse
from collections.abc import Callable, Mapping
from typing import Any

from localplane.apimachinery.golang.text import go_plain, go_quote

from .values import MISSING, Int, is_true, kind_of

# Go's fmt.Sprintf for the values that JSON has.

_VERB = re.compile(r"%([-+# 0]*)(\d+|\*)?(?:\.(\d+|\*))?(.)?", re.DOTALL)


def sprintf(form: str, *values: Any) -> str:
    rest = [None if value is MISSING else value for value in values]

    def replace(match: re.Match[str]) -> str:
        flags, width, precision, verb = match.groups()
        if verb is None:
            return "%!(NOVERB)"
        if verb == "%":
            return "%"
        wide = _size(width, rest)
        exact = _size(precision, rest)
        if not rest:
            return f"%!{verb}(MISSING)"
        text = _verb(verb, rest.pop(0), flags, exact)
        if wide is None:
            return text
        if "-" in flags:
            return text.ljust(wide)
        zeros = "0" in flags and verb in "deEfFgGxXbo"
        return (
            (text[:1] + text[1:].rjust(wide - 1, "0") if text[:1] in "+-" else text.rjust(wide, "0"))
            if zeros
            else (text.rjust(wide))
        )

    written = _VERB.sub(replace, form)
    if rest:
        extra = ", ".join(f"{kind_of(value)}={go_plain(value)}" if value is not None else "<nil>" for value in rest)
        written += f"%!(EXTRA {extra})"
    return written


def _size(text: str | None, rest: list[Any]) -> int | None:
    if text == "*":
        return int(rest.pop(0)) if rest else None
    return int(text) if text else None


def _verb(verb: str, value: Any, flags: str, precision: int | None) -> str:
    sign = "+" if "+" in flags and type(value) in (int, float) and value >= 0 else ""
    match verb, value:
        case ("v", _) | ("s", list() | dict()):
            return sign + go_plain(value)
        case "s", str():
            return value if precision is None else value[:precision]
        case "q", str():
            return go_quote(value)
        case "x" | "X", str():
            text = value.encode().hex()
            return text.upper() if verb == "X" else text
        case "t", bool():
            return "true" if value else "false"
        case "T", _:
            return "<nil>" if value is None else kind_of(value)
        case "d" | "x" | "X" | "o" | "b", int() if not isinstance(value, bool):
            return sign + format(value, verb)
        case "c", int() if not isinstance(value, bool):
            return chr(value)
        case "f" | "F" | "e" | "E" | "g" | "G", float():
            if verb in "gG" and precision is None:
                return sign + go_plain(value)
            return sign + format(value, f".{6 if precision is None else precision}{verb}")
    if value is None:
        return f"%!{verb}(<nil>)"
    return f"%!{verb}({kind_of(value)}={go_plain(value)})"


Functions = Mapping[str, Callable[..., Any] | None]


class FunctionError(ValueError):
    """What Go prints after `error calling NAME: `."""


def _not(value: Any) -> bool:
    return not is_true(value)


def _length(value: Any) -> int:
    if isinstance(value, str):
        return Int(len(value.encode()))
    if isinstance(value, (list, dict)):
        return Int(len(value))
    if value is MISSING:
        raise FunctionError("reflect: call of reflect.Value.Type on zero Value")
    if value is None:
        raise FunctionError("len of nil pointer")
    raise FunctionError(f"len of type {kind_of(value)}")


def _index(value: Any, *keys: Any) -> Any:
    nothing = "index of untyped nil"
    for key in keys:
        if value is None or value is MISSING:
            raise FunctionError(nothing)
        nothing = "index of nil pointer"
        if isinstance(value, dict):
            if not isinstance(key, str):
                raise FunctionError(f"value has type {kind_of(key)}; should be string")
            value = value.get(key, MISSING)
        elif isinstance(value, (list, str)):
            value = _item(value, key)
        else:
            raise FunctionError(f"can't index item of type {kind_of(value)}")
    return value


def _item(value: list[Any] | str, key: Any) -> Any:
    if not isinstance(key, int) or isinstance(key, bool):
        if isinstance(key, float):
            raise FunctionError("cannot index slice/array with type float64")
        raise FunctionError(f"cannot index slice/array with type {kind_of(key)}")
    if not 0 <= key < len(value):
        raise FunctionError(f"index out of range: {key}")
    return value[key] if isinstance(value, list) else value.encode()[key]


def _slice(value: Any, *bounds: Any) -> Any:
    if not isinstance(value, (list, str)):
        raise FunctionError(f"can't slice item of type {kind_of(value)}")
    whole = value.encode() if isinstance(value, str) else value
    start, end = (bounds[0] if bounds else 0), (bounds[1] if len(bounds) > 1 else len(whole))
    for bound in (start, end):
        if not 0 <= bound <= len(whole):
            raise FunctionError(f"index out of range: {bound}")
    if start > end:
        raise FunctionError(f"invalid slice index: {start} > {end}")
    part = whole[start:end]
    return part.decode(errors="replace") if isinstance(part, bytes) else part


def _exists(value: Any, *keys: Any) -> bool:
    for key in keys:
        if isinstance(value, (list, str)) and isinstance(key, int) and 0 <= key < len(value):
            value = value[key]
        elif isinstance(value, dict) and isinstance(key, str):
            value = value.get(key)
        else:
            return False
    return value is not None and value is not MISSING


def _base64decode(value: Any) -> str:
    if not isinstance(value, str):
        raise FunctionError(f"wrong type for value; expected string; got {kind_of(value)}")
    try:
        return base64.b64decode(value, validate=True).decode(errors="replace")
    except (binascii.Error, ValueError):
        raise FunctionError("base64 decode failed: illegal base64 data at input byte 0") from None


def _equal(first: Any, *others: Any) -> bool:
    if not others:
        raise FunctionError("missing argument for comparison")
    return any(_same(first, other) for other in others)


def _same(a: Any, b: Any) -> bool:
    no_a, no_b = a is MISSING or a is None, b is MISSING or b is None
    if _basic(a) != _basic(b):
        if no_a or no_b:
            return False
        raise FunctionError(f"incompatible types for comparison: {kind_of(a)} and {kind_of(b)}")
    if _basic(a):
        return bool(a == b)
    if no_a or no_b:
        return no_a and no_b
    if type(a) is not type(b):
        raise FunctionError(f"non-comparable types {go_plain(a)}: {kind_of(a)}, {kind_of(b)}: {go_plain(b)}")
    raise FunctionError(f"non-comparable type {go_plain(b)}: {kind_of(b)}")


def _basic(value: Any) -> str:
    """Which of the simple kinds it is, all integers being one; nothing for the others."""
    kind = kind_of(value)
    return "int" if kind == "int64" else kind if kind in ("bool", "int", "float64", "string") else ""


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def ask(a: Any, b: Any) -> bool:
        if not _basic(a) or not _basic(b):
            raise FunctionError("invalid type for comparison")
        if _basic(a) != _basic(b):
            raise FunctionError(f"incompatible types for comparison: {kind_of(a)} and {kind_of(b)}")
        if isinstance(a, bool):
            raise FunctionError("invalid type for comparison")
        return compare(a, b)

    return ask


def _print(*values: Any) -> str:
    """Spaces only between two that are both no text."""
    pieces: list[str] = []
    for position, value in enumerate(values):
        if position and not isinstance(value, str) and not isinstance(values[position - 1], str):
            pieces.append(" ")
        pieces.append(go_plain(None if value is MISSING else value))
    return "".join(pieces)


def _println(*values: Any) -> str:
    return " ".join(go_plain(None if value is MISSING else value) for value in values) + "\n"


def _html(*values: Any) -> str:
    text = _print(*values)
    for raw, escaped in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&#34;"), ("'", "&#39;")):
        text = text.replace(raw, escaped)
    return text


def _js(*values: Any) -> str:
    escapes = {"\\": "\\\\", "'": "\\'", '"': '\\"', "<": "\\u003C", ">": "\\u003E", "&": "\\u0026", "=": "\\u003D"}
    return "".join(escapes.get(c) or (f"\\u{ord(c):04X}" if c < " " else c) for c in _print(*values))


def _urlquery(*values: Any) -> str:
    return urllib.parse.quote_plus(_print(*values))


def _call(value: Any, *_: Any, shown: str) -> Any:
    """No object has functions."""
    if value is None or value is MISSING:
        raise FunctionError("call of nil")
    raise FunctionError(f"non-function {shown} of type {kind_of(value)}")


# `and` and `or` don't look at what comes after the decision, so `executing` knows them itself.
FUNCTIONS: Functions = {
    "and": None,
    "or": None,
    "not": _not,
    "len": _length,
    "index": _index,
    "slice": _slice,
    "exists": _exists,
    "base64decode": _base64decode,
    "eq": _equal,
    "ne": lambda a, b: not _same(a, b),
    "lt": _ordered(operator.lt),
    "le": _ordered(operator.le),
    "gt": _ordered(operator.gt),
    "ge": _ordered(operator.ge),
    "print": _print,
    "println": _println,
    "printf": sprintf,
    "html": _html,
    "js": _js,
    "urlquery": _urlquery,
    "call": _call,
}
