"""Sets of fields and what can be done with them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apimachinery.managedfields.fieldset import (
    Fields,
    InvalidElement,
    difference,
    has,
    intersection,
    leaves,
    of_paths,
    ordered,
    parse,
    paths,
    recursive_difference,
    union,
)

ELEMENTS = ["f:a", "f:b", "f:c", 'k:{"name":"x"}', 'v:"y"', "v:10", "v:9"]
PATHS = st.lists(st.lists(st.sampled_from(ELEMENTS), min_size=1, max_size=4).map(tuple), max_size=12)
SETS = PATHS.map(lambda each: of_paths(*each))


def members(fields: Fields) -> set[tuple[str, ...]]:
    return set(paths(fields))


def copied(fields: Fields) -> Fields:
    """The same set, of which nothing is shared."""
    return {element: copied(node) for element, node in fields.items()}


@given(SETS, SETS)
def test_who_takes_nothing_new_has_the_very_same_set(left: Fields, right: Fields) -> None:
    both = union(left, copied(right))
    assert (both is left) == (members(right) <= members(left) or (not left and not right))


@given(SETS, SETS)
def test_what_was_written_before_is_not_put_in_order_again(known: Fields, added: Fields) -> None:
    known = ordered(known)
    assert json.dumps(ordered(union(known, added), known)) == json.dumps(ordered(copied(union(known, added))))


@given(PATHS)
def test_a_set_holds_the_paths_that_it_was_made_of(given_paths: list[tuple[str, ...]]) -> None:
    fields = of_paths(*given_paths)
    assert members(fields) == set(given_paths)
    assert all(has(fields, path) for path in given_paths)


@given(SETS, SETS)
def test_union_difference_and_intersection_are_those_of_sets(left: Fields, right: Fields) -> None:
    assert members(union(left, right)) == members(left) | members(right)
    assert members(difference(left, right)) == members(left) - members(right)
    assert members(intersection(left, right)) == members(left) & members(right)


@given(SETS, SETS)
def test_a_set_is_its_difference_and_its_intersection(left: Fields, right: Fields) -> None:
    assert union(difference(left, right), intersection(left, right)) == left


@given(SETS, SETS)
def test_a_recursive_difference_takes_what_is_below_too(left: Fields, right: Fields) -> None:
    gone = members(right)
    kept = {path for path in members(left) if not any(path[: n + 1] in gone for n in range(len(path)))}
    assert members(recursive_difference(left, right)) == kept


@given(SETS)
def test_leaves_have_no_member_below_them(fields: Fields) -> None:
    every = members(fields)
    longer = {path[:n] for path in every for n in range(1, len(path))}
    assert members(leaves(fields)) == every - longer


@given(SETS, SETS)
def test_operations_change_neither_of_their_sets(left: Fields, right: Fields) -> None:
    before = json.dumps([left, right])
    for operation in (union, difference, intersection, recursive_difference):
        operation(left, right)
    assert json.dumps([left, right]) == before


@given(SETS)
def test_what_is_written_reads_as_it_was(fields: Fields) -> None:
    written = ordered(fields)
    assert written == fields
    assert parse(json.loads(json.dumps(written))) == fields
    assert parse(written) is written


def test_the_order_is_the_one_that_kubernetes_writes() -> None:
    fields = of_paths(("f:b", 'k:{"p":443}'), ("f:b", 'k:{"p":80}'), ("f:b",), ("f:a", "f:z"), ("f:a", "f:c"))
    expected: Fields = {"f:a": {"f:c": {}, "f:z": {}}, "f:b": {".": {}, 'k:{"p":80}': {}, 'k:{"p":443}': {}}}
    assert json.dumps(ordered(fields)) == json.dumps(expected)


def test_members_are_listed_before_what_is_below() -> None:
    fields = of_paths(("f:a", "f:x"), ("f:b",), ("f:a",))
    assert list(paths(fields)) == [("f:a",), ("f:b",), ("f:a", "f:x")]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (None, {}),
        ({".": {}}, {}),
        ({"f:a": None}, {"f:a": {}}),
        ({"f:a": {".": {"ignored": 1}}}, {"f:a": {}}),
        ({"f:a": {"z:unknown": {}}}, {"f:a": {}}),
        ({"z:unknown": {}, "f:b": {}}, {"f:b": {}}),
        ({'k:{"b":1,"a":2}': {}}, {'k:{"a":2,"b":1}': {}}),
    ],
)
def test_another_spelling_is_read_as_the_same_set(raw: Any, expected: Fields) -> None:
    assert parse(raw) == expected


@pytest.mark.parametrize("raw", ["x", [], {"f:a": "x"}, {"a": {}}, {"f:a": {"k:1": {}}}, {"": {}}])
def test_what_is_no_set_is_refused(raw: Any) -> None:
    with pytest.raises(InvalidElement):
        parse(raw)


def test_nobody_owns_the_whole_object() -> None:
    assert not has({}, ())
    assert not has(of_paths(("f:a",)), ())
    assert not has(of_paths(("f:a", "f:b")), ("f:a",))
