"""The words in which kinds say their rules: what each of them finds, in which order, and in whose words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from localplane.apimachinery.fieldpath import FieldError, Path, invalid
from localplane.catalog.validation.rules import (
    DNS_LABEL,
    NOT_NEGATIVE,
    PORT_NUMBER,
    QUALIFIED_NAME,
    All,
    Always,
    AtLeast,
    AtMost,
    Between,
    Changes,
    Counts,
    Declared,
    Each,
    Fields,
    Forbidden,
    Immutable,
    Longest,
    NotEmpty,
    OneOf,
    Optional,
    Present,
    Required,
    Rule,
    Struct,
    Unique,
)

_SPEC = Path("spec")


def found(rule: Rule, value: Any) -> list[str]:
    return [str(error) for error in rule(value, _SPEC)]


@pytest.mark.parametrize(
    ("rule", "good", "bad", "message"),
    [
        (OneOf("TCP", "UDP"), "UDP", "SPX", 'spec: Unsupported value: "SPX": supported values: "TCP", "UDP"'),
        (OneOf("A", detail="must be 'A'"), "A", "B", "spec: Invalid value: \"B\": must be 'A'"),
        (NOT_NEGATIVE, 0, -1, "spec: Invalid value: -1: must be greater than or equal to 0"),
        (AtLeast(1, "must be greater than 0"), 1, 0, "spec: Invalid value: 0: must be greater than 0"),
        (PORT_NUMBER, 65535, 65536, "spec: Invalid value: 65536: must be between 1 and 65535, inclusive"),
        (Between(1, 2, "must be 1 or 2"), 2, 0, "spec: Invalid value: 0: must be 1 or 2"),
        (Longest(2), "é", "éa", "spec: Too long: may not be more than 2 bytes"),
        (NotEmpty("can not be empty"), "a", "", "spec: Required value: can not be empty"),
        (Forbidden("cannot be set"), [], ["a"], "spec: Forbidden: cannot be set"),
        (AtMost(1), ["a"], ["a", "b"], "spec: Too many: 2: must have at most 1 item"),
        (All(NotEmpty(), AtMost(1)), ["a"], ["a", "b"], "spec: Too many: 2: must have at most 1 item"),
    ],
)
def test_a_value_that_holds_is_passed_over_and_another_is_told_in_kubernetes_words(
    rule: Rule, good: Any, bad: Any, message: str
) -> None:
    assert found(rule, good) == []
    assert found(rule, bad) == [message]
    assert found(Fields(a=rule), {"a": good}) == []
    assert found(Fields(a=rule), {"a": bad}) == [message.replace("spec", "spec.a")]
    assert found(Each(rule), [good, bad]) == [message.replace("spec", "spec[1]")]


def test_a_name_is_told_all_of_its_problems() -> None:
    assert len(found(DNS_LABEL, "A" * 64)) == 2


@pytest.mark.parametrize(
    ("asked", "value", "is_told"),
    [
        (OneOf("a"), None, False),
        (OneOf("a"), "", True),
        (Optional(OneOf("a")), None, False),
        (Optional(OneOf("a")), "", False),
        (Optional(OneOf("a")), "b", True),
        (Required(), None, True),
        (Required(), "", True),
        (Required(), "b", False),
        (Present(), None, True),
        (Present(), 0, False),
        (Always(OneOf("a")), None, True),
        (Always(OneOf("", "a")), None, False),
    ],
)
def test_what_absence_means_is_said_around_the_rules(asked: Any, value: Any, *, is_told: bool) -> None:
    obj = {} if value is None else {"a": value}
    assert bool(found(Fields(a=asked), obj)) is is_told


def test_an_empty_required_field_is_told_once_and_its_rules_are_not_asked() -> None:
    rules = Fields(name=Required(DNS_LABEL), key=Always(NotEmpty("can not be empty"), QUALIFIED_NAME))
    assert found(rules, {})[:2] == ["spec.name: Required value", "spec.key: Required value: can not be empty"]
    assert len(found(rules, {})) == 4


def test_a_struct_is_asked_even_if_it_is_not_there_and_a_pointer_is_not() -> None:
    inner = Fields(name=Required())
    assert found(Fields(a=Struct(inner)), {}) == ["spec.a.name: Required value"]
    assert found(Fields(a=inner), {}) == []
    assert found(Fields(a=inner), {"a": {}}) == ["spec.a.name: Required value"]


def test_fields_are_told_in_the_order_in_which_they_are_said() -> None:
    assert [line.partition(":")[0] for line in found(Counts("b", "a"), {"a": -1, "b": -1})] == ["spec.b", "spec.a"]


def test_each_item_is_asked_everything_before_the_next() -> None:
    rule = Each(Unique("name"), Fields(name=DNS_LABEL, port=NOT_NEGATIVE))
    items = [{"name": "a", "port": -1}, {"name": "a", "port": -1}]
    assert [line.partition(" value")[0] for line in found(rule, items)] == [
        "spec[0].port: Invalid",
        "spec[1].name: Duplicate",
        "spec[1].port: Invalid",
    ]
    assert found(Each(Unique("name")), items[:1]) == [], "what one list had does not count for the next"


def test_items_themselves_are_unique_without_a_field() -> None:
    assert found(Each(Unique()), ["a", "a"]) == ['spec[1]: Duplicate value: "a"']
    assert found(Each(Unique("name", at_item=True)), [{}, {}]) == ['spec[1]: Duplicate value: ""']


def test_code_stands_among_the_rules() -> None:
    def relation(spec: dict[str, int], path: Path) -> Iterator[FieldError]:
        if spec["least"] > spec["most"]:
            yield invalid(path / "most", spec["most"], "must not be less than least")

    rule = All(Fields(least=NOT_NEGATIVE), relation, Fields(most=NOT_NEGATIVE))
    assert [line.rpartition(": ")[2] for line in found(rule, {"least": -1, "most": -2})] == [
        "must be greater than or equal to 0",
        "must not be less than least",
        "must be greater than or equal to 0",
    ]


def test_declared_rules_say_so() -> None:
    rules = Fields(a=Required(declared=True), b=Declared(NOT_NEGATIVE), c=NOT_NEGATIVE)
    assert [error.declared for error in rules({"b": -1, "c": -1}, _SPEC)] == [True, True, False]


def test_an_immutable_field_shows_its_new_value() -> None:
    changes = Changes(Immutable("a.b", absent=""), Immutable("c", shown=str.upper))
    old: dict[str, Any] = {"a": {"b": "x"}, "c": "y"}
    assert [*changes(old, old, Path())] == []
    assert [str(error) for error in changes({"c": "z"}, old, Path())] == [
        'a.b: Invalid value: "": field is immutable',
        'c: Invalid value: "Z": field is immutable',
    ]
