"""What is wrong with a value, in the words of Kubernetes' validation of custom resources.

A plain walk, for values of which it is known that something may be wrong. Which of several alternatives (anyOf, oneOf)
gets to explain itself is decided by how many of its checks held, so checks are counted just as they are upstream.
What was wrong before an update and has not been touched is forgiven. Kubernetes: kube-openapi pkg/validation/validate,
apiextensions-apiserver pkg/apiserver/validation (kubeOpenAPIResultToFieldErrors, ratcheting).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from localplane.apimachinery.fieldpath import (
    FieldError,
    invalid,
    not_supported,
    required,
    too_long,
    too_many,
    type_invalid,
)
from localplane.apimachinery.golang.regexps import InvalidRegexp, TooCostly, compiled
from localplane.apimachinery.golang.text import go_json, go_quote, go_value
from localplane.apimachinery.schema.nodes import NOTHING, Node
from localplane.apimachinery.schema.structs.codecs import INT32_MAX, INT32_MIN
from localplane.apimachinery.schema.values import has_repeats, identity, in_order

from .formats import effective_format, has_format

# Where in a custom resource something is wrong: once as a field, once as validation's messages write it.


class ValuePath:
    """The two differ below a map at the root, whose keys get a dot in front in the messages only.

    `prefix` is the field that the root of the walk is in: the status, when only that is looked at.
    """

    __slots__ = ("prefix", "text")

    def __init__(self, text: str = "", prefix: str = "") -> None:
        self.text = text
        self.prefix = prefix

    @property
    def field(self) -> str:
        name = self.text.removeprefix(".")
        if not name:
            return self.prefix or "<nil>"
        return f"{self.prefix}.{name}" if self.prefix else name

    def child(self, name: str) -> ValuePath:
        return ValuePath(f"{self.text}.{name}" if self.text else name, self.prefix)

    def key(self, name: str) -> ValuePath:
        return ValuePath(f"{self.text}.{name}", self.prefix)

    def index(self, number: int) -> ValuePath:
        return ValuePath(f"{self.text}[{number}]", self.prefix)


# Numbers and their limits. A limit is itself checked against the type, and compared in the number's own type.
#
# Kubernetes: kube-openapi pkg/validation/validate (numberValidator, values.go). Its oddities are kept: an integer is
# compared with the whole part of a limit, and a whole number has no fraction as its factor.

_INT64 = (-(2**63), 2**63 - 1)
_LARGEST_FLOAT = 2.0**53 - 1
_FLOAT32_MAX = 3.4028235677973366e38  # from here on rounding gives infinity


def json_kind(value: Any) -> str:
    """OpenAPI's word for the type of a value. An integer that 64 bits can't hold is a float in Go."""
    match value:
        case bool():
            return "boolean"
        case str():
            return "string"
        case int():
            return "integer" if _INT64[0] <= value <= _INT64[1] else "number"
        case float():
            return "number"
        case list():
            return "array"
        case _:
            return "object"


def is_integral(number: float) -> bool:
    """Close enough to a whole number that JSON can say."""
    if not math.isfinite(number) or abs(number) > _LARGEST_FLOAT:
        return False
    rounded = float(math.floor(abs(number) + 0.5)) * (-1 if number < 0 else 1)
    return number == rounded or (rounded != 0 and abs(number - rounded) < 1e-9 * abs(rounded))


def number_findings(node: Node, value: float, place: ValuePath) -> Iterator[FieldError]:
    number = value if json_kind(value) == "integer" else float(value)
    limits, kind = node.limits, node.type if node.type in ("integer", "number") else ""
    if node.int_or_string:
        kind = ""
    format_ = effective_format(kind, node.format) if kind else ""
    yield from _out_of_range(number, kind, format_, "Checked", place)
    if limits.multiple_of is not None:
        yield from _out_of_range(float(limits.multiple_of), kind, format_, "MultipleOf", place)
        yield from _not_multiple(_native(number, limits.multiple_of, kind, format_), float(limits.multiple_of), place)
    if limits.minimum is not None:
        yield from _out_of_range(float(limits.minimum), kind, format_, "Minimum boundary", place)
        subject = _native(number, limits.minimum, kind, format_)
        yield from _beyond(subject, limits.minimum, place, "greater", exclusive=limits.exclusive_minimum)
    if limits.maximum is not None:
        yield from _out_of_range(float(limits.maximum), kind, format_, "Maximum boundary", place)
        subject = _native(number, limits.maximum, kind, format_)
        yield from _beyond(subject, limits.maximum, place, "less", exclusive=limits.exclusive_maximum)


def _native(number: float, limit: float, kind: str, format_: str) -> int | float:
    """The number as it is compared: as a float, if the limit is none of the type's own values."""
    return float(number) if _problem(float(limit), kind, format_) else number


