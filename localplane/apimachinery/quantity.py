"""Amounts of resources: `500m`, `1.5Gi`, `12e6`. Exact, comparable, and printed as Kubernetes prints them.

`parse` reads one, `str` writes its canonical form. Some texts that are already as short as Kubernetes asks for stay as
they were sent (`1E3`, `+1`), because its own parser takes that shortcut. Kubernetes: apimachinery/pkg/api/resource.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import total_ordering
from typing import Final

from .memoization import remembered

__all__ = ["MILLI", "ZERO", "Format", "InvalidQuantity", "Quantity", "canonical", "parse"]

MILLI: Final = -3
_NANO = -9
_INT64_MAX = 2**63 - 1
# A few bytes of input must not cost gigabytes: longer numbers are refused, and of two summands further apart than this
# the smaller one is lost.
_DIGITS_MAX = 1024

FORMAT_WRONG: Final = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
NUMBER_WRONG: Final = "unable to parse numeric part of quantity"
SUFFIX_WRONG: Final = "unable to parse quantity's suffix"


class InvalidQuantity(ValueError):
    """A text that is no quantity, in Kubernetes' words."""


class Format(Enum):
    DECIMAL_SI = "DecimalSI"
    BINARY_SI = "BinarySI"
    DECIMAL_EXPONENT = "DecimalExponent"


_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_SUFFIX = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_BINARY_SUFFIX = {0: ""} | {exponent: suffix for suffix, exponent in _BINARY.items()}


@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """`number` times ten to the `exponent`. `text` is there when the text that was read is to be written again."""

    number: int
    exponent: int = 0
    format: Format = Format.DECIMAL_SI
    text: str | None = None

    def __str__(self) -> str:
        return self.text if self.text is not None else _canonical_text(self)

    @property
    def sign(self) -> int:
        return (self.number > 0) - (self.number < 0)

    def value(self) -> int:
        """In whole units, rounded away from zero; 0 if that is more than 64 bits hold, as Go says it."""
        return self._scaled(0)

    def milli_value(self) -> int:
        return self._scaled(MILLI)

    def _scaled(self, scale: int) -> int:
        if _magnitude(self.number, self.exponent - scale) > 20:
            return 0
        number = _rescaled(self.number, self.exponent, scale)
        return number if -_INT64_MAX - 1 <= number <= _INT64_MAX else 0

    def round_up(self, scale: int) -> Quantity:
        """No finer than ten to the `scale`; what is left over counts as one more."""
        if self.exponent >= scale:
            return self
        return Quantity(_rescaled(self.number, self.exponent, scale), scale, self.format)

    def __add__(self, other: Quantity) -> Quantity:
        chosen = other.format if self.number == 0 else self.format
        if not self.number or not other.number:
            kept = other if self.number == 0 else self
            return Quantity(kept.number, kept.exponent, chosen)
        high, low = (self, other) if self.exponent >= other.exponent else (other, self)
        if high.exponent - low.exponent > _DIGITS_MAX:
            return Quantity(high.number, high.exponent, chosen)
        total = high.number * 10 ** (high.exponent - low.exponent) + low.number
        return Quantity(total, low.exponent, chosen)

    def __sub__(self, other: Quantity) -> Quantity:
        return self + -other

    def __neg__(self) -> Quantity:
        return Quantity(-self.number, self.exponent, self.format)

    def __mul__(self, factor: int) -> Quantity:
        return Quantity(self.number * factor, self.exponent, self.format)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and _compared(self, other) == 0

    def __lt__(self, other: Quantity) -> bool:
        return _compared(self, other) < 0

    def __hash__(self) -> int:
        return hash(_without_factors(self.number, self.exponent))


ZERO: Final = Quantity(0)


def _magnitude(number: int, exponent: int) -> int:
    """How many digits stand before the point; for zero, as few as can be."""
    return len(str(abs(number))) + exponent if number else -(2**40)


def _compared(one: Quantity, other: Quantity) -> int:
    """By sign, then by digits before the point, so that numbers of very different size are never brought together."""
    if one.sign != other.sign:
        return one.sign - other.sign
    sizes = _magnitude(one.number, one.exponent) - _magnitude(other.number, other.exponent)
    if sizes:
        return sizes * one.sign
    scale = min(one.exponent, other.exponent)
    return _rescaled(one.number, one.exponent, scale) - _rescaled(other.number, other.exponent, scale)


def _rescaled(number: int, exponent: int, scale: int) -> int:
    """The number in units of ten to the `scale`, rounded away from zero."""
    if exponent >= scale:
        return number * _power(exponent - scale) if number else 0
    if _magnitude(number, exponent - scale) < 0:
        return (number > 0) - (number < 0)
    whole, rest = divmod(abs(number), _power(scale - exponent))
    whole += rest > 0
    return whole if number >= 0 else -whole


