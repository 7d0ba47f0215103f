"""Custom resources are validated in Kubernetes' words."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.schema import Schema
from tests.unit.schema.declarations import WIDGET, Greeting, widget, with_spec


def errors(schema: Any, obj: dict[str, Any], old: dict[str, Any] | None = None, *, only: str = "") -> list[str]:
    return sorted(str(error) for error in Schema.of(schema).validate(obj, old, only=only))


def of_field(value: Any, **schema: Any) -> list[str]:
    return errors(with_spec(x=schema), widget(x=value))


def test_a_valid_object_has_no_errors() -> None:
    spec = {"size": 2, "ratio": 1.5, "name": "abc", "mode": "fast", "tags": ["x"], "map": {"a": 1}, "maybe": None}
    assert errors(WIDGET, widget(**spec, flag=True, port=80)) == []
    assert errors(WIDGET, widget(size=2, port="http")) == []


@pytest.mark.parametrize(
    ("obj", "said"),
    [
        ({"metadata": {"name": "a"}}, ["spec: Required value"]),
        (widget(), ["spec.size: Required value"]),
        (
            widget(size="big"),
            ['spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"'],
        ),
        (
            widget(size=11, ratio=0.3, name="A", mode="warp"),
            [
                'spec.mode: Unsupported value: "warp": supported values: "fast", "slow"',
                'spec.name: Invalid value: "A": spec.name in body should be at least 2 chars long',
                "spec.ratio: Invalid value: 0.3: spec.ratio in body should be a multiple of 0.5",
                "spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10",
            ],
        ),
        (
            widget(size=1.5),
            [
                '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.size',
                'spec.size: Invalid value: "number": spec.size in body must be of type integer: "number"',
            ],
        ),
        (
            widget(size=1, tags=[], map={}),
            [
                "spec.map: Invalid value: 0: spec.map in body should have at least 1 properties",
                "spec.tags: Invalid value: 0: spec.tags in body should have at least 1 items",
            ],
        ),
        (
            widget(size=1, tags=["a", "b", "c"], map={"a": "x", "b": 1, "c": 2}),
            [
                'spec.map.a: Invalid value: "string": spec.map.a in body must be of type integer: "string"',
                "spec.map: Too many: 3: must have at most 2 items",
                "spec.tags: Too many: 3: must have at most 2 items",
            ],
        ),
        (
            widget(size=1, flag="yes", port=1.5),
            [
                'spec.flag: Invalid value: "string": spec.flag in body must be of type boolean: "string"',
                'spec.port: Invalid value: "number": spec.port in body must be of type integer,string: "number"',
            ],
        ),
        (
            {"spec": []},
            ['spec: Invalid value: "array": spec in body must be of type object: "array"'],
        ),
        (
            widget(size=1, name="toolong"),
            ["spec.name: Too long: may not be more than 5 bytes"],
        ),
        (
            widget(size=1, name="a1"),
            ["spec.name: Invalid value: \"a1\": spec.name in body should match '^[a-z]+$'"],
        ),
        (
            widget(size=1, ratio=-0.5),
            ["spec.ratio: Invalid value: -0.5: spec.ratio in body should be greater than 0"],
        ),
    ],
)
def test_errors_are_those_of_kubernetes(obj: dict[str, Any], said: list[str]) -> None:
    assert errors(WIDGET, obj) == sorted(said)


def test_a_null_that_may_not_be_is_a_wrong_type() -> None:
    assert of_field(None, type="string") == [
        'spec.x: Invalid value: "null": spec.x in body must be of type string: "null"'
    ]
    assert of_field(None, type="string", nullable=True) == []


def test_an_enumeration_does_not_hold_null() -> None:
    assert of_field(None, type="string", nullable=True, enum=["a", None]) == [
        'spec.x: Unsupported value: null: supported values: "a", "null"'
    ]


def test_an_enumeration_of_numbers_is_told_as_json() -> None:
    assert of_field(3, type="integer", enum=[1, 2]) == ['spec.x: Unsupported value: 3: supported values: "1", "2"']
    assert of_field(2, type="integer", enum=[1, 2]) == []
    assert of_field({"a": 1}, type="object", **{"x-kubernetes-preserve-unknown-fields": True}, enum=[{"a": 1}]) == []


def test_true_is_no_number_and_one_is_no_boolean() -> None:
    assert of_field(value=True, type="integer") != []
    assert of_field(1, type="boolean") != []


def test_a_whole_float_is_an_integer() -> None:
    assert of_field(2.0, type="integer") == []
    assert of_field(2, type="number") == []


def test_an_integer_keeps_to_its_format() -> None:
    assert of_field(2**31, type="integer", format="int32") == [
        '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.x'
    ]
    assert of_field(2**31, type="integer") == []


def test_a_limit_that_no_integer_can_have_is_told_too() -> None:
    assert of_field(5, type="integer", maximum=1.5) == [
        '<nil>: Invalid value: "": Maximum boundary value must be of type integer (default format) in spec.x',
        "spec.x: Invalid value: 5: spec.x in body should be less than or equal to 1.5",
    ]


def test_a_whole_number_has_no_fraction_as_its_factor() -> None:
    assert of_field(2, type="number", multipleOf=0.5) == [
        "spec.x: Invalid value: 0: factor MultipleOf declared for spec.x must be positive: 0"
    ]
    assert of_field(7, type="integer", multipleOf=5) == [
        "spec.x: Invalid value: 7: spec.x in body should be a multiple of 5"
    ]


def test_exclusive_limits_exclude_themselves() -> None:
    assert of_field(10, type="integer", maximum=10, exclusiveMaximum=True) == [
        "spec.x: Invalid value: 10: spec.x in body should be less than 10"
    ]
    assert of_field(9, type="integer", maximum=10, exclusiveMaximum=True) == []


def test_unique_items_are_told_once() -> None:
    said = 'spec.x: Invalid value: "": spec.x in body shouldn\'t contain duplicates'
    assert of_field([{"a": 1}, {"a": 1}], type="array", uniqueItems=True, items={"type": "object"}) == [said]
    assert of_field([1, 1.0, True, "1"], type="array", uniqueItems=True) == []


def test_a_format_is_a_type() -> None:
    assert of_field("tomorrow", type="string", format="date") == [
        'spec.x: Invalid value: "tomorrow": spec.x in body must be of type date: "tomorrow"'
    ]
    assert of_field(5, type="string", format="date") == [
        'spec.x: Invalid value: "int64": spec.x in body must be of type date: "int64"'
    ]
    assert of_field([], type="string", format="date") == []  # upstream lets it pass
    assert of_field("tomorrow", type="string", format="unheard-of") == []


def test_a_pattern_that_can_t_be_compiled_lets_nothing_pass() -> None:
    (said,) = of_field("a", type="string", pattern="(")
    assert said.startswith('spec.x: Invalid value: "a": spec.x in body should match \'(, but pattern is invalid: ')


def test_additional_properties_may_be_forbidden() -> None:
    assert of_field({"a": 1}, type="object", additionalProperties=False) == [
        'spec.x: Invalid value: "a": spec.x.a in body is a forbidden property'
    ]


def test_the_keys_of_a_map_at_the_root_have_a_dot_in_front_in_the_message_only() -> None:
    schema = {"type": "object", "additionalProperties": {"type": "integer"}}
    assert errors(schema, {"a": "x"}) == ['a: Invalid value: "string": .a in body must be of type integer: "string"']


def test_a_node_without_a_type_limits_what_its_words_speak_of() -> None:
    assert of_field("ab", minLength=3, minimum=5) != []
    assert of_field(4, minLength=3, minimum=5) != []
    assert of_field(["ab"], minLength=3, minimum=5) == []


def test_only_the_status_is_looked_at_if_asked_to() -> None:
    schema = {
        "type": "object",
        "required": ["spec"],
        "properties": {
            "spec": {"type": "object"},
            "status": {"type": "object", "properties": {"n": {"type": "integer"}}},
        },
    }
    assert errors(schema, {"status": {"n": "x"}}, only="status") == [
        'status.n: Invalid value: "string": n in body must be of type integer: "string"'
    ]
    assert errors(schema, {"spec": 5}, only="status") == []


def test_a_class_has_the_limits_that_it_declares() -> None:
    obj = {"spec": {"text": "x", "tone": "rude", "times": 0, "ports": [{"number": 1}, {"number": 2}, {"number": 1}]}}
    assert errors(Greeting, obj) == [
        "spec.ports: Too many: 3: must have at most 2 items",
        'spec.ports[2]: Duplicate value: {"number":1}',
        'spec.text: Invalid value: "x": spec.text in body should be at least 2 chars long',
        "spec.times: Invalid value: 0: spec.times in body should be greater than or equal to 1",
        'spec.tone: Unsupported value: "rude": supported values: "loud", "quiet"',
    ]


def test_a_class_requires_what_has_no_default() -> None:
    assert errors(Greeting, {}) == ["spec: Required value"]
    assert errors(Greeting, {"spec": {"ports": [{}], "limit": {}, "note": {}}}) == [
        "spec.limit.cpu: Required value",
        "spec.note.text: Required value",
        "spec.ports[0].number: Required value",
        "spec.text: Required value",
    ]


def test_what_a_codec_has_read_is_not_read_again() -> None:
    spec = {"text": "hey", "limit": {"cpu": "1"}, "since": "2024-01-02T03:04:05Z", "raw": {"a": 1}}
    assert errors(Greeting, {"spec": spec}) == []
