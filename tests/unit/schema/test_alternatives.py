"""allOf, anyOf, oneOf and not: which alternative explains itself, and what is said of all of them."""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.schema import Schema
from tests.unit.schema.declarations import widget, with_spec


def errors(value: Any, **schema: Any) -> list[str]:
    return [str(error) for error in Schema.of(with_spec(x=schema)).validate(widget(x=value))]


def test_any_one_of_several_is_enough() -> None:
    either = [{"required": ["a"]}, {"required": ["b"]}]
    free = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    assert errors({"b": 1}, **free, anyOf=either) == []
    assert errors({"a": 1, "b": 1}, **free, anyOf=either) == []
    assert errors({}, **free, anyOf=either) == [
        '<nil>: Invalid value: "": "spec.x" must validate at least one schema (anyOf)',
        "spec.x.a: Required value",
    ]


def test_the_alternative_of_which_most_holds_explains_itself() -> None:
    near = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer", "minimum": 5}}}
    far = {"type": "string"}
    said = errors({"a": 1, "b": 1}, anyOf=[far, near])
    assert said == [
        '<nil>: Invalid value: "": "spec.x" must validate at least one schema (anyOf)',
        "spec.x.b: Invalid value: 1: spec.x.b in body should be greater than or equal to 5",
    ]


def test_exactly_one_of_several() -> None:
    one_of = [{"type": "integer", "maximum": 5}, {"type": "integer", "minimum": 3}]
    assert errors(1, oneOf=one_of) == []
    assert errors(9, oneOf=one_of) == []
    assert errors(4, oneOf=one_of) == [
        '<nil>: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found 2 valid alternatives'
    ]
    said = errors("text", oneOf=one_of)
    assert said[0].endswith("must validate one and only one schema (oneOf). Found none valid")
    assert said[1:] == ['spec.x: Invalid value: "string": spec.x in body must be of type integer: "string"']


def test_all_of_several() -> None:
    all_of = [{"minLength": 3}, {"pattern": "^a"}]
    assert errors("abc", type="string", allOf=all_of) == []
    assert errors("bcd", type="string", allOf=all_of) == [
        "spec.x: Invalid value: \"bcd\": spec.x in body should match '^a'",
        '<nil>: Invalid value: "": "spec.x" must validate all the schemas (allOf)',
    ]
    assert errors("b", type="string", allOf=all_of)[-1].endswith("(allOf). None validated")


def test_not_this_one() -> None:
    assert errors("b", type="string", **{"not": {"enum": ["a"]}}) == []
    assert errors("a", type="string", **{"not": {"enum": ["a"]}}) == [
        '<nil>: Invalid value: "": "spec.x" must not validate the schema (not)'
    ]


def test_an_int_or_string_may_have_a_pattern() -> None:
    schema = {
        "x-kubernetes-int-or-string": True,
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "pattern": "^[0-9]+%$",
    }
    assert errors(5, **schema) == []
    assert errors("5%", **schema) == []
    assert errors("many", **schema) == ["spec.x: Invalid value: \"many\": spec.x in body should match '^[0-9]+%$'"]
