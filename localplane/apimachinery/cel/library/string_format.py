"""string.format. Upstream: ext/formatting.go."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from localplane.apimachinery.cel.errors import CostExceeded, EvaluationError
from localplane.apimachinery.cel.types import Kind, Type
from localplane.apimachinery.cel.values import ELEMENT, MOST_BUILT, Duration, Mapper, Timestamp, Unsigned, type_of_value
from localplane.apimachinery.golang.text import go_quote

from .conversions import text_of

_STRING_WORDS: Final = (
    "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and"
    " timestamps, was given {}"
)
WRONG_TYPES: Final = {
    "s": _STRING_WORDS,
    "d": "decimal clause can only be used on integers, was given {}",
    "f": "fixed-point clause can only be used on doubles, was given {}",
    "e": "scientific clause can only be used on doubles, was given {}",
    "b": "only integers and bools can be formatted as binary, was given {}",
    "x": "only integers, byte buffers, and strings can be formatted as hex, was given {}",
    "X": "only integers, byte buffers, and strings can be formatted as hex, was given {}",
    "o": "octal clause can only be used on integers, was given {}",
}
"""By clause, what is said of a value that it does not take."""

_INTEGERS: Final = frozenset({Kind.INT, Kind.UINT})
ACCEPTED: Final = {
    "s": frozenset(Kind) - {Kind.OPAQUE, Kind.STRUCT, Kind.ERROR},
    "d": _INTEGERS,
    "f": frozenset({Kind.DOUBLE, Kind.STRING}),
    "e": frozenset({Kind.DOUBLE, Kind.STRING}),
    "b": _INTEGERS | {Kind.BOOL},
    "x": _INTEGERS | {Kind.STRING, Kind.BYTES},
    "X": _INTEGERS | {Kind.STRING, Kind.BYTES},
    "o": _INTEGERS,
}
_DEFAULT_PRECISION: Final = 6
Clause = Callable[[str, int | None, int], str]
"""What is written for a clause with a precision, for the argument of this number."""


class FormatError(ValueError):
    pass


class _Pieces(list[str]):
    """Of a text that is not to become too long to be looked at: a short list may hold a long text many times."""

    def __init__(self) -> None:
        super().__init__()
        self._left = MOST_BUILT

    def append(self, piece: str) -> None:
        """Raises CostExceeded."""
        self._left -= len(piece) + ELEMENT
        if self._left < 0:
            raise CostExceeded
        super().append(piece)


def interpolated(text: str, count: int, clause: Clause) -> str:
    """The text with its clauses written by `clause`. Raises FormatError for what is no clause."""
    pieces = _Pieces()
    position, used = 0, 0
    while True:
        percent = text.find("%", position)
        if percent < 0:
            pieces.append(text[position:])
            return "".join(pieces)
        pieces.append(text[position:percent])
        if text[percent + 1 : percent + 2] == "%":
            pieces.append("%")
            position = percent + 2
            continue
        if used >= count:
            raise FormatError(f"index {used} out of range")
        if percent + 1 >= len(text):
            raise FormatError("unexpected end of string")
        letter, precision, position = _clause(text, percent + 1)
        pieces.append(clause(letter, precision, used))
        used += 1


def _clause(text: str, position: int) -> tuple[str, int | None, int]:
    precision: int | None = None
    if text[position] == ".":
        end = position + 1
        while end < len(text) and text[end] in "0123456789":
            end += 1
        words = "could not parse formatting clause: error while parsing precision"
        if end >= len(text):
            raise FormatError(f"{words}: could not find end of precision specifier")
        digits = text[position + 1 : end]
        if not digits:
            number = 'error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax'
            raise FormatError(f"{words}: {number}")
        precision, position = min(int(digits[:6]), 1000), end
    letter = text[position]
    if letter not in WRONG_TYPES:
        raise FormatError(f'could not parse formatting clause: unrecognized formatting clause "{letter}"')
    return letter, precision, position + 1


def formatted(text: str, arguments: list[Any]) -> str:
    def clause(letter: str, precision: int | None, number: int) -> str:
        try:
            return _WRITERS[letter](arguments[number], precision)
        except FormatError as error:
            raise FormatError(f"error during formatting: {error}") from None

    try:
        return interpolated(text, len(arguments), clause)
    except FormatError as error:
        raise EvaluationError(str(error)) from None


def _wrong(letter: str, value: Any) -> FormatError:
    return FormatError(WRONG_TYPES[letter].format(type_of_value(value).name))


def _plain(value: Any, _: int | None = None) -> str:
    if value is None:
        return "null"
    if isinstance(value, (bool, int, float, str, bytes, Duration, Timestamp)):
        return text_of(value)
    if isinstance(value, list):
        pieces = _Pieces()
        for each in value:
            pieces.append(_inner(each))
        return f"[{', '.join(pieces)}]"
    if isinstance(value, Mapper):
        return _plain_map(value)
    if isinstance(value, Type):
        return value.name
    raise _wrong("s", value)


def _plain_map(value: Mapper) -> str:
    pieces = _Pieces()
    for key in value.each_key():
        if not isinstance(key, (bool, int, str)):
            raise FormatError(f"no formatting function for map key of type {type_of_value(key).name}")
        pieces.append(_inner(key))
        pieces.append(_inner(value.find(key)))
    pairs = sorted(zip(pieces[::2], pieces[1::2], strict=True))
    return f"{{{', '.join(f'{key}:{inner}' for key, inner in pairs)}}}"


def _inner(value: Any) -> str:
    """Within a list or a map everything is written as a literal."""
    match value:
        case str():
            return go_quote(value)
        case bytes():
            return f"b{go_quote(_plain(value))}"
        case float():
            text = _fixed(value, None)
            return text if math.isfinite(value) else go_quote(text)
        case Timestamp():
            return f"timestamp({go_quote(text_of(value))})"
        case Duration():
            return f"duration({go_quote(text_of(value))})"
        case None | bool() | int() | list() | Mapper() | Type():
            return _plain(value)
    raise FormatError(f"no formatting function for {type_of_value(value).name}")


def _decimal(value: Any, _: int | None) -> str:
    if type(value) not in (int, Unsigned):
        raise _wrong("d", value)
    return str(int(value))


_WORDS: Final = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def _as_double(letter: str, value: Any) -> float:
    if isinstance(value, str) and value in _WORDS:
        return _WORDS[value]
    if type(value) is not float:
        raise _wrong(letter, value)
    return value


def _special(value: float) -> str:
    return "NaN" if math.isnan(value) else ("\u221e" if value > 0 else "-\u221e")


def _fixed(value: Any, precision: int | None) -> str:
    number = _as_double("f", value)
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else ("+Inf" if number > 0 else "-Inf")
    return f"{number:.{_DEFAULT_PRECISION if precision is None else precision}f}"


def _localised(value: Any, precision: int | None) -> str:
    """In the locale en_US: thousands are grouped."""
    number = _as_double("f", value)
    if not math.isfinite(number):
        return _special(number)
    return f"{number:,.{_DEFAULT_PRECISION if precision is None else precision}f}"


def _scientific(value: Any, precision: int | None) -> str:
    """The precision is a width here, because upstream writes %6e where it means %.6e."""
    number = _as_double("e", value)
    width = _DEFAULT_PRECISION if precision is None else precision
    if not math.isfinite(number):
        return _special(number).rjust(width)
    digits, _, exponent = f"{number:.6e}".partition("e")
    return f"{digits}\u00d710{_superscript(exponent)}".rjust(width)


def _superscript(exponent: str) -> str:
    sign = "\u207b" if exponent[0] == "-" else ""
    return sign + exponent[1:].translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _based(letter: str, spec: str) -> Callable[[Any, int | None], str]:
    def write(value: Any, _: int | None) -> str:
        if letter == "b" and isinstance(value, bool):
            return "1" if value else "0"
        if type(value) in (int, Unsigned):
            return format(int(value), spec)
        if letter in "xX" and isinstance(value, (str, bytes)):
            text = (value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value).hex()
            return text.upper() if letter == "X" else text
        raise _wrong(letter, value)

    return write


_WRITERS: Final[dict[str, Callable[[Any, int | None], str]]] = {
    "s": _plain,
    "d": _decimal,
    "f": _localised,
    "e": _scientific,
    "b": _based("b", "b"),
    "x": _based("x", "x"),
    "X": _based("X", "X"),
    "o": _based("o", "o"),
}
