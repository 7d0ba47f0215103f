"""How Go prints values: its quotes, its JSON and its numbers, which Kubernetes' messages are full of.

Nothing here recurses: a value may be nested as deeply as a request body allows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache

from localplane.apimachinery.light_typing import Any

_QUOTE_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
}

_JSON_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


@cache
def _json_special() -> re.Pattern[str]:
    """Go keeps its JSON safe for HTML (<, >, &) and for JavaScript (the two line separators)."""
    return re.compile('[\\x00-\\x1f"\\\\<>&\u2028\u2029\ud800-\udfff]')


def go_value(value: Any) -> str:
    """A value as a field error prints it: text in Go's quotes, numbers plainly, the rest as JSON.

    Dictionaries keep their order. Go prints a struct in the order of its fields and a map by its sorted keys; the
    caller knows which one it holds.
    """
    if isinstance(value, str):
        return go_quote(value)
    if isinstance(value, float):
        return go_float(value)
    return go_json(value)


def go_quote(text: str) -> str:
    """Go's %q. A lone surrogate was a replacement character before Go could print it."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return f'"{"".join(_QUOTE_ESCAPES.get(character) or _quoted(character) for character in text)}"'


def _quoted(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def go_float(value: float) -> str:
    """Go's %v: the shortest digits, with an exponent from 1e+06 on and below 1e-04."""
    if not math.isfinite(value):
        return {math.inf: "+Inf", -math.inf: "-Inf"}.get(value, "NaN")
    digits, exponent = _shortest(value)
    if exponent < -4 or exponent >= 6:
        return f"{digits}e{exponent:+03d}"
    return _positional(value)


def json_float(value: float) -> str:
    """A float in Go's JSON: an exponent only where there would be many zeros."""
    magnitude = abs(value)
    if magnitude != 0 and (magnitude < 1e-6 or magnitude >= 1e21):
        digits, exponent = _shortest(value)
        return f"{digits}e{exponent:+03d}" if exponent > 0 else f"{digits}e{exponent}"
    return _positional(value)


def _shortest(value: float) -> tuple[str, int]:
    """The mantissa with as few digits as identify the value, and its exponent."""
    text = repr(value)
    mantissa, _, exponent = text.partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = (whole + fraction).lstrip("0")
    power = len(whole) - 1 + int(exponent or 0) - (len(whole + fraction) - len((whole + fraction).lstrip("0")))
    digits = digits.rstrip("0")
    if not digits:
        return f"{sign}0", 0
    return sign + digits[0] + (f".{digits[1:]}" if len(digits) > 1 else ""), power


def _positional(value: float) -> str:
    digits, exponent = _shortest(value)
    sign = "-" if digits.startswith("-") else ""
    digits = digits.lstrip("-").replace(".", "")
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    whole, fraction = digits[: exponent + 1].ljust(exponent + 1, "0"), digits[exponent + 1 :]
    return f"{sign}{whole}.{fraction}" if fraction else sign + whole


def go_json(value: Any) -> str:
    """Compact JSON with Go's escapes. What JSON can't say (an object of some class) is printed as its text."""
    return "".join(_pieces(value))


def json_string(text: str) -> str:
    return f'"{_json_special().sub(_json_escape, text)}"'


def _json_escape(match: re.Match[str]) -> str:
    character = match.group()
    if "\ud800" <= character <= "\udfff":
        return "\ufffd"
    return _JSON_ESCAPES.get(character) or f"\\u{ord(character):04x}"


class _Token(str):
    """A piece that is printed already, among values that are not."""

    __slots__ = ()


def go_plain(value: Any) -> str:
    """Go's %v: text as it is, maps by their sorted keys."""
    pieces: list[str] = []
    waiting: list[Any] = [value]
    while waiting:
        current = waiting.pop()
        if isinstance(current, dict):
            inner = [part for name in sorted(current) for part in (_Token(f" {name}:"), current[name])]
        elif isinstance(current, (list, tuple)):
            inner = [part for item in current for part in (_Token(" "), item)]
        else:
            pieces.append(_plain_scalar(current))
            continue
        if inner:
            inner[0] = _Token(inner[0][1:])
        opening = _Token("map[" if isinstance(current, dict) else "[")
        waiting += reversed([opening, *inner, _Token("]")])
    return "".join(pieces)


def _plain_scalar(value: Any) -> str:
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    return go_float(value) if isinstance(value, float) else str(value)


def go_type_name(value: Any) -> str:
    """Go's %T of what JSON decodes to."""
    match value:
        case None:
            return "<nil>"
        case bool():
            return "bool"
        case int():
            return "int64"
        case float():
            return "float64"
        case str():
            return "string"
        case list():
            return "[]interface {}"
    return "map[string]interface {}"


def json_type(value: Any) -> str:
    """The type of a JSON value in the words of Go's decoder."""
    match value:
        case dict():
            return "object"
        case list():
            return "array"
        case str():
            return "string"
        case bool():
            return "bool"
        case None:
            return "null"
    return "number"


_END: Any = object()


def _pieces(value: Any) -> Iterator[str]:
    """JSON token by token, with a stack of the containers that are open."""
    stack: list[tuple[Iterator[Any], str]] = []
    separator = ""
    while True:
        if isinstance(value, dict):
            stack.append((iter(value.items()), "}"))
            separator = "{"
        elif isinstance(value, (list, tuple)):
            stack.append((iter(value), "]"))
            separator = "["
        else:
            yield _scalar(value)
            separator = ","
        while stack:
            items, close = stack[-1]
            item = next(items, _END)
            if item is not _END:
                break
            yield close if separator == "," else separator + close
            separator = ","
            stack.pop()
        if not stack:
            return
        yield separator
        if close == "}":
            yield f"{json_string(str(item[0]))}:"
            value = item[1]
        else:
            value = item


def _scalar(value: Any) -> str:
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return json_float(value) if math.isfinite(value) else "null"
    return json_string(str(value))


def go_syntax(value: Any) -> str:
    """%#v, of JSON values: one of kubectl's messages has it."""
    match value:
        case None:
            return "interface {}(nil)"
        case dict():
            inner = ", ".join(f"{go_quote(key)}:{go_syntax(value[key])}" for key in sorted(value))
            return f"map[string]interface {{}}{{{inner}}}"
        case list():
            return "[]interface {}{" + ", ".join(map(go_syntax, value)) + "}"
        case str():
            return go_quote(value)
    return go_plain(value)