def _power(exponent: int) -> int:
    return int(10**exponent)  # which is a float to a type checker, when the exponent might be negative


def _without_factors(number: int, exponent: int) -> tuple[int, int]:
    """The same amount with every factor of ten in the exponent."""
    if number == 0:
        return 0, 0
    digits = str(abs(number))
    zeros = len(digits) - len(digits.rstrip("0"))
    return number // 10**zeros, exponent + zeros


def _canonical_text(quantity: Quantity) -> str:
    """No fraction, and the largest suffix that allows it; a binary amount that needs a fraction becomes a decimal."""
    if quantity.number == 0:
        return "0"
    if quantity.format is Format.BINARY_SI and not -_KIBI < quantity < _KIBI:
        number = _rescaled(quantity.number, quantity.exponent, 0)
        if Quantity(number) == quantity:
            return _binary_text(number)
    number, exponent = _without_factors(quantity.number, quantity.exponent)
    # The suffixes go by threes, and what is over becomes digits.
    number, exponent = number * 10 ** (exponent % 3), exponent - exponent % 3
    if quantity.format is Format.DECIMAL_EXPONENT:
        return f"{number}e{exponent}" if exponent else str(number)
    return f"{number}{_DECIMAL_SUFFIX.get(exponent, '')}"


_KIBI = Quantity(1024)


def _binary_text(number: int) -> str:
    factors = 0
    while number % 1024 == 0:
        number, factors = number // 1024, factors + 1
    return f"{number}{_BINARY_SUFFIX.get(factors * 10, '')}"


# Permissive on purpose: a suffix alone is zero of it, and so is a sign or a point.
# Whatever takes a character keeps it, so that a text is walked through once.
_split = re.compile(r"([+-]?)0*+([0-9]*+)(?:(\.)([0-9]*+))?([eEinumkKMGTP]*+[-+]?[0-9]*+)", re.ASCII).fullmatch
_exponent = re.compile(r"[eE]([+-]?[0-9]{1,19})", re.ASCII).fullmatch


@remembered  # the same few amounts come again and again
def parse(text: str) -> Quantity:
    """Raises InvalidQuantity."""
    match = _split(text) if text else None
    if match is None:
        raise InvalidQuantity(FORMAT_WRONG)
    sign, whole, _, fraction, suffix = match.groups()
    whole, fraction = whole or "0", fraction or ""
    if len(whole) + len(fraction) > _DIGITS_MAX:
        raise InvalidQuantity(NUMBER_WRONG)
    exponent, form = _suffix(suffix)
    if form is Format.BINARY_SI:
        return _parse_binary(text, sign, whole, fraction, exponent)
    digits, scale = whole + fraction, exponent - len(fraction)
    number = int(digits)
    if len(digits) > _EXACT_DIGITS or scale < _NANO:
        return _rounded(number, scale, form, negative=sign == "-")
    stays = scale % 3 == 0 and not digits.endswith("000") and not digits.startswith("0")
    return Quantity(-number if sign == "-" else number, scale, form, text if stays else None)


_EXACT_DIGITS = 18


def _suffix(suffix: str) -> tuple[int, Format]:
    if suffix in _DECIMAL:
        return _DECIMAL[suffix], Format.DECIMAL_SI
    if suffix in _BINARY:
        return _BINARY[suffix], Format.BINARY_SI
    match = _exponent(suffix)
    if match is None or not -(2**63) <= int(match[1]) < 2**63:
        raise InvalidQuantity(SUFFIX_WRONG)
    return (int(match[1]) + 2**31) % 2**32 - 2**31, Format.DECIMAL_EXPONENT


def _parse_binary(text: str, sign: str, whole: str, fraction: str, exponent: int) -> Quantity:
    short = not fraction and 15 - len(whole) - exponent * 3 // 10 - 1 >= 0
    if not short and not any(character.isdigit() for character in text):
        raise InvalidQuantity(NUMBER_WRONG)
    amount = int(whole + fraction) * 2**exponent
    if short:
        stays = int(whole) & 7 != 0
        return Quantity(-amount if sign == "-" else amount, 0, Format.BINARY_SI, text if stays else None)
    return _rounded(amount, -len(fraction), Format.BINARY_SI, negative=sign == "-")


def _rounded(number: int, scale: int, form: Format, *, negative: bool) -> Quantity:
    """What needs more than the quick way: nothing finer than a billionth, and binary amounts end with 64 bits."""
    quantity = Quantity(number, scale, form).round_up(_NANO)
    if form is Format.BINARY_SI:
        if quantity > Quantity(_INT64_MAX):
            quantity = Quantity(_INT64_MAX, 0, form)
        elif quantity.sign > 0 and quantity < Quantity(1):
            quantity = Quantity(quantity.number, quantity.exponent)
    return -quantity if negative else quantity


@remembered
def canonical(text: str) -> str:
    """The text as a server would answer it. Raises InvalidQuantity."""
    return str(parse(text))