def _out_of_range(number: float, kind: str, format_: str, what: str, place: ValuePath) -> Iterator[FieldError]:
    if _problem(number, kind, format_):
        shown = f"with format {format_}" if format_ else "(default format)"
        yield invalid("<nil>", "", f"{what} value must be of type {kind} {shown} in {place.text}")


def _problem(number: float, kind: str, format_: str) -> bool:
    if kind == "integer":
        low, high = (INT32_MIN, INT32_MAX) if format_ == "int32" else _INT64
        return not float(number).is_integer() or not low <= int(number) <= high
    return kind == "number" and format_ == "float" and abs(number) >= _FLOAT32_MAX


def _not_multiple(number: float, factor: float, place: ValuePath) -> Iterator[FieldError]:
    divisor = int(factor) if isinstance(number, int) else factor
    if divisor <= 0:
        problem = f"factor MultipleOf declared for {place.text} must be positive: {go_value(divisor)}"
        yield invalid(place.field, divisor, problem)
        return
    if isinstance(number, int):
        is_multiple = number % divisor == 0
    else:
        is_multiple = is_integral(1 / divisor * number if divisor < 1 else number / divisor)
    if not is_multiple:
        yield invalid(place.field, number, f"{place.text} in body should be a multiple of {go_value(divisor)}")


def _beyond(number: float, limit: float, place: ValuePath, side: str, *, exclusive: bool) -> Iterator[FieldError]:
    bound = int(limit) if isinstance(number, int) else float(limit)
    apart = number - bound if side == "greater" else bound - number
    if apart < 0 or (exclusive and apart == 0):
        equal = "" if exclusive else " or equal to"
        yield invalid(place.field, number, f"{place.text} in body should be {side} than{equal} {go_value(bound)}")


@dataclass(slots=True)
class Findings:
    """Errors by their message, for the same is not told twice, and the number of checks that held."""

    errors: dict[str, FieldError] = field(default_factory=dict)
    held: int = 0

    def add(self, error: FieldError) -> None:
        self.errors.setdefault(f"{error.type.name} {error.field} {error.detail}", error)

    def merge(self, other: Findings) -> None:
        for key, error in other.errors.items():
            self.errors.setdefault(key, error)
        self.held += other.held


def explain(node: Node, value: Any, place: ValuePath, old: Any = NOTHING) -> Findings:
    """The errors of a value; those of an update are forgiven where `old` is the same."""
    found = _explain(node.load(), value, place, old)
    if found.errors and old is not NOTHING and identity(old) == identity(value):
        return Findings(held=found.held)
    return found


def is_valid(node: Node, value: Any) -> bool:
    return not _explain(node.load(), value, ValuePath(), NOTHING).errors


