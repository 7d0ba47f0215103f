"""Whether rules allow all that others do. Kubernetes: component-helpers/auth/rbac/validation, Covers;
pkg/registry/rbac/validation, CompactRules.

A rule stands for verbs times groups times resources times names, and Kubernetes multiplies it out. Here each verb, each
group and so on gets the set of owned rules that have it, as the bits of a number: a piece is covered if the sets of its
parts have a rule in common, and where one owned rule has all that is left, nothing is multiplied out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate, product
from operator import and_
from typing import Any, Final

from localplane.apimachinery.golang.text import go_quote

from .rules import ALL

Rule = Mapping[str, Any]
_FIELDS = (
    ("apiGroups", "APIGroups"),
    ("resources", "Resources"),
    ("nonResourceURLs", "NonResourceURLs"),
    ("resourceNames", "ResourceNames"),
    ("verbs", "Verbs"),
)
_MOST_COMPARISONS: Final = 1_000_000
_BITS_AT_ONCE: Final = 1024  # of numbers up to here, all are compared in about the same time


class TooManyPieces(Exception):
    """Rules that differ from the owned ones in so many ways that comparing them would take too long."""


def uncovered(owned: Sequence[Rule], given: Iterable[Rule]) -> Iterator[Rule]:
    """What of the given rules the owned ones don't allow, in the smallest pieces: each is covered by one or by none.

    Raises TooManyPieces.
    """
    return _Comparison(owned).missing(given)


def described(rules: Iterable[Rule]) -> list[str]:
    """Rules that differ only in their verbs are told as one."""
    whole: list[Rule] = []
    simple: dict[tuple[str, str, tuple[str, ...]], dict[str, Any]] = {}
    for rule in rules:
        if rule.get("nonResourceURLs"):
            whole.append(rule)
            continue
        place = rule["apiGroups"][0], rule["resources"][0], tuple(rule.get("resourceNames") or ())
        simple.setdefault(place, {**rule, "verbs": []})["verbs"].extend(rule["verbs"])
    return sorted({_told(rule) for rule in (*whole, *simple.values())})


def _told(rule: Rule) -> str:
    parts = (f"{word}:[{' '.join(map(go_quote, rule[field]))}]" for field, word in _FIELDS if rule.get(field))
    return f"{{{', '.join(parts)}}}"


@dataclass(frozen=True, slots=True)
class _Part:
    """One field of a given rule: its values, each with the owned rules that have it."""

    field: str
    values: Sequence[str]
    owners: Sequence[int]

    @property
    def common(self) -> int:
        """The rules that have all of the values."""
        return reduce(and_, self.owners, -1)


class _Comparison:
    """The owned rules, by what they have. Bit n of a number stands for the owned rule n."""

    def __init__(self, owned: Sequence[Rule]) -> None:
        self._comparisons = 0
        self._price = len(owned) // _BITS_AT_ONCE + 1
        self._owners: dict[str, dict[str, int]] = {}
        for field, _ in _FIELDS:
            owners = self._owners[field] = defaultdict[str, int](int)
            for number, rule in enumerate(owned):
                self._count(len(rule.get(field) or ()))
                for value in rule.get(field) or ():
                    owners[value] |= 1 << number
        self._unnamed = sum(1 << number for number, rule in enumerate(owned) if not rule.get("resourceNames"))
        urls = self._owners["nonResourceURLs"].items()
        self._prefixes = [(url.rstrip(ALL), owners) for url, owners in urls if url.endswith(ALL)]

    def missing(self, given: Iterable[Rule]) -> Iterator[Rule]:
        for rule in given:
            verbs = self._part(rule, "verbs")
            names = [self._part(rule, "resourceNames")] if rule.get("resourceNames") else []
            resources = [self._part(rule, "apiGroups"), self._part(rule, "resources"), verbs, *names]
            for parts, of_all in (
                (resources, -1 if names else self._unnamed),
                (self._paths(rule, verbs), self._unnamed),
            ):
                if all(part.values for part in parts):
                    yield from self._uncovered(parts, of_all)

    def _paths(self, rule: Rule, verbs: _Part) -> list[_Part]:
        return [self._part(rule, "nonResourceURLs"), verbs]

    def _part(self, rule: Rule, field: str) -> _Part:
        values = rule.get(field) or ()
        self._count(len(values))
        return _Part(field, values, [self._owners_of(field, value) for value in values])

    def _owners_of(self, field: str, value: str) -> int:
        owners = self._owners[field]
        found = owners.get(value, 0)
        if field == "resourceNames":
            return found | self._unnamed
        if field == "nonResourceURLs":
            self._count(len(self._prefixes))
            for prefix, of_prefix in self._prefixes:
                found |= of_prefix if value.startswith(prefix) else 0
            return found
        if field == "resources" and "/" in value:
            found |= owners.get(f"*/{value.partition('/')[2]}", 0)
        return found | owners.get(ALL, 0)

    def _uncovered(self, parts: Sequence[_Part], of_all: int) -> Iterator[Rule]:
        """Pieces of what the parts multiply to that no rule in `of_all` has."""
        behind = list(accumulate((part.common for part in reversed(parts)), and_, initial=-1))[-2::-1]

        def below(taken: tuple[str, ...], having: int) -> Iterator[Rule]:
            if not having:
                yield from _multiplied(parts, taken)
                return
            part, covered = parts[len(taken)], set[int]()
            for value, owners in zip(part.values, part.owners, strict=True):
                self._count(1)
                left = having & owners
                if left in covered or left & behind[len(taken)]:
                    continue
                covered.add(left)
                for piece in below((*taken, value), left):
                    covered.discard(left)
                    yield piece

        return below((), of_all)

    def _count(self, comparisons: int) -> None:
        self._comparisons += comparisons * self._price
        if self._comparisons > _MOST_COMPARISONS:
            raise TooManyPieces


def _multiplied(parts: Sequence[_Part], taken: tuple[str, ...]) -> Iterator[Rule]:
    for values in product(*([value] for value in taken), *(part.values for part in parts[len(taken) :])):
        yield {part.field: [value] for part, value in zip(parts, values, strict=True)}
