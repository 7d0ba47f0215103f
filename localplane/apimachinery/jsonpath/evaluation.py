"""A template applied to an object."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from localplane.apimachinery.golang.text import go_json, go_plain, go_type_name
from localplane.apimachinery.schema.values import in_order

from .parser import (
    Action,
    Constant,
    Field,
    Filter,
    Identifier,
    Recursive,
    Slice,
    Step,
    Template,
    Text,
    Union_,
    Wildcard,
)

Values = list[Any]


class JSONPathError(ValueError):
    """The object has not what the template asks for."""


def find(template: Template, obj: Any, *, allow_missing: bool = True) -> list[Values]:
    """What each part of the template yields. Raises JSONPathError."""
    results, _ = _Search(allow_missing=allow_missing).parts(template.parts, 0, obj, in_range=False)
    return results


def first(template: Template, obj: Any, *, most: int) -> Values:
    """The first value that the first part yields, or none. `most` is how many values its steps may yield on the way.
    Raises JSONPathError.

    Each `..` finds what is below everything that the one before it found: after four of them the same values came up
    half a million times in an object of sixty levels. For the first of them one time each is enough.
    """
    results, _ = _Search(allow_missing=True, most=most, repeats=False).parts(template.parts, 0, obj, in_range=False)
    return results[0][:1] if results else []


def text_of(value: Any) -> str:
    """A value as it is printed."""
    if isinstance(value, (dict, list)):
        return go_json(in_order(value))
    return "null" if value is None else go_plain(value)


class _Search:
    def __init__(self, *, allow_missing: bool, most: float = math.inf, repeats: bool = True) -> None:
        self._allow_missing = allow_missing
        self._left = most
        self._repeats = repeats

    def parts(
        self, parts: Sequence[Text | Action], start: int, obj: Any, *, in_range: bool
    ) -> tuple[list[Values], int]:
        """The results from `start` on, to the `{end}` of the range we are in, and the position behind it."""
        results: list[Values] = []
        position = start
        while position < len(parts):
            part = parts[position]
            position += 1
            if isinstance(part, Text):
                results.append([part.text])
                continue
            keyword = _keyword(part)
            if keyword == "end":
                if not in_range:
                    raise JSONPathError("not in range, nothing to end")
                return results, position
            values = self.action(part, [obj])
            if keyword != "range":
                results.append(values)
                continue
            after = position
            for value in values:
                found, after = self.parts(parts, position, value, in_range=True)
                results += found
            if not values:  # its parts are passed over, with their faults
                _, after = self.parts(parts, position, None, in_range=True)
            position = after
        return results, position

    def action(self, action: Action, values: Values) -> Values:
        for step in action.steps:
            values = self._step(step, values)
            self._spend(len(values))
        return values

    def _spend(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise JSONPathError("there are too many values on the way")

    def _below(self, values: Values) -> Values:
        found: Values = []
        seen: set[int] | None = None if self._repeats else set()
        for value in values:
            below = _descendants(value, seen)
            self._spend(len(below))
            found += below
        return found

    def _step(self, step: Step, values: Values) -> Values:
        match step:
            case Text(text):
                return [text]
            case Constant(value):
                return [value for _ in values]
            case Field():
                return self._field(step, values)
            case Slice():
                return [item for value in values if value is not None for item in _sliced(step, value)]
            case Wildcard():
                return [item for value in values for item in _children(value)]
            case Recursive():
                return self._below(values)
            case Union_(choices):
                return [item for choice in choices for item in self.action(choice, values)]
            case Filter():
                return [item for value in values for item in self._filtered(step, value)]
            case Identifier(name):
                if name not in ("range", "end"):
                    raise JSONPathError(f"unrecognized identifier {name}")
        return values

    def _field(self, step: Field, values: Values) -> Values:
        found = [value[step.name] for value in values if isinstance(value, dict) and step.name in value]
        if values and not found and not self._allow_missing:
            raise JSONPathError(f"{step.name} is not found")
        return found

    def _filtered(self, step: Filter, value: Any) -> Iterable[Any]:
        if not isinstance(value, list):
            raise JSONPathError(f"{go_plain(value)} is not array or slice and cannot be filtered")
        for item in value:
            if step.operator == "exists":
                try:
                    if self.action(step.left, [item]):
                        yield item
                except JSONPathError:
                    continue
                continue
            sides = [self.action(step.left, [item]), self.action(step.right, [item])]
            if max(map(len, sides)) > 1:
                raise JSONPathError("can only compare one element at a time")
            if all(sides) and _compare(step.operator, sides[0][0], sides[1][0]):
                yield item


def _keyword(action: Action) -> str:
    first = next((step for step in action.steps if isinstance(step, Identifier)), None)
    return first.name if first is not None and first.name in ("range", "end") else ""


def _sliced(step: Slice, value: Any) -> Sequence[Any]:
    if not isinstance(value, list):
        raise JSONPathError(f"{go_type_name(value)} is not array or slice")
    length = len(value)
    start = step.start or 0
    end = start + 1 if step.single else step.end
    if start < 0:
        start += length
    if end is None:
        end = length
    elif end < 0 or (end == 0 and step.single):
        end += length
    if start == end:
        return []
    if not 0 <= start < length:
        raise JSONPathError(f"array index out of bounds: index {start}, length {length}")
    if not 0 <= end <= length:
        raise JSONPathError(f"array index out of bounds: index {end - 1}, length {length}")
    if start > end:
        raise JSONPathError(f"starting index {start} is greater than ending index {end}")
    if step.step is not None and step.step <= 0:
        raise JSONPathError("step must be > 0")
    return value[start : end : step.step or 1]


def _children(value: Any) -> list[Any]:
    """A map's in the order of its keys: Go has none."""
    if isinstance(value, dict):
        return [value[key] for key in sorted(value)]
    return value if isinstance(value, list) else []


def _descendants(value: Any, seen: set[int] | None) -> list[Any]:
    """All that has something in it, a text too. Kubernetes: evalRecursive. What was `seen` is left out, and what is
    found joins it: a map or a list has one place in an object."""
    found: list[Any] = []
    waiting = [value]
    while waiting:
        current = waiting.pop()
        if not isinstance(current, (dict, list, str)) or not current:
            continue
        if isinstance(current, str):
            found.append(current)
        elif seen is None or id(current) not in seen:
            found.append(current)
            waiting += reversed(_children(current))
            if seen is not None:
                seen.add(id(current))
    return found


_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _compare(name: str, left: Any, right: Any) -> bool:
    if name not in _OPERATORS:
        raise JSONPathError(f"unrecognized filter operator {name}")
    for value in (left, right):
        if not isinstance(value, (str, int, float)):
            raise JSONPathError("invalid type for comparison")
    if type(left) is not type(right):
        raise JSONPathError("incompatible types for comparison")
    if isinstance(left, bool) and name not in ("==", "!="):
        raise JSONPathError("invalid type for comparison")
    return _OPERATORS[name](left, right)
