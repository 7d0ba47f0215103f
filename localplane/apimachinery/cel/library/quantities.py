"""Quantities. Upstream: pkg/cel/library/quantity.go."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

from localplane.apimachinery.cel.declarations import Function, member, overload
from localplane.apimachinery.cel.errors import EvaluationError
from localplane.apimachinery.cel.types import BOOL, DOUBLE, INT, QUANTITY, STRING, Type
from localplane.apimachinery.cel.values import Extension
from localplane.apimachinery.quantity import Format, InvalidQuantity, Quantity, parse


@dataclass(frozen=True, slots=True)
class QuantityValue(Extension):
    amount: Quantity
    cel_type: ClassVar[Type] = QUANTITY

    def __str__(self) -> str:
        return str(self.amount)


def _quantity(text: str) -> QuantityValue:
    try:
        return QuantityValue(parse(text))
    except InvalidQuantity as error:
        raise EvaluationError(str(error)) from None


def _is_quantity(text: str) -> bool:
    try:
        parse(text)
    except InvalidQuantity:
        return False
    return True


_BINARY_MOST = 102_400_000_000_000


def _integer(value: QuantityValue) -> int | None:
    """Only what Go holds as an int64 without a fraction: a large amount, or 1000m, is no integer to it."""
    amount = value.amount
    if amount.exponent < 0 or amount.exponent > 18 or len(str(abs(amount.number))) > 18:
        return None
    if amount.format is Format.BINARY_SI and abs(amount.number) >= _BINARY_MOST:
        return None
    whole = amount.number * int(10**amount.exponent)
    return whole if -(2**63) <= whole < 2**63 else None


def _as_integer(value: QuantityValue) -> int:
    found = _integer(value)
    if found is None:
        raise EvaluationError("cannot convert value to integer")
    return found


def _as_float(value: QuantityValue) -> float:
    return float(Decimal(value.amount.number).scaleb(value.amount.exponent))


def _compared(one: QuantityValue, other: QuantityValue) -> int:
    return (one.amount > other.amount) - (one.amount < other.amount)


def _number(value: int) -> Quantity:
    return Quantity(value, 0, Format.DECIMAL_EXPONENT)


_PAIR = (QUANTITY, QUANTITY)

QUANTITIES: tuple[Function, ...] = (
    Function("quantity", (overload("string_to_quantity", (STRING,), QUANTITY, _quantity),)),
    Function("isQuantity", (overload("is_quantity_string", (STRING,), BOOL, _is_quantity),)),
    Function("sign", (overload("quantity_sign", (QUANTITY,), INT, lambda value: value.amount.sign),)),
    Function("isGreaterThan", (member("quantity_is_greater_than", _PAIR, BOOL, lambda a, b: _compared(a, b) > 0),)),
    Function("isLessThan", (member("quantity_is_less_than", _PAIR, BOOL, lambda a, b: _compared(a, b) < 0),)),
    Function("compareTo", (member("quantity_compare_to", _PAIR, INT, _compared),)),
    Function("asApproximateFloat", (member("quantity_get_float", (QUANTITY,), DOUBLE, _as_float),)),
    Function("asInteger", (member("quantity_get_int", (QUANTITY,), INT, _as_integer),)),
    Function(
        "isInteger",
        (member("quantity_is_integer", (QUANTITY,), BOOL, lambda value: _integer(value) is not None),),
    ),
    Function(
        "add",
        (
            member("quantity_add", _PAIR, QUANTITY, lambda a, b: QuantityValue(a.amount + b.amount)),
            member("quantity_add_int", (QUANTITY, INT), QUANTITY, lambda a, b: QuantityValue(a.amount + _number(b))),
        ),
    ),
    Function(
        "sub",
        (
            member("quantity_sub", _PAIR, QUANTITY, lambda a, b: QuantityValue(a.amount - b.amount)),
            member("quantity_sub_int", (QUANTITY, INT), QUANTITY, lambda a, b: QuantityValue(a.amount - _number(b))),
        ),
    ),
)
