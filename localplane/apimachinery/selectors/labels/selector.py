"""What a label selector is: requirements, and the predicate that they are compiled into."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from localplane.apimachinery.fieldpath import FieldError, Path, aggregate, invalid, not_supported
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.names import label_value, qualified_name

Labels = Mapping[str, str]
Predicate = Callable[[Labels], bool]

EXISTS: Final = "exists"
DOES_NOT_EXIST: Final = "!"
BINARY: Final = ("in", "notin", "=", "==", "!=", "gt", "lt")
_WORDS: Final = {"In": "in", "NotIn": "notin", "Exists": EXISTS, "DoesNotExist": DOES_NOT_EXIST}
_SIGNS = {"in": " in ", "notin": " notin ", "gt": ">", "lt": "<"}


class InvalidSelector(ValueError):
    """A selector that Kubernetes answers with 400, and the sentence that it says."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """One condition. `operator` is in, notin, =, ==, !=, gt, lt, exists or !; `requirement` makes checked ones."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.operator == EXISTS:
            return self.key
        if self.operator == DOES_NOT_EXIST:
            return f"!{self.key}"
        values = ",".join(sorted(self.values))
        if self.operator in ("in", "notin"):
            values = f"({values})"
        return f"{self.key}{_SIGNS.get(self.operator, self.operator)}{values}"

    def predicate(self) -> Predicate:
        key, values = self.key, frozenset(self.values)
        match self.operator:
            case "exists":
                return lambda labels: key in labels
            case "!":
                return lambda labels: key not in labels
            case "gt" | "lt":
                return _comparison(key, _integer("".join(self.values)), greater=self.operator == "gt")
            case "notin" | "!=":
                # A label that is absent is None here, and None is in no set of values.
                return lambda labels: labels.get(key) not in values
            case _ if len(values) == 1:
                (value,) = values
                return lambda labels: labels.get(key) == value
            case _:
                return lambda labels: labels.get(key) in values


_INTEGER = re.compile("[+-]?[0-9]+").fullmatch


def _integer(text: str) -> int | None:
    """As Go's ParseInt with 64 bits; None if it would fail."""
    if not _INTEGER(text) or len(text.lstrip("+-0")) > 19:
        return None
    value = int(text)
    return value if -(2**63) <= value < 2**63 else None


def _comparison(key: str, bound: int | None, *, greater: bool) -> Predicate:
    if bound is None:
        return lambda _: False

    def compare(labels: Labels) -> bool:
        value = _integer(labels.get(key, ""))
        return value is not None and (value > bound if greater else value < bound)

    return compare


class Selector:
    """All of its requirements, in the order of their keys. Immutable; equal if its requirements are."""

    __slots__ = ("matches", "requirements")

    matches: Predicate
    requirements: tuple[Requirement, ...]

    def __init__(self, requirements: Iterable[Requirement] = ()) -> None:
        self.requirements = tuple(sorted(requirements, key=lambda requirement: requirement.key))
        self.matches = _compiled(self.requirements)

    @property
    def is_everything(self) -> bool:
        return not self.requirements

    def requires_exact_match(self, key: str) -> str | None:
        """The one value that the label must have, if the first requirement on it says so."""
        for requirement in self.requirements:
            if requirement.key == key:
                exact = requirement.operator in ("=", "==", "in") and len(requirement.values) == 1
                return requirement.values[0] if exact else None
        return None

    def __str__(self) -> str:
        return ",".join(map(str, self.requirements))

    def __repr__(self) -> str:
        return f"Selector({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Selector) and other.requirements == self.requirements

    def __hash__(self) -> int:
        return hash(self.requirements)


def _compiled(requirements: tuple[Requirement, ...]) -> Predicate:
    predicates = tuple(requirement.predicate() for requirement in requirements)
    if not predicates:
        return lambda _: True
    if len(predicates) == 1:
        return predicates[0]
    if len(predicates) == 2:
        first, second = predicates
        return lambda labels: first(labels) and second(labels)

    def matches(labels: Labels) -> bool:
        for predicate in predicates:  # noqa: SIM110 - a generator would make the hot path half as fast
            if not predicate(labels):
                return False
        return True

    return matches