def _explain(node: Node, value: Any, place: ValuePath, old: Any) -> Findings:
    found = Findings()
    format_ = effective_format(node.type, node.format, int_or_string=node.int_or_string)
    if node.codec is None and (node.type or node.int_or_string or format_):  # a codec has read the value already
        _explain_type(node, value, place, found)
    if value is None:
        _explain_enum(node, value, place, found)
        return found
    if node.codec is None:
        _explain_alternatives(node, value, place, old, found)
    found.held += 2  # the alternatives and the enumeration always apply
    if isinstance(value, str):
        _explain_text(node, value, place, found)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        for error in number_findings(node, value, place):
            found.add(error)
        found.held += 2
    elif isinstance(value, list):
        _explain_list(node, value, place, old, found)
        found.held += 2
    _explain_enum(node, value, place, found)
    if isinstance(value, dict):
        _explain_object(node, value, place, old, found)
        found.held += 1
    found.held += 1
    return found


def _explain_type(node: Node, value: Any, place: ValuePath, found: Findings) -> None:
    """A list passes where a text of some format is asked for: so it does upstream."""
    types = ("integer", "string") if node.int_or_string else (node.type,) if node.type else ()
    format_ = effective_format(node.type, node.format, int_or_string=node.int_or_string)
    found.held += value is not None
    if value is None:
        if types and not node.nullable:
            found.add(_wrong_type(place, ",".join(types), "null"))
        else:
            found.held += 1
        return
    kind = json_kind(value)
    fits = (
        kind in types
        or (kind == "number" and "integer" in types and is_integral(float(value)))
        or (kind == "integer" and "number" in types)
    )
    if kind not in ("string", "array") and format_ and not fits:
        actual = {"integer": "int64", "number": "float64"}.get(kind, "")
        found.add(_wrong_type(place, format_, actual))
    elif (kind in ("string", "array") and format_ and not {"number", "integer"} & set(types)) or fits or not types:
        found.held += 1
    else:
        found.add(_wrong_type(place, ",".join(types), kind))


def _wrong_type(place: ValuePath, wanted: str, actual: str) -> FieldError:
    return type_invalid(place.field, actual, f"{place.text} in body must be of type {wanted}: {go_quote(actual)}")


def _explain_text(node: Node, value: str, place: ValuePath, found: Findings) -> None:
    """Of the length and the pattern only the first fault is told."""
    limits = node.limits
    found.held += 1
    if limits.max_length is not None and len(value) > limits.max_length:
        found.add(too_long(place.field, limits.max_length))
    elif limits.min_length is not None and len(value) < limits.min_length:
        found.add(
            invalid(place.field, value, f"{place.text} in body should be at least {limits.min_length} chars long")
        )
    elif limits.pattern and (problem := _pattern_problem(limits.pattern, value)):
        found.add(invalid(place.field, value, f"{place.text} in body should match '{problem}'"))
    format_ = effective_format(node.type, node.format, int_or_string=node.int_or_string)
    if format_ and format_ not in ("int32", "int64", "float", "double"):
        found.held += 1
        if not has_format(value, format_):
            found.add(_wrong_type(place, format_, value))


def _pattern_problem(pattern: str, value: str) -> str:
    try:
        return "" if compiled(pattern).is_in(value) else pattern
    except InvalidRegexp as error:
        return f"{pattern}, but pattern is invalid: {error}"
    except TooCostly as error:
        return f"{pattern}, but {error}"


def _explain_enum(node: Node, value: Any, place: ValuePath, found: Findings) -> None:
    values = node.limits.enum
    if not values:
        return
    if value is not None:
        known = identity(value)
        for each in values:
            if identity(each) == known or (_is_number(each) and _is_number(value) and each == value):
                return
    shown = [each if isinstance(each, str) else go_json(in_order(each)) for each in values]
    found.add(not_supported(place.field, in_order(value), shown))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _explain_list(node: Node, value: list[Any], place: ValuePath, old: Any, found: Findings) -> None:
    limits, size = node.limits, len(value)
    if node.items is not None:
        known = _known_items(node, old)
        for number, item in enumerate(value):
            found.merge(explain(node.items, item, place.index(number), _old_item(node, item, known)))
    if limits.min_items is not None and size < limits.min_items:
        found.add(invalid(place.field, size, f"{place.text} in body should have at least {limits.min_items} items"))
    if limits.max_items is not None and size > limits.max_items:
        found.add(too_many(place.field, size, limits.max_items))
    if limits.unique_items and has_repeats(value):
        found.add(invalid(place.field, "", f"{place.text} in body shouldn't contain duplicates"))


