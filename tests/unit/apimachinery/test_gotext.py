"""Values printed as Go prints them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apimachinery.golang.text import go_float, go_json, go_quote, go_value, json_float

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("plain", '"plain"'),
        ('say "hi" \\o/', '"say \\"hi\\" \\\\o/"'),
        ("n\x00l\x7f", '"n\\x00l\\x7f"'),
        ("a\tb\nc\vd\a", '"a\\tb\\nc\\vd\\a"'),
        ("Größe <&>", '"Größe <&>"'),
        ("\u0085\u00a0\u200b\U000e0001", '"\\u0085\\u00a0\\u200b\\U000e0001"'),
        ("\ud800", '"\ufffd"'),
    ],
)
def test_text_is_quoted_as_by_percent_q(text: str, quoted: str) -> None:
    assert go_quote(text) == quoted


@pytest.mark.parametrize(
    ("number", "plain", "in_json"),
    [
        (0.0, "0", "0"),
        (0.3, "0.3", "0.3"),
        (-1.0, "-1", "-1"),
        (100000.0, "100000", "100000"),
        (1000000.0, "1e+06", "1000000"),
        (123456789.0, "1.23456789e+08", "123456789"),
        (0.0001, "0.0001", "0.0001"),
        (0.00001, "1e-05", "0.00001"),
        (1e-7, "1e-07", "1e-7"),
        (1.5e-10, "1.5e-10", "1.5e-10"),
        (1e21, "1e+21", "1e+21"),
        (-1.25e300, "-1.25e+300", "-1.25e+300"),
    ],
)
def test_floats_are_printed_as_by_fmt_and_by_encoding_json(number: float, plain: str, in_json: str) -> None:
    assert go_float(number) == plain
    assert json_float(number) == in_json


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (None, "null"),
        (True, "true"),
        (-1, "-1"),
        (0.5, "0.5"),
        ("<b>", '"<b>"'),
        ([], "[]"),
        ({}, "{}"),
        ([[], {}, [None]], "[[],{},[null]]"),
        (
            {"b": {"x": "<&>"}, "a": [1, "\u2028\x01\b"]},
            '{"b":{"x":"\\u003c\\u0026\\u003e"},"a":[1,"\\u2028\\u0001\\b"]}',
        ),
    ],
)
def test_a_bad_value_is_printed_as_a_field_error_does(value: Any, printed: str) -> None:
    assert go_value(value) == printed


def test_a_deeply_nested_value_is_printed_without_recursion() -> None:
    value: Any = 1
    for _ in range(10_000):
        value = {"a": [value]}
    assert go_json(value) == '{"a":[' * 10_000 + "1" + "]}" * 10_000


@given(JSON)
def test_the_json_of_a_value_reads_back_as_the_value(value: Any) -> None:
    assert json.loads(go_json(value)) == value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_reads_back_from_its_text(value: float) -> None:
    assert float(go_float(value)) == value
    assert float(json_float(value)) == value