everything: Final = Selector()


def from_labels(labels: Labels) -> Selector:
    """The selector of objects that have all these labels; nothing is checked."""
    return Selector(Requirement(key, "=", (value,)) for key, value in labels.items())


def requirement(key: str, operator: str, values: Iterable[str] = (), *, path: Path | None = None) -> Requirement:
    """A checked requirement. Raises InvalidSelector with all that is wrong; `path` is where it stands in an object."""
    at = path or Path()
    given = tuple(values)
    errors = [invalid(at / "key", key, "; ".join(problems))] if (problems := qualified_name(key)) else []
    errors += _operator_errors(operator, given, at)
    for index, value in enumerate(given):
        if problems := label_value(value):
            errors.append(invalid((at / "values")[index][key], value, "; ".join(problems)))
    if errors:
        raise InvalidSelector(aggregate(errors))
    return Requirement(key, operator, given)


def _operator_errors(operator: str, values: tuple[str, ...], at: Path) -> list[FieldError]:
    path = at / "values"
    match operator:
        case "in" | "notin":
            return [] if values else [invalid(path, [], "for 'in', 'notin' operators, values set can't be empty")]
        case "=" | "==" | "!=":
            few = "exact-match compatibility requires one single value"
            return [] if len(values) == 1 else [invalid(path, list(values), few)]
        case "exists" | "!":
            return (
                [invalid(path, list(values), "values set must be empty for exists and does not exist")]
                if values
                else []
            )
        case "gt" | "lt":
            opening = "for 'Gt', 'Lt' operators, "
            errors = (
                [] if len(values) == 1 else [invalid(path, list(values), f"{opening}exactly one value is required")]
            )
            errors += [
                invalid(path[index], value, f"{opening}the value must be an integer")
                for index, value in enumerate(values)
                if _integer(value) is None
            ]
            return errors
        case _:
            return [not_supported(at / "operator", operator, (*BINARY, EXISTS, DOES_NOT_EXIST))]


def selector_of(selector: Mapping[str, Any] | None) -> Selector | None:
    """A LabelSelector to match with; None selects nothing, and an empty one everything. Raises InvalidSelector.
    Kubernetes: meta/v1, LabelSelectorAsSelector."""
    if selector is None:
        return None
    requirements = [requirement(key, "=", (value,)) for key, value in (selector.get("matchLabels") or {}).items()]
    requirements += map(_requirement, selector.get("matchExpressions") or ())
    return Selector(requirements)


def _requirement(expression: Mapping[str, Any]) -> Requirement:
    operator = expression.get("operator", "")
    if operator not in _WORDS:
        raise InvalidSelector(f"{go_quote(operator)} is not a valid label selector operator")
    return requirement(expression.get("key", ""), _WORDS[operator], expression.get("values") or ())


def selector_text(selector: Mapping[str, Any] | None, *, none: str = "<none>") -> str:
    """A LabelSelector as people write selectors. Kubernetes: meta/v1, FormatLabelSelector."""
    try:
        parsed = selector_of(selector)
    except InvalidSelector:
        return "<error>"
    return (str(parsed) if parsed is not None else "") or none


def label_selector_text(selector: Mapping[str, Any] | None) -> str:
    """A LabelSelector as Kubernetes' messages show it. Kubernetes: meta/v1, LabelSelector.String."""
    if selector is None:
        return "nil"
    labels = "".join(f"{key}: {value}," for key, value in sorted((selector.get("matchLabels") or {}).items()))
    expressions = "".join(
        f"LabelSelectorRequirement{{Key:{each.get('key', '')},Operator:{each.get('operator', '')},"
        f"Values:[{' '.join(each.get('values') or ())}],}},"
        for each in selector.get("matchExpressions") or ()
    )
    return (
        f"&LabelSelector{{MatchLabels:map[string]string{{{labels}}},"
        f"MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )
