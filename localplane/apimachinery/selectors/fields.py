"""Field selectors: `metadata.name=a,spec.nodeName!=`. A backslash before `\\`, `,` or `=` takes it literally.

Which fields exist is the resource's affair: the caller transforms or refuses their names. A field that an object does
not have is empty. Kubernetes: apimachinery/pkg/fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

T = TypeVar("T")

EQUALS: Final = "="
NOT_EQUALS: Final = "!="

Transform = Callable[[str, str], tuple[str, str]]
"""From the field and value of a requirement to those it stands for; raises to refuse them."""


class InvalidSelector(ValueError):
    """A selector that Kubernetes answers with 400, and the sentence that it says."""


@dataclass(frozen=True, slots=True)
class Requirement:
    field: str
    operator: str
    value: str

    def __str__(self) -> str:
        return f"{self.field}{self.operator}{escape(self.value)}"


class Selector:
    """All of its requirements. Immutable; equal to another that asks for the same, in whatever order."""

    __slots__ = ("_conditions", "requirements")

    requirements: tuple[Requirement, ...]

    def __init__(self, requirements: Iterable[Requirement] = ()) -> None:
        self.requirements = tuple(requirements)
        self._conditions = tuple((term.field, term.value, term.operator == EQUALS) for term in self.requirements)

    @property
    def is_everything(self) -> bool:
        return not self.requirements

    def matches(self, fields: Mapping[str, str]) -> bool:
        for field, value, equal in self._conditions:  # noqa: SIM110 - a generator would make the hot path half as fast
            if (fields.get(field, "") == value) is not equal:
                return False
        return True

    def compiled(self, lookups: Mapping[str, Callable[[T], str]]) -> Callable[[T], bool]:
        """A predicate on objects, given how to look each field up: only what the selector names is ever read."""
        conditions = [(lookups.get(field, _nothing), value, equal) for field, value, equal in self._conditions]

        def matches(obj: T) -> bool:
            for lookup, value, equal in conditions:  # noqa: SIM110 - as above
                if (lookup(obj) == value) is not equal:
                    return False
            return True

        return matches

    def requires_exact_match(self, field: str) -> str | None:
        """The value that the field must have, if any requirement says so."""
        return next((term.value for term in self.requirements if term.field == field and term.operator == EQUALS), None)

    def transformed(self, transform: Transform) -> Selector:
        """Requirements whose field and value both become empty are dropped."""
        changed = (Requirement(*_pair(transform, term)) for term in self.requirements)
        return Selector(term for term in changed if term.field or term.value)

    def __str__(self) -> str:
        return ",".join(map(str, self.requirements))

    def __repr__(self) -> str:
        return f"Selector({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Selector) and frozenset(other.requirements) == frozenset(self.requirements)

    def __hash__(self) -> int:
        return hash(frozenset(self.requirements))


def _pair(transform: Transform, term: Requirement) -> tuple[str, str, str]:
    field, value = transform(term.field, term.value)
    return field, term.operator, value


def _nothing(_: object) -> str:
    return ""


everything: Final = Selector()


def equals(field: str, value: str) -> Selector:
    return Selector((Requirement(field, EQUALS, value),))


_TERM = re.compile(r"(?:[^\\,]|\\.?)*", re.DOTALL)
_OPERATOR = re.compile("!=|==|=")


def parse(text: str) -> Selector:
    """A selector as it stands in a query parameter. The empty text selects everything."""
    terms = sorted(_terms(text))
    requirements = [_requirement(term, text) for term in terms if term]
    return Selector(term for term in requirements if term.field or term.value)


def _terms(text: str) -> list[str]:
    """The text, split at commas that no backslash stands before."""
    terms, position = [], 0
    while position <= len(text):
        match = _TERM.match(text, position)
        assert match is not None  # it matches the empty text too
        terms.append(match.group())
        position = match.end() + 1
    return terms


def _requirement(term: str, selector: str) -> Requirement:
    match = _OPERATOR.search(term)
    if match is None:
        raise InvalidSelector(f"invalid selector: '{selector}'; can't understand '{term}'")
    operator = NOT_EQUALS if match.group() == "!=" else EQUALS
    return Requirement(term[: match.start()], operator, unescape(term[match.end() :]))


_SPECIAL = re.compile(r"[\\,=]")


def escape(value: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", value)


def unescape(value: str) -> str:
    """Raises InvalidSelector for a special character that stands alone, and for a backslash before any other."""
    if not _SPECIAL.search(value):
        return value
    return re.sub(r"\\(.?)|[,=]", _unescaped, value, flags=re.DOTALL)


def _unescaped(match: re.Match[str]) -> str:
    escaped = match.group(1)
    if escaped is None:
        # Go prints the character as the number that it is to it.
        raise InvalidSelector(f"invalid field selector: unescaped character in value: {ord(match.group())}")
    if escaped not in ("\\", ",", "="):
        raise InvalidSelector(f"invalid field selector: invalid escape sequence: {match.group()}")
    return escaped