def _known_items(node: Node, old: Any) -> Mapping[Any, Any]:
    """What the items of a map were before, by their keys; items of other lists have no past of their own."""
    known: dict[Any, Any] = {}
    if node.list_type == "map" and isinstance(old, list):
        for item in old:
            if isinstance(item, dict):
                known.setdefault(_identity(node, item), item)
    return known


def _old_item(node: Node, item: Any, known: Mapping[Any, Any]) -> Any:
    return known.get(_identity(node, item), NOTHING) if known and isinstance(item, dict) else NOTHING


def _identity(node: Node, item: dict[str, Any]) -> Any:
    return identity([item.get(key, NOTHING) for key in node.list_map_keys])


def _explain_object(node: Node, value: dict[str, Any], place: ValuePath, old: Any, found: Findings) -> None:
    limits, size = node.limits, len(value)
    if limits.min_properties is not None and size < limits.min_properties:
        least = limits.min_properties
        found.add(invalid(place.field, size, f"{place.text} in body should have at least {least} properties"))
    if limits.max_properties is not None and size > limits.max_properties:
        found.add(too_many(place.field, size, limits.max_properties))
    before = old if isinstance(old, dict) else {}
    for key, item in value.items():
        if key in node.properties:
            continue
        if node.values is not None:
            found.merge(explain(node.values, item, place.key(key), before.get(key, NOTHING)))
        elif node.values_allowed is False:
            found.add(invalid(place.field, key, f"{place.text}.{key} in body is a forbidden property"))
    for key, each in node.properties.items():
        if key in value:
            found.merge(explain(each.node, value[key], place.child(key), before.get(key, NOTHING)))
    for key in node.required:
        if key not in value:
            found.add(required(place.child(key).field))


def _explain_alternatives(node: Node, value: Any, place: ValuePath, old: Any, found: Findings) -> None:
    quoted = go_quote(place.text)
    if node.any_of:
        _explain_any(node.any_of, value, place, old, found)
    if node.one_of:
        _explain_one(node.one_of, value, place, old, found)
    if node.all_of:
        results = [_explain(each.load(), value, place, old) for each in node.all_of]
        _merge_all(found, results)
        held = sum(not each.errors for each in results)
        if held != len(results):
            none = "" if held else ". None validated"
            found.add(_general(f"{quoted} must validate all the schemas (allOf){none}"))
    if node.not_ is not None and not _explain(node.not_.load(), value, place, old).errors:
        found.add(_general(f"{quoted} must not validate the schema (not)"))
    found.held += 1


def _explain_any(nodes: tuple[Node, ...], value: Any, place: ValuePath, old: Any, found: Findings) -> None:
    best: Findings | None = None
    for each in nodes:
        result = _explain(each.load(), value, place, old)
        if not result.errors:
            found.merge(result)
            return
        if best is None or result.held > best.held:
            best = result
    found.add(_general(f"{go_quote(place.text)} must validate at least one schema (anyOf)"))
    if best is not None:
        found.merge(best)


def _explain_one(nodes: tuple[Node, ...], value: Any, place: ValuePath, old: Any, found: Findings) -> None:
    results = [_explain(each.load(), value, place, old) for each in nodes]
    good = [result for result in results if not result.errors]
    if len(good) == 1:
        found.merge(good[0])
        return
    count = f"Found {len(good)} valid alternatives" if good else "Found none valid"
    found.add(_general(f"{go_quote(place.text)} must validate one and only one schema (oneOf). {count}"))
    if not good:
        found.merge(max(results, key=lambda result: result.held))


def _merge_all(found: Findings, others: Iterable[Findings]) -> None:
    for other in others:
        found.merge(other)


def _general(message: str) -> FieldError:
    """An error without a place of its own: upstream has none for these, and says so."""
    return invalid("<nil>", "", message)
