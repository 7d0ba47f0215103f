"""JSON Merge Patch, with the habits of the library that kube-apiserver uses."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apimachinery.patch import InvalidPatch
from localplane.apimachinery.patch.merge_patch import apply, decode_merge_patch, diff, merge_patch_of
from localplane.apimachinery.patch.values import encoded_size, same


@pytest.mark.parametrize(
    ("document", "patch", "merged"),
    [
        ({"a": "b"}, {}, {"a": "b"}),
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": "b"}, {"x": None}, {"a": "b"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c", "d": "e"}}, {"a": {"b": "d", "d": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        ({"a": {"b": 1}}, {"a": 5}, {"a": 5}),
        ({"a": 1}, {"a": {"b": None, "c": {"d": None}}}, {"a": {"c": {}}}),
        ({"a": None}, {"a": {"b": None}}, {"a": {}}),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
        ({}, {"l": [None, {"x": None, "y": 1}, [None]]}, {"l": [None, {"y": 1}, [None]]}),
        ({"l": [1]}, {"l": [{"x": None}]}, {"l": [{}]}),
        ({"l": {"z": 1}}, {"l": [{"x": None}]}, {"l": [{"x": None}]}),
    ],
)
def test_merging(document: dict[str, Any], patch: dict[str, Any], merged: dict[str, Any]) -> None:
    assert apply(patch, document) == merged


def test_a_patch_can_be_applied_twice_and_its_result_changed() -> None:
    document: dict[str, Any] = {"a": {"b": [1]}, "c": {"d": 1}}
    patch: dict[str, Any] = {"c": ["new"], "a": {"e": {"f": []}}}
    before = copy.deepcopy((document, patch))
    first = apply(patch, document)
    first["a"]["b"].append(2)
    first["a"]["e"]["f"].append(3)
    first["c"].append(4)
    assert (document, patch) == before


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "invalid JSON patch"),
        (b"not json", "invalid JSON patch"),
        (b'{"data":', "invalid JSON patch"),
        (b"[]", "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"),
        (b'"x"', "error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}"),
        (b"1.5", "error decoding patch: json: cannot unmarshal number into Go value of type map[string]interface {}"),
        (b"null", "Invalid JSON Patch"),
    ],
)
def test_what_is_no_merge_patch_is_refused(body: bytes, message: str) -> None:
    with pytest.raises(InvalidPatch) as caught:
        decode_merge_patch(body)
    assert str(caught.value) == message


def test_without_field_validation_a_list_becomes_the_document() -> None:
    assert apply(decode_merge_patch(b'[{"a":null,"b":1}]', strict=False), {"c": 1}) == [{"b": 1}]
    with pytest.raises(InvalidPatch, match="Invalid JSON Patch"):
        merge_patch_of(5, strict=False)


@pytest.mark.parametrize(
    ("original", "modified", "patch"),
    [
        ({"a": 1}, {"a": 1}, {}),
        ({"a": 1}, {"a": 1.0}, {}),
        ({"a": 1}, {"a": True}, {"a": True}),
        ({"a": 1, "b": 2}, {"b": 3}, {"a": None, "b": 3}),
        ({"a": {"b": {"c": 1}}}, {"a": {"b": {"c": 1}}}, {}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1}}, {"a": {"c": None}}),
        ({"a": [1, {"x": 1}]}, {"a": [1, {"x": 2}]}, {"a": [1, {"x": 2}]}),
        ({"a": None}, {"a": None}, {}),
        ({"a": {}}, {"a": 1}, {"a": 1}),
        ({}, {"a": {}}, {"a": {}}),
    ],
)
def test_the_difference_of_two_documents(
    original: dict[str, Any], modified: dict[str, Any], patch: dict[str, Any]
) -> None:
    found = diff(original, modified)
    assert same(found, patch), found


def test_deep_documents_are_merged_and_compared_without_recursion() -> None:
    def nested(bottom: Any) -> dict[str, Any]:
        for _ in range(10_000):
            bottom = {"a": bottom, "gone": None}
        return {"top": bottom}

    one, other = nested(1), nested(2)
    assert same(apply(diff(one, other), one), other)
    assert not same(one, other)
    assert encoded_size(apply(one, {})) == len('{"top":' + '{"a":' * 10_000 + "1" + "}" * 10_001)


VALUES = st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3)
JSON = st.recursive(
    VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=12,
)
DOCUMENTS = st.dictionaries(st.text("ab", max_size=2), JSON, max_size=4)
WITH_NULLS: st.SearchStrategy[dict[str, Any]] = st.dictionaries(
    st.text("ab", max_size=2),
    st.recursive(
        st.none() | VALUES, lambda inner: st.dictionaries(st.text("ab", max_size=2), inner, max_size=3), max_leaves=8
    ),
)


@given(DOCUMENTS, DOCUMENTS)
def test_a_difference_leads_from_one_document_to_the_other(original: Any, modified: Any) -> None:
    assert apply(diff(original, modified), original) == modified


@given(DOCUMENTS)
def test_equal_documents_have_no_difference(document: Any) -> None:
    assert diff(document, copy.deepcopy(document)) == {}


@given(WITH_NULLS, WITH_NULLS)
def test_a_merge_patch_applied_twice_is_as_good_as_once(patch: Any, document: Any) -> None:
    once = apply(patch, document)
    assert same(apply(patch, once), once)
