"""Classes that can't be served are refused when they are read, in one sentence that names the field."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NamedTuple
from uuid import UUID, uuid4

import annotated_types
import pytest

from localplane.apimachinery.schema import DeclarationError, Field, Quantity, Schema


class Size(str, Enum):  # noqa: UP042 - people write it
    SMALL = "S"
    LARGE = "L"


class Pair(NamedTuple):
    left: int
    right: int


class Cat:
    kind: Literal["cat"]
    lives: int = 9


class Dog:
    kind: Literal["dog"]


class Bird:
    wings: int


class Whale:
    kind: str


class Kitten:
    kind: Literal["cat"]


class Port:
    number: int


@dataclass
class WithFactory:
    uid: str = field(default_factory=lambda: str(uuid4()))


class Unresolved:
    first: int
    second: NoSuchClass  # type: ignore[name-defined]  # noqa: F821 - what is asked about


class Outer:
    inner: Unresolved


def spec(annotation: Any, *default: Any) -> type:
    return type("Spec", (), {"__annotations__": {"x": annotation}} | ({"x": default[0]} if default else {}))


NO_TYPE = "is no type that a field can have"
WRONG: dict[str, tuple[type, str]] = {
    "set": (
        spec(set[int]),
        f'Spec.x: set[int] {NO_TYPE}: Annotated[list[int], Field(list_type="set")] is a list without repetitions',
    ),
    "tuple": (spec(tuple[int, str]), "Spec.x: tuple[int, str] has items of several types: a list has one, list[...]"),
    "uuid": (spec(UUID), f'Spec.x: UUID {NO_TYPE}: Annotated[str, Field(format="uuid")] is its text'),
    "date": (spec(date), f'Spec.x: date {NO_TYPE}: Annotated[str, Field(format="date")] is its text'),
    "decimal": (spec(Decimal), f"Spec.x: Decimal {NO_TYPE}"),
    "union": (
        spec(int | list[int]),
        "Spec.x: int | list[int] is a union: a field has one type, int | str, or classes and Field(discriminator=...)",
    ),
    "keys": (spec(dict[int, str]), "Spec.x: a map's keys are str, not int"),
    "named tuple": (
        spec(Pair),
        "Spec.x: Pair is one of tuples' classes, whose fields are not understood: make it a dataclass",
    ),
    "unresolved": (
        Outer,
        "Unresolved.second: name 'NoSuchClass' is not defined; declare it at the top of a module, before it is used",
    ),
    "mixed enumeration": (spec(Literal["a", 1]), "Spec.x: an enumeration holds texts or numbers, not ('a', 1)"),
    "nested": (
        spec(list[set[str]]),
        f'Spec.x: set[str] {NO_TYPE}: Annotated[list[str], Field(list_type="set")] is a list',
    ),
    "default of another type": (
        spec(int, "three"),
        'Spec.x: default: Invalid value: "string": default in body must be of type integer: "string"',
    ),
    "default out of range": (
        spec(Annotated[int, Field(maximum=3)], 4),
        "Spec.x: default: Invalid value: 4: default in body should be less than or equal to 3",
    ),
    "default of no value": (spec(Size, Size), "Spec.x: the default <enum 'Size'> is no value that JSON has"),
    "default that is no quantity": (spec(Quantity, "much"), "Spec.x: the default 'much' can't be read: "),
    "default in a list": (
        spec(list[Annotated[int, Field(default=1)]]),
        "Spec.x: what stands in a list or a map has no default",
    ),
    "random default": (
        WithFactory,
        "WithFactory.uid: its default factory makes another value each time: fill it in by Version(default=...)",
    ),
    "length of a number": (
        spec(Annotated[int, Field(min_length=3)]),
        "Spec.x: min_length does not fit an integer",
    ),
    "bound of a text": (spec(Annotated[str, Field(minimum=3)]), "Spec.x: minimum does not fit a string"),
    "size of a number": (spec(Annotated[int, annotated_types.Len(1, 3)]), "Spec.x: a length does not fit an integer"),
    "no room": (spec(Annotated[int, Field(minimum=3, maximum=2)]), "Spec.x: minimum 3 is more than maximum 2"),
    "negative length": (spec(Annotated[str, Field(min_length=-1)]), "Spec.x: min_length is -1, and nothing is shorter"),
    "text as length": (spec(Annotated[str, Field(max_length="3")]), "Spec.x: max_length is '3', which is no number"),  # type: ignore[arg-type]  # what is asked about
    "multiple of nothing": (
        spec(Annotated[int, Field(multiple_of=-2)]),
        "Spec.x: multiple_of is -2: it is more than 0",
    ),
    "pattern": (spec(Annotated[str, Field(pattern="(")]), "Spec.x: the pattern '(' can't be used: "),
    "format": (
        spec(Annotated[str, Field(format="emial")]),
        "Spec.x: the format 'emial' is not known for this type, and would be ignored",
    ),
    "enum of another type": (
        spec(Annotated[int, Field(enum=["a"])]),
        "Spec.x: enum has 'a', which the type does not allow",
    ),
    "list type": (
        spec(Annotated[list[int], Field(list_type="sorted")]),
        "Spec.x: list_type is 'sorted': it is one of atomic, set, map",
    ),
    "map without keys": (
        spec(Annotated[list[Port], Field(list_type="map")]),
        'Spec.x: list_type="map" and list_map_keys go together',
    ),
    "unknown key": (
        spec(Annotated[list[Port], Field(list_type="map", list_map_keys=["name"])]),
        "Spec.x: list_map_keys has 'name', which the items have not",
    ),
    "rules": (
        spec(Annotated[int, Field(extensions={"x-kubernetes-validations": []})]),
        "Spec.x: x-kubernetes-validations would be ignored here: rules are for custom resources; say it",
    ),
    "unknown metadata": (spec(Annotated[int, object]), "Spec.x: <class 'object'> would be ignored by a server: "),
    "predicate": (spec(Annotated[str, annotated_types.Predicate(str.isdigit)]), "Spec.x: Predicate("),
    "two patterns": (
        spec(Annotated[str, Field(pattern="a"), Field(pattern="b")]),
        "Spec.x: two patterns, 'a' and 'b': write one that says both",
    ),
    "two fields of one name": (
        type("Spec", (), {"__annotations__": {"x": int, "y": Annotated[int, Field(name="x")]}}),
        "Spec.y: two fields are called 'x'",
    ),
    "discriminator of no union": (
        spec(Annotated[Dog, Field(discriminator="kind")]),
        "Spec.x: a discriminator tells classes of a union apart, and Dog is none",
    ),
    "discriminator of no classes": (
        spec(Annotated[Dog | int, Field(discriminator="kind")]),
        "Spec.x: a discriminator tells classes apart, and int is none",
    ),
    "discriminator that is missing": (
        spec(Annotated[Dog | Bird, Field(discriminator="kind")]),
        "Spec.x: Bird has no field kind, which the union is told apart by",
    ),
    "discriminator without values": (
        spec(Annotated[Dog | Whale, Field(discriminator="kind")]),
        "Spec.x: Whale.kind tells a union apart: it is a Literal or an Enum",
    ),
    "discriminator twice": (
        spec(Annotated[Cat | Kitten, Field(discriminator="kind")]),
        "Spec.x: kind has the same value in two classes of the union",
    ),
    "default in a union": (
        spec(Annotated[Cat | Dog, Field(discriminator="kind")]),
        "Spec.x: Cat.lives has a default, which other classes of the union would get too:",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_class_that_can_t_be_served_is_refused_by_the_name_of_the_field(case: str) -> None:
    declared, sentence = WRONG[case]
    with pytest.raises(DeclarationError) as refusal:
        Schema.of(declared)
    assert str(refusal.value).startswith(sentence)
    assert "\n" not in str(refusal.value)


def test_the_default_of_an_enumeration_is_its_value() -> None:
    node = Schema.of(spec(Size, Size.LARGE)).node.properties["x"].node
    assert (node.default, node.limits.enum) == ("L", ("S", "L"))
    listed = Schema.of(spec(Annotated[list[Size], Field(default=[Size.SMALL])])).node.properties["x"].node
    assert listed.default == ["S"]


@dataclass(slots=True)
class Slotted:
    replicas: int = 3
    tags: list[str] = field(default_factory=lambda: ["a"])
    needed: str = ""


@dataclass
class Holding:
    slotted: Slotted = field(default_factory=Slotted)


def test_defaults_of_dataclasses_count_however_they_are_written() -> None:
    node = Schema.of(Slotted).node
    assert [node.properties[name].node.default for name in ("replicas", "tags")] == [3, ["a"]]
    assert Schema.of(Holding).node.properties["slotted"].node.default == {"replicas": 3, "tags": ["a"], "needed": ""}


def test_a_zero_is_a_default_where_it_is_told_apart_from_nothing() -> None:
    assert Schema.of(spec(int | None, 0)).node.properties["x"].node.default == 0
    assert Schema.of(spec(int, 0)).node.properties["x"].node.default is not None
    assert Schema.of(spec(int, 0)).node.required == ()


@pytest.mark.parametrize(
    ("annotation", "value", "is_valid"),
    [
        (Annotated[int, annotated_types.Gt(3)], 3, False),
        (Annotated[int, annotated_types.Gt(3)], 4, True),
        (Annotated[int, annotated_types.Gt(3), annotated_types.Ge(3)], 3, False),
        (Annotated[int, annotated_types.Ge(1), annotated_types.Ge(5)], 3, False),
        (Annotated[int, annotated_types.Interval(ge=1, lt=3)], 3, False),
        (Annotated[int, annotated_types.MultipleOf(3)], 4, False),
        (Annotated[str, annotated_types.Len(1, 3)], "abcd", False),
        (Annotated[list[int], annotated_types.MinLen(2)], [1], False),
        (Annotated[dict[str, int], annotated_types.MaxLen(1)], {"a": 1, "b": 2}, False),
        (Annotated[Annotated[int, Field(minimum=1)] | None, Field(maximum=3)], 0, False),
        (Annotated[Annotated[int, Field(minimum=1)] | None, Field(maximum=3)], 4, False),
        (Annotated[int, "how many"], 4, True),
    ],
)
def test_constraints_of_annotated_types_hold_and_hold_together(annotation: Any, value: Any, *, is_valid: bool) -> None:
    errors = Schema.of(spec(annotation)).validate({"x": value})
    assert (not errors) is is_valid


def test_a_text_beside_a_type_describes_it() -> None:
    assert Schema.of(spec(Annotated[int, "how many"])).node.properties["x"].notes == {"description": "how many"}
