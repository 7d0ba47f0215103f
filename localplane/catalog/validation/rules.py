"""The words in which a kind says its rules as data, and what runs them.

A rule takes a value and its path, and tells what is wrong: any function that does so is one, and so are the records
below. `Fields` says what the fields of an object are asked, in the order in which Kubernetes tells of them:

    _PORT = Fields(
        name=Optional(Named(port_name)),
        containerPort=Required(PORT_NUMBER),
        protocol=Required(OneOf("SCTP", "TCP", "UDP")),
    )
    _SPEC = Fields(replicas=NOT_NEGATIVE, ports=All(AtMost(20), Each(Unique("name"), _PORT)))

What it means that a field is not there is said around its rules:

    a rule alone    nothing, as of a Go pointer; what is there and empty is judged
    Optional        nothing, and what is empty is as good as not there
    Required        a fault, also if it is empty; `Present` takes what is empty
    Always          as much as Go's zero value; `Struct` for objects

`All` puts rules in order. Code stands among them as a function, where fields relate to one another.

Rules of single values have `holds`, a quick test: as long as it says yes, no path is made and no error thought of.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple

from localplane.apimachinery import fieldpath
from localplane.apimachinery.fieldpath import FieldError, Path, invalid, not_supported, too_long, too_many
from localplane.apimachinery.names import dns1123_label, dns1123_subdomain, qualified_name, size
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import same

from .metadata import IMMUTABLE

Rule = Callable[[Any, Path], Iterable[FieldError]]
ChangeRule = Callable[[JSONObject, JSONObject, Path], Iterable[FieldError]]
"""Of an object, what it was, and its path."""

Holds = Callable[[Any], bool]


# --- single values ---


@dataclass(frozen=True, slots=True)
class Named:
    """A name of this form: each of its problems is told. `problems` is one of apimachinery's, or the like."""

    problems: Callable[[str], Sequence[str]]

    def holds(self, name: str) -> bool:
        return not self.problems(name)

    def __call__(self, name: str, path: Path) -> Iterator[FieldError]:
        return (invalid(path, name, problem) for problem in self.problems(name))


class OneOf:
    """One of a few words; the message lists them as they are said here. With a `detail` the value is called invalid,
    and the detail says the rest."""

    __slots__ = ("detail", "words")

    def __init__(self, *words: str, detail: str = "") -> None:
        self.words: Final = words
        self.detail: Final = detail

    def holds(self, word: Any) -> bool:
        return word in self.words

    def __call__(self, word: Any, path: Path) -> Iterator[FieldError]:
        if not self.holds(word):
            yield invalid(path, word, self.detail) if self.detail else not_supported(path, word or "", self.words)


@dataclass(frozen=True, slots=True)
class AtLeast:
    """`detail` is said in place of Kubernetes' usual words."""

    least: int
    detail: str = ""

    def holds(self, number: int) -> bool:
        return number >= self.least

    def __call__(self, number: int, path: Path) -> Iterator[FieldError]:
        if not self.holds(number):
            yield invalid(path, number, self.detail or f"must be greater than or equal to {self.least}")


@dataclass(frozen=True, slots=True)
class Between:
    """Both ends count. Kubernetes: util/validation, InclusiveRangeError."""

    least: int
    most: int
    detail: str = ""

    def holds(self, number: int) -> bool:
        return self.least <= number <= self.most

    def __call__(self, number: int, path: Path) -> Iterator[FieldError]:
        if not self.holds(number):
            yield invalid(path, number, self.detail or f"must be between {self.least} and {self.most}, inclusive")


@dataclass(frozen=True, slots=True)
class Longest:
    """No more bytes than this."""

    most: int

    def holds(self, text: str) -> bool:
        return size(text) <= self.most

    def __call__(self, text: str, path: Path) -> Iterator[FieldError]:
        if not self.holds(text):
            yield too_long(path, self.most)


@dataclass(frozen=True, slots=True)
class NotEmpty:
    """Must be there; unlike `Required` it lets the rules behind it speak as well."""

    detail: str = ""

    def holds(self, value: Any) -> bool:
        return bool(value)

    def __call__(self, value: Any, path: Path) -> Iterator[FieldError]:
        if not value:
            yield fieldpath.required(path, self.detail)


