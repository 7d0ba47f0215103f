"""How much of a device's capacity a claim may ask for, where several claims share it.

Kubernetes: pkg/apis/resource/validation, validateRequestPolicy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from itertools import pairwise
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, required
from localplane.apimachinery.quantity import Quantity, parse

from .lists import set_errors

JSONObject = Mapping[str, Any]

_VALUES_MAX = 10
_INT64_MAX = 2**63 - 1


def fixed_capacity_errors(capacity: JSONObject, path: Path) -> Iterator[FieldError]:
    """Of a device that goes to one claim as a whole."""
    if capacity.get("requestPolicy") is not None:
        yield forbidden(path / "requestPolicy", "allowMultipleAllocations must be true")


def capacity_errors(capacity: JSONObject, path: Path) -> Iterator[FieldError]:
    policy, place = capacity.get("requestPolicy"), path / "requestPolicy"
    if policy is None:
        return
    most = parse(str(capacity.get("value") or "0"))
    values, bounds, default = policy.get("validValues") or (), policy.get("validRange"), policy.get("default")
    if values and bounds is not None:
        detail = 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time'
        yield forbidden(place, detail)
        return
    field = "validValues" if values else "validRange" if bounds is not None else ""
    if field and default is None:
        yield required(place / "default", f"required when {field} is defined")
    elif field == "validValues":
        yield from _values_errors([parse(text) for text in values], parse(default), most, place / field)
    elif bounds is not None:
        parsed = {name: parse(text) for name, text in bounds.items()}
        yield from _range_errors(parsed, parse(default), most, place / field)


def _values_errors(values: Sequence[Quantity], default: Quantity, most: Quantity, path: Path) -> Iterator[FieldError]:
    for index, (value, following) in enumerate(pairwise(values)):
        if value > following:
            yield invalid(path[index + 1], str(following), "values must be sorted in ascending order")
    yield from set_errors(values, _VALUES_MAX, partial(_value_errors, most), _decimal, path, shows_key=True)
    if default not in values:
        yield invalid(path, str(default), "default value is not valid according to the requestPolicy")


def _decimal(value: Quantity) -> str:
    return format(Decimal(value.number).scaleb(value.exponent), "f")


def _value_errors(most: Quantity, value: Quantity, path: Path) -> Iterator[FieldError]:
    if value > most:
        yield invalid(path, str(value), f"option is larger than capacity value: {most}")


def _range_errors(
    bounds: Mapping[str, Quantity], default: Quantity, most: Quantity, path: Path
) -> Iterator[FieldError]:
    low, high = bounds.get("min"), bounds.get("max")
    if low is None:
        yield required(path / "min", "required when validRange is defined")
        return
    if low > most:
        yield invalid(path / "min", str(low), f"min is larger than capacity value: {most}")
    if default < low:
        yield invalid(path / "default", str(default), f"default is less than min: {low}")
    if high is not None:
        if low > high:
            yield invalid(path / "max", str(low), f"min is larger than max: {high}")
        if high > most:
            yield invalid(path / "max", str(high), f"max is larger than capacity value: {most}")
        if default > high:
            yield invalid(path / "default", str(default), f"default is more than max: {high}")
    if (step := bounds.get("step")) is not None:
        yield from _step_errors(step, low, [default, *([high] if high is not None else [])], most, path / "step")


def _step_errors(
    step: Quantity, low: Quantity, reached: Sequence[Quantity], most: Quantity, path: Path
) -> Iterator[FieldError]:
    """`reached` are the values that whole steps must lead to."""
    if step.sign <= 0:
        yield invalid(path, str(step), "must be greater than zero")
        return
    if (one := low + step) > most:
        yield invalid(path, str(step), f"one step {one} is larger than capacity value: {most}")
    if any(abs(each.milli_value()) > _INT64_MAX // 2 for each in (step, low, *reached)) or not step.milli_value():
        return
    for value in reached:
        if (value.milli_value() - low.milli_value()) % step.milli_value():
            yield invalid(path, str(value), f"value is not a multiple of a given step ({step}) from ({low})")
