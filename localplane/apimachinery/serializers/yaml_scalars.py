"""What a YAML scalar means to Kubernetes: the rules of go-yaml v2, which are neither YAML 1.1's nor 1.2's.

Dates stay text, `y` is true, `0777` and `0o777` are octal, `08` is a float, base 60 is unknown.
Kubernetes: vendor/go.yaml.in/yaml/v2, resolve.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
import struct

from localplane.apimachinery.golang.text import go_float, go_quote
from localplane.apimachinery.light_typing import Any, Final, NamedTuple

from .errors import YAMLError
from .utf8 import decode

_PREFIX: Final = "tag:yaml.org,2002:"
STR, BOOL, INT, FLOAT, NULL, TIMESTAMP, BINARY, MERGE = (
    f"{_PREFIX}{name}" for name in ("str", "bool", "int", "float", "null", "timestamp", "binary", "merge")
)
_RESOLVABLE = frozenset((STR, BOOL, INT, FLOAT, NULL, TIMESTAMP))

_NUMERIC_START = frozenset("+-0123456789.")
# Only words that start so are looked up; `<<` for example means something as a key only.
_HINTED = _NUMERIC_START | frozenset("yYnNtTfFoO~")

_WORDS: Final[dict[str, tuple[str, Any]]] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), (BOOL, True)),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), (BOOL, False)),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), (NULL, None)),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), (FLOAT, math.nan)),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), (FLOAT, math.inf)),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), (FLOAT, -math.inf)),
}

# Compiled by `re` when the first text comes that may be one: all of them take longer than to ask a server.
_INTEGER = r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))"
_FLOAT_TEXT = r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
_DOT_FLOAT = r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?"
_DATE = (
    r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
    r"(?:[Tt]([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?(?:Z|[-+]([0-9]{2}):([0-9]{2}))"
    r"| ([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?)?"
)
_SHORT_INTEGER_TEXT = 18  # of decimal digits, which are all within 64 bits
_MAX_INTEGER_TEXT = 80  # longer than 64 bits in base 2, with a sign and a prefix


def plain(text: str) -> Any:
    """The value of a scalar without quotes and tag; a float is not yet what JSON makes of it."""
    if text and text[0] not in _HINTED:
        return text
    return resolve("", text)[1]


def resolve(tag: str, text: str) -> tuple[str, Any]:
    """The tag and value of a scalar that has a tag or no quotes. Raises YAMLError if the tag does not fit."""
    if tag == BINARY:
        return tag, _binary(text)
    if tag and tag not in _RESOLVABLE:
        return tag, text
    found, value = (STR, text) if tag == STR else _by_form(tag, text)
    if tag in ("", found, STR):
        return found, value
    if tag == FLOAT and found == INT:
        return FLOAT, float(value)
    raise YAMLError(f"yaml: cannot decode {_short(found)} `{text}` as a {_short(tag)}")


def _by_form(tag: str, text: str) -> tuple[str, Any]:
    if text and text[0] not in _HINTED:
        return STR, text
    word = _WORDS.get(text)
    if word is not None:
        return word
    if text[0] == ".":
        value = _finite(text.replace("_", "")) if re.fullmatch(_DOT_FLOAT, text) else None
        return (STR, text) if value is None else (FLOAT, value)
    if text[0] not in _NUMERIC_START:
        return STR, text
    if tag in ("", TIMESTAMP) and is_timestamp(text):
        return TIMESTAMP, text
    return _number(text)


def _number(text: str) -> tuple[str, Any]:
    digits = text.replace("_", "")
    integer = _integer(digits)
    if integer is not None:
        return INT, integer
    value = _finite(digits) if re.fullmatch(_FLOAT_TEXT, digits) else None
    return (STR, text) if value is None else (FLOAT, value)


def _integer(digits: str) -> int | None:
    if digits.isascii() and digits.isdecimal() and digits[0] != "0" and len(digits) <= _SHORT_INTEGER_TEXT:
        return int(digits)
    match = re.fullmatch(_INTEGER, digits) if len(digits) <= _MAX_INTEGER_TEXT else None
    if match is None:
        return None
    sign, hexadecimal, binary, octal, decimal = match.groups()
    if hexadecimal or binary or octal:
        value = int(hexadecimal or binary or octal, 16 if hexadecimal else 2 if binary else 8)
    else:
        value = int(decimal)
    value = -value if sign == "-" else value
    # Only a number without any sign may need the 64th bit for itself.
    return value if -(2**63) <= value < (2**63 if sign else 2**64) else None


def _finite(text: str) -> float | None:
    value = float(text)
    return value if math.isfinite(value) else None


def _binary(text: str) -> str:
    try:
        return decode(base64.b64decode(text.replace("\n", "").replace("\r", ""), validate=True))
    except (binascii.Error, ValueError):
        raise YAMLError("yaml: !!binary value contains invalid base64 data") from None


def is_timestamp(text: str) -> bool:
    """Whether Go takes the text for a time; then it stays text, but text that looks so must be quoted."""
    match = re.fullmatch(_DATE, text) if text[4:5] == "-" else None
    if match is None:
        return False
    year, month, day, hour, minute, second, zone_hour, zone_minute, *other = (int(part or 0) for part in match.groups())
    if not 1 <= month <= 12 or not 1 <= day <= _days(year, month):
        return False
    times_fit = all(h < 24 and m < 60 and s < 60 for h, m, s in ((hour, minute, second), tuple(other)))
    return times_fit and zone_hour <= 24 and zone_minute <= 60


def _short(tag: str) -> str:
    return f"!!{tag.removeprefix(_PREFIX)}" if tag.startswith(_PREFIX) else tag


def _days(year: int, month: int) -> int:
    """Of a month; Go's year 0 is a leap year. `calendar` knows it too, but takes longer to import than all the rest."""
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


# Mapping keys: JSON has only text, YAML has everything.

_PRINTED_DEPTH = 100


class Key(NamedTuple):
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