@dataclass(frozen=True, slots=True)
class Forbidden:
    """May not be there. With `if_empty` not even if it is empty."""

    detail: str
    if_empty: bool = False

    def holds(self, value: Any) -> bool:
        return not value and not self.if_empty

    def __call__(self, value: Any, path: Path) -> Iterator[FieldError]:
        if not self.holds(value):
            yield fieldpath.forbidden(path, self.detail)


NOT_NEGATIVE: Final = AtLeast(0)
PORT_NUMBER: Final = Between(1, 65535)
DNS_LABEL: Final = Named(dns1123_label)
DNS_SUBDOMAIN: Final = Named(dns1123_subdomain)
QUALIFIED_NAME: Final = Named(qualified_name)


# --- what it means that a field is not there ---


class _Presence:
    """Rules of a field, and what is made of its absence."""

    __slots__ = ("rule",)

    def __init__(self, *rules: Rule) -> None:
        self.rule: Final = rules[0] if len(rules) == 1 else All(*rules)


class Required(_Presence):
    """Must be there and not be empty; only then its rules are asked. `declared` as by `+k8s:required`."""

    __slots__ = ("declared", "detail")
    counts_empty: ClassVar[bool] = True

    def __init__(self, *rules: Rule, detail: str = "", declared: bool = False) -> None:
        super().__init__(*rules)
        self.detail: Final = detail
        self.declared: Final = declared

    def error(self, path: Path) -> FieldError:
        error = fieldpath.required(path, self.detail)
        return fieldpath.declared(error) if self.declared else error


class Present(Required):
    """Must be there, and may be empty: what Go has by pointer."""

    __slots__ = ()
    counts_empty = False


class Optional(_Presence):
    """What is empty is as good as not there."""

    __slots__ = ()


class Always(_Presence):
    """What is not there is judged as Go's zero value, `absent`."""

    __slots__ = ("absent",)

    def __init__(self, *rules: Rule, absent: Any = "") -> None:
        super().__init__(*rules)
        self.absent: Final = absent


class Struct(Always):
    """An object that Go has by value: its rules are asked even if it is not there."""

    __slots__ = ()

    def __init__(self, *rules: Rule) -> None:
        super().__init__(*rules, absent={})


# --- objects, lists and maps ---


class All:
    """One rule after the other, all of them."""

    __slots__ = ("holds", "rules")

    def __init__(self, *rules: Rule) -> None:
        self.rules: Final = rules
        self.holds: Final = _all_hold(rules)

    def __call__(self, value: Any, path: Path) -> Iterator[FieldError]:
        for rule in self.rules:
            yield from rule(value, path)


@dataclass(frozen=True, slots=True)
class Declared:
    """A rule that Kubernetes has at the field's declaration: it speaks after all that is found by hand."""

    rule: Rule

    def __call__(self, value: Any, path: Path) -> Iterator[FieldError]:
        return map(fieldpath.declared, self.rule(value, path))


def _holds(rule: Rule | Unique) -> Holds | None:
    """The quick test of a rule, if it has one."""
    test: Holds | None = getattr(rule, "holds", None)
    return test


def _all_hold(rules: Sequence[Rule | Unique]) -> Holds | None:
    tests = [test for test in map(_holds, rules) if test is not None]
    return (lambda value: all(test(value) for test in tests)) if len(tests) == len(rules) else None


class _Step(NamedTuple):
    """A field and what it is asked, ready to run."""

    name: str
    rule: Rule
    holds: Holds | None
    required: Required | None
    is_skipped_if_empty: bool
    absent: Any

    @classmethod
    def of(cls, name: str, asked: Rule | _Presence) -> _Step:
        rule = asked.rule if isinstance(asked, _Presence) else asked
        return cls(
            name,
            rule,
            _holds(rule),
            asked if isinstance(asked, Required) else None,
            isinstance(asked, Optional),
            asked.absent if isinstance(asked, Always) else None,
        )


