"""How one step of a path is written, ordered and shown."""

from __future__ import annotations

import pytest

from localplane.apimachinery.managedfields.fieldset import (
    InvalidElement,
    canonical,
    key_element,
    order,
    shown,
    value_element,
)


def test_keys_are_sorted_and_their_values_are_json() -> None:
    assert key_element([("protocol", "TCP"), ("port", 80)]) == 'k:{"port":80,"protocol":"TCP"}'


def test_text_is_escaped_as_go_does() -> None:
    assert value_element('a<"b') == 'v:"a\\u003c\\"b"'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f:a", "f:a"),
        ("f:", "f:"),
        ('k:{ "b": 1, "a": "x" }', 'k:{"a":"x","b":1}'),
        ("v: true", "v:true"),
        ("v:80.0", "v:80"),
        ("i:+07", "i:7"),
        ("x:later", None),
    ],
)
def test_an_element_has_one_spelling(text: str, expected: str | None) -> None:
    assert canonical(text) == expected


@pytest.mark.parametrize("text", ["", "f", "name", "k:[1]", "k:{", "v:NaN", "v:", "i:x", "k:null"])
def test_what_is_no_element_is_refused(text: str) -> None:
    with pytest.raises(InvalidElement):
        canonical(text)


def test_numbers_are_ordered_as_numbers_and_items_come_after_fields() -> None:
    elements = ["i:0", "v:1", 'k:{"port":443}', 'k:{"port":80}', "f:b", "f:a", "."]
    assert sorted(elements, key=order) == [".", "f:a", "f:b", 'k:{"port":80}', 'k:{"port":443}', "v:1", "i:0"]


def test_values_are_ordered_by_their_kind_first() -> None:
    elements = ["v:null", "v:{}", "v:[]", "v:true", 'v:"a"', "v:2", "v:1.5"]
    assert sorted(elements, key=order) == list(reversed(elements))


@pytest.mark.parametrize(
    ("element", "expected"),
    [
        ("f:data", ".data"),
        ('k:{"name":"a","port":80}', '[name="a",port=80]'),
        ('v:"x"', '[="x"]'),
        ("v:true", "[=true]"),
        ("i:3", "[3]"),
    ],
)
def test_messages_show_a_path_as_one_reads_it(element: str, expected: str) -> None:
    assert shown(element) == expected
