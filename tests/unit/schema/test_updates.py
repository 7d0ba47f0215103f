"""An update is not blamed for what was wrong before, if it is left as it was."""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.schema import Schema
from tests.unit.schema.declarations import widget, with_spec

ITEM = {"type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "integer", "maximum": 5}}}
SCHEMA = Schema.of(
    with_spec(
        size={"type": "integer", "maximum": 5},
        other={"type": "string"},
        atomic={"type": "array", "items": {"type": "integer", "maximum": 5}},
        map={"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "items": ITEM},
        set={"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
    )
)


def fields(new: dict[str, Any], old: dict[str, Any] | None) -> list[str]:
    return [error.field for error in SCHEMA.validate(widget(**new), widget(**old) if old is not None else None)]


def test_an_untouched_fault_is_forgiven() -> None:
    assert fields({"size": 9, "other": "new"}, {"size": 9}) == []


def test_a_fault_that_changes_is_not() -> None:
    assert fields({"size": 8}, {"size": 9}) == ["spec.size"]
    assert fields({"size": 9}, {}) == ["spec.size"]
    assert fields({"size": 9}, None) == ["spec.size"]


def test_a_list_without_keys_is_forgiven_as_a_whole_or_not_at_all() -> None:
    assert fields({"atomic": [9], "other": "new"}, {"atomic": [9]}) == []
    assert fields({"atomic": [9, 1]}, {"atomic": [9]}) == ["spec.atomic[0]"]


def test_items_of_a_map_are_found_again_by_their_keys() -> None:
    old = {"map": [{"k": "a", "v": 9}, {"k": "b", "v": 9}]}
    assert fields({"map": [{"k": "b", "v": 9}, {"k": "c", "v": 1}]}, old) == []
    assert fields({"map": [{"k": "b", "v": 8}]}, old) == ["spec.map[0].v"]


def test_repetitions_are_forgiven_if_there_were_any() -> None:
    assert fields({"set": ["a", "a", "b"]}, {"set": ["c", "c"]}) == []
    assert fields({"set": ["a", "a"]}, {"set": ["c"]}) == ["spec.set[1]"]
