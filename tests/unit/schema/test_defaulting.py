"""What a client left out is filled in as the schema says."""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.schema import Node, Property, Schema
from tests.unit.schema.declarations import Greeting, widget, with_spec

WITH_DEFAULTS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "default": {},
            "properties": {
                "replicas": {"type": "integer", "default": 1},
                "mode": {"type": "string", "default": "auto", "nullable": True},
                "inner": {"type": "object", "properties": {"depth": {"type": "integer", "default": 3}}},
                "list": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"p": {"type": "string", "default": "TCP"}, "q": {"type": "string"}},
                    },
                },
                "opt": {"type": "object", "default": {"a": "b"}, "additionalProperties": {"type": "string"}},
                "plain": {"type": "string", "default": "x"},
            },
        }
    },
}


def filled(schema: Any, obj: dict[str, Any]) -> Any:
    compiled = Schema.of(schema)
    compiled.prune(obj)
    compiled.default(obj)
    return obj.get("spec")


def test_a_default_object_gets_the_defaults_of_its_own_fields() -> None:
    assert filled(WITH_DEFAULTS, {"metadata": {"name": "a"}}) == {
        "mode": "auto",
        "opt": {"a": "b"},
        "plain": "x",
        "replicas": 1,
    }


def test_null_is_a_value_where_it_may_be_one() -> None:
    spec = filled(WITH_DEFAULTS, widget(replicas=5, inner={}, list=[{"q": "z"}, {"p": "UDP"}], mode=None, plain=None))
    assert spec == {
        "inner": {"depth": 3},
        "list": [{"p": "TCP", "q": "z"}, {"p": "UDP"}],
        "mode": None,
        "opt": {"a": "b"},
        "plain": "x",
        "replicas": 5,
    }


def test_an_empty_value_is_a_value_and_a_null_without_default_is_none() -> None:
    spec = filled(WITH_DEFAULTS, widget(opt={}, inner=None))
    assert spec == {"mode": "auto", "opt": {}, "plain": "x", "replicas": 1}


def test_objects_don_t_share_a_default() -> None:
    schema = Schema.of(WITH_DEFAULTS)
    one: dict[str, Any] = {}
    other: dict[str, Any] = {}
    schema.default(one)
    one["spec"]["opt"]["mine"] = "yes"
    schema.default(other)
    assert other["spec"]["opt"] == {"a": "b"}


def test_nulls_in_maps_and_lists_take_the_default_of_what_they_hold() -> None:
    text = {"type": "string", "default": "x"}
    schema = with_spec(
        map={"type": "object", "additionalProperties": text},
        list={"type": "array", "items": text},
        deep={"type": "object", "additionalProperties": {"type": "object", "properties": {"a": text}}},
    )
    spec = filled(schema, widget(map={"k": None}, list=[None, "y"], deep={"k": {}}))
    assert spec == {"map": {"k": "x"}, "list": ["x", "y"], "deep": {"k": {"a": "x"}}}


def test_what_has_the_wrong_type_gets_nothing() -> None:
    assert filled(WITH_DEFAULTS, widget(inner="text", list={"a": 1})) == {
        "inner": "text",
        "list": {},
        "mode": "auto",
        "opt": {"a": "b"},
        "plain": "x",
        "replicas": 1,
    }


def test_of_a_class_defaults_that_say_something_are_filled_in_and_empty_ones_are_not() -> None:
    obj: dict[str, Any] = {"spec": {"text": "hey", "inner": {"text": "you", "tone": "loud"}}}
    Schema.of(Greeting).default(obj)
    inner = {"text": "you", "tone": "loud", "times": 3}
    assert obj == {"spec": {"text": "hey", "tone": "quiet", "times": 3, "inner": inner}}


def test_a_type_that_contains_itself_is_filled_to_the_end() -> None:
    node = Node(type="object")
    node.properties |= {"next": Property(node=node), "on": Property(node=Node(type="boolean", default=True))}
    obj: dict[str, Any] = {"next": {"next": {}}}
    Schema(node).default(obj)
    assert obj == {"on": True, "next": {"on": True, "next": {"on": True}}}