class Fields:
    """What the fields of an object are asked, in order."""

    __slots__ = ("_steps",)

    def __init__(self, **fields: Rule | _Presence) -> None:
        self._steps: Final = tuple(_Step.of(name, asked) for name, asked in fields.items())

    def __call__(self, obj: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
        for name, rule, holds, required, is_skipped_if_empty, absent in self._steps:
            value = obj.get(name)
            if not value:
                if required is not None and (value is None or required.counts_empty):
                    yield required.error(path / name)
                    continue
                if is_skipped_if_empty or (value is None and (value := absent) is None):
                    continue
            if holds is None or not holds(value):
                yield from rule(value, path / name)


class Counts(Fields):
    """Fields that are numbers of something: none of them is negative."""

    __slots__ = ()

    def __init__(self, *names: str) -> None:
        super().__init__(**dict.fromkeys(names, NOT_NEGATIVE))


class Needs(Fields):
    """Fields that must be there, about which nothing else is asked."""

    __slots__ = ()

    def __init__(self, *names: str) -> None:
        super().__init__(**dict.fromkeys(names, Required()))


@dataclass(frozen=True, slots=True)
class AtMost:
    """No more items than this."""

    most: int

    def holds(self, items: Sequence[Any]) -> bool:
        return len(items) <= self.most

    def __call__(self, items: Sequence[Any], path: Path) -> Iterator[FieldError]:
        if not self.holds(items):
            yield too_many(path, len(items), self.most)


@dataclass(frozen=True, slots=True)
class Unique:
    """Among the rules of `Each`: no two items have the same value in this field or, without one, are the same. What is
    empty counts too. `at_item`: told where the item is, not where its field is."""

    name: str = ""
    at_item: bool = False

    def begun(self) -> Rule:
        """The rule for one list, which remembers what it has seen."""
        seen = set[Hashable]()

        def is_new(item: Any, path: Path) -> Iterator[FieldError]:
            value = (item.get(self.name) or "") if self.name else item
            if value in seen:
                yield fieldpath.duplicate(path if self.at_item or not self.name else path / self.name, value)
            seen.add(value)

        return is_new


class Each:
    """Of a list: every item is asked all of these, before the next item's turn."""

    __slots__ = ("_holds", "_rules")

    def __init__(self, *rules: Rule | Unique) -> None:
        self._rules: Final = rules
        self._holds: Final = _all_hold(rules)

    def __call__(self, items: Sequence[Any], path: Path) -> Iterator[FieldError]:
        rules = [rule.begun() if isinstance(rule, Unique) else rule for rule in self._rules]
        for index, item in enumerate(items):
            if self._holds is not None and self._holds(item):
                continue
            place = path[index]
            for rule in rules:
                yield from rule(item, place)


# --- changes ---


class Immutable:
    """Fields, by their paths, that stay as they are. What is not there is `absent`. `shown` is how a message shows the
    new value, where that is not as it stands there."""

    __slots__ = ("_absent", "_paths", "_shown")

    def __init__(self, *paths: str, absent: Any = None, shown: Callable[[Any], Any] | None = None) -> None:
        self._paths: Final = {path: path.split(".") for path in paths}
        self._absent: Final = absent
        self._shown: Final = shown

    def __call__(self, obj: JSONObject, old: JSONObject, path: Path) -> Iterator[FieldError]:
        for name, steps in self._paths.items():
            value = self._found(obj, steps)
            if not same(value, self._found(old, steps)):
                yield invalid(path / name, self._shown(value) if self._shown else value, IMMUTABLE)

    def _found(self, obj: JSONObject, steps: Sequence[str]) -> Any:
        value: Any = obj
        for step in steps:
            value = (value or {}).get(step)
        return self._absent if value is None else value


class Changes:
    """Of an object and what it was: one rule after the other, all of them."""

    __slots__ = ("_rules",)

    def __init__(self, *rules: ChangeRule) -> None:
        self._rules: Final = rules

    def __call__(self, obj: JSONObject, old: JSONObject, path: Path) -> Iterator[FieldError]:
        for rule in self._rules:
            yield from rule(obj, old, path)
