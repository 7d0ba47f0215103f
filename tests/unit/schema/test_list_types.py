"""Lists that are sets or maps hold nothing twice."""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.schema import Schema
from tests.unit.schema.declarations import widget, with_spec

SET = {"type": "array", "x-kubernetes-list-type": "set", "items": {"x-kubernetes-preserve-unknown-fields": True}}
MAP = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name", "port"],
    "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
}
ONE_KEY = {**MAP, "x-kubernetes-list-map-keys": ["k"]}


def errors(x: Any, schema: dict[str, Any]) -> list[str]:
    return [str(error) for error in Schema.of(with_spec(x=schema)).validate(widget(x=x))]


def test_the_second_appearance_is_told_and_no_third() -> None:
    assert errors(["a", "b", "a", "a"], SET) == ['spec.x[2]: Duplicate value: "a"']


def test_values_of_different_types_are_different() -> None:
    assert errors([1, 1.0, True, "1", None], SET) == []


def test_objects_in_a_set_are_compared_by_what_they_hold() -> None:
    assert errors([{"a": 1, "b": [2]}, {"b": [2], "a": 1}], SET) == ['spec.x[1]: Duplicate value: {"a":1,"b":[2]}']


def test_items_of_a_map_are_told_by_their_keys_alone() -> None:
    items = [{"port": 1, "name": "x"}, {"name": "x", "port": 2}, {"name": "x", "port": 1, "v": "z"}]
    assert errors(items, MAP) == ['spec.x[2]: Duplicate value: {"name":"x","port":1}']


def test_a_missing_key_is_a_key() -> None:
    assert errors([{"v": 1}, {"v": 2}], ONE_KEY) == ["spec.x[1]: Duplicate value: {}"]
    assert errors([{"v": 1}, {"k": "a"}], ONE_KEY) == []
    assert errors([{"name": "x"}, {"name": "x", "port": 1}], MAP) == []


def test_an_item_of_a_map_is_an_object() -> None:
    assert errors([{"k": "a"}, 5], ONE_KEY)[-1] == (
        "spec.x[1]: Invalid value: 5: must be an object for an array of list-type map"
    )


def test_lists_in_maps_and_lists_are_found() -> None:
    nested = {"type": "object", "additionalProperties": {"type": "array", "items": SET}}
    assert errors({"k": [["a"], ["b", "b"]]}, nested) == ['spec.x[k][1][1]: Duplicate value: "b"']
