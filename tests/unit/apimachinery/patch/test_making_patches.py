"""Patches out of two or three documents: those that kubectl makes of the same documents."""

from __future__ import annotations

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch import PatchFailed
from localplane.apimachinery.patch.strategic import Conflicting, merge, three_way_patch, two_way_patch
from localplane.apimachinery.patch.strategic.openapi import node_of, reduced
from localplane.apimachinery.patch.values import copied
from localplane.apimachinery.schema import Node

_REF = "#/components/schemas/"
_BY_NAME = {"x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name"}
_DOCUMENT: JSONObject = {
    "paths": {
        "/apis/g/v1/things/{name}": {
            "patch": {
                "x-kubernetes-group-version-kind": {"group": "g", "version": "v1", "kind": "Thing"},
                "requestBody": {"content": {"application/strategic-merge-patch+json": {}}},
            }
        },
        "/apis/g/v1/others/{name}": {
            "patch": {
                "x-kubernetes-group-version-kind": {"group": "g", "version": "v1", "kind": "Other"},
                "requestBody": {"content": {"application/merge-patch+json": {}}},
            }
        },
    },
    "components": {
        "schemas": {
            "thing": {
                "type": "object",
                "x-kubernetes-group-version-kind": [{"group": "g", "version": "v1", "kind": "Thing"}],
                "properties": {
                    "metadata": {"allOf": [{"$ref": f"{_REF}meta"}]},
                    "containers": {"type": "array", "items": {"$ref": f"{_REF}container"}, **_BY_NAME},
                    "volumes": {
                        "type": "array",
                        "items": {"type": "object", "properties": {"name": {}, "a": {"type": "object"}, "b": {}}},
                        **_BY_NAME,
                        "x-kubernetes-patch-strategy": "merge,retainKeys",
                    },
                    "strategy": {"allOf": [{"$ref": f"{_REF}strategy"}], "x-kubernetes-patch-strategy": "retainKeys"},
                    "selector": {"allOf": [{"$ref": f"{_REF}meta"}], "x-kubernetes-patch-strategy": "replace"},
                    "tolerations": {"type": "array", "items": {"type": "object"}},
                },
            },
            "meta": {
                "properties": {
                    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                    "finalizers": {"type": "array", "items": {}, "x-kubernetes-patch-strategy": "merge"},
                },
            },
            "container": {"properties": {"name": {}, "image": {}, "env": {"type": "array", "items": {}, **_BY_NAME}}},
            "strategy": {"properties": {"type": {}, "rolling": {"type": "object"}}},
            "unused": {"properties": {"a": {}}},
        }
    },
}


@pytest.fixture(scope="module")
def thing() -> Node:
    node = node_of(reduced(_DOCUMENT, "g", "v1"), "Thing")
    assert node is not None
    return node


def test_only_what_merging_asks_for_is_kept() -> None:
    kept = reduced(_DOCUMENT, "g", "v1")
    assert kept["kinds"] == {"Thing": "thing"}
    assert sorted(kept["schemas"]) == ["container", "meta", "strategy", "thing"]
    assert node_of(kept, "Other") is None


_ONE, _TWO = {"name": "one", "image": "i"}, {"name": "two", "image": "i"}


@pytest.mark.parametrize(
    ("original", "modified", "patch"),
    [
        pytest.param({"a": 1}, {"a": 1}, {}, id="alike"),
        pytest.param({"a": 1}, {"a": 1.0}, {"a": 1.0}, id="numbers of different types"),
        pytest.param({"a": 1, "b": 2}, {"b": 3}, {"a": None, "b": 3}, id="fields"),
        pytest.param(
            {"metadata": {"labels": {"x": "1", "y": "1"}}},
            {"metadata": {"labels": {"x": "2"}}},
            {"metadata": {"labels": {"x": "2", "y": None}}},
            id="maps",
        ),
        pytest.param(
            {"containers": [_ONE, _TWO]},
            {"containers": [{**_ONE, "image": "j"}]},
            {
                "containers": [{"name": "one", "image": "j"}, {"name": "two", "$patch": "delete"}],
                "$setElementOrder/containers": [{"name": "one"}],
            },
            id="lists that merge",
        ),
        pytest.param(
            {"containers": [_ONE, _TWO]},
            {"containers": [_TWO, _ONE]},
            {"$setElementOrder/containers": [{"name": "two"}, {"name": "one"}]},
            id="the order alone",
        ),
        pytest.param({}, {"containers": [_ONE]}, {"containers": [_ONE]}, id="a list where there was none"),
        pytest.param({"containers": []}, {"containers": [_ONE]}, {"containers": [_ONE]}, id="a list that was empty"),
        pytest.param(
            {"tolerations": [{"a": 1}]},
            {"tolerations": [{"a": 2}]},
            {"tolerations": [{"a": 2}]},
            id="a list that does not",
        ),
        pytest.param(
            {"metadata": {"finalizers": ["a", "b"]}},
            {"metadata": {"finalizers": ["b", "c"]}},
            {
                "metadata": {
                    "finalizers": ["c"],
                    "$deleteFromPrimitiveList/finalizers": ["a"],
                    "$setElementOrder/finalizers": ["b", "c"],
                }
            },
            id="scalars",
        ),
        pytest.param(
            {"metadata": {"finalizers": ["z", "a"]}},
            {"metadata": {"finalizers": ["z", "a"]}},
            {"metadata": {"$setElementOrder/finalizers": ["z", "a"]}},
            id="scalars out of order are always ordered",
        ),
        pytest.param(
            {"strategy": {"type": "Rolling", "rolling": {"x": 1}}},
            {"strategy": {"type": "Recreate"}},
            {"strategy": {"type": "Recreate", "rolling": None, "$retainKeys": ["type"]}},
            id="one of several alternatives",
        ),
        pytest.param(
            {"volumes": [{"name": "v", "a": {}}]},
            {"volumes": [{"name": "v", "b": "x"}]},
            {
                "volumes": [{"name": "v", "a": None, "b": "x", "$retainKeys": ["b", "name"]}],
                "$setElementOrder/volumes": [{"name": "v"}],
            },
            id="alternatives in a list",
        ),
        pytest.param(
            {"selector": {"labels": {"a": "b"}}},
            {"selector": {"labels": {"a": "b"}}},
            {"selector": {"labels": {"a": "b"}}},
            id="what is replaced is sent even if it is alike",
        ),
        pytest.param({"unknown": {"a": {"b": 1}}}, {"unknown": {"a": {"b": 1}}}, {}, id="unknown and alike"),
    ],
)
def test_a_patch_leads_from_one_document_to_another(
    thing: Node, original: JSONObject, modified: JSONObject, patch: JSONObject
) -> None:
    made = two_way_patch(thing, original, modified)
    assert made == patch
    assert merge(thing, copied(original), copied(made)) == modified


def test_what_is_unknown_and_differs_is_refused(thing: Node) -> None:
    with pytest.raises(PatchFailed):
        two_way_patch(thing, {"unknown": {"a": 1}}, {"unknown": {"a": 2}})


@pytest.mark.parametrize(
    ("original", "modified", "current", "patch"),
    [
        pytest.param(
            {"metadata": {"labels": {"mine": "1", "gone": "1"}}},
            {"metadata": {"labels": {"mine": "2"}}},
            {"metadata": {"labels": {"mine": "1", "gone": "1", "theirs": "1"}}},
            {"metadata": {"labels": {"mine": "2", "gone": None}}},
            id="what others added stays",
        ),
        pytest.param(
            {"containers": [_ONE, _TWO]},
            {"containers": [{"name": "new", "image": "n"}, _ONE]},
            {"containers": [_ONE, _TWO, {"name": "theirs", "image": "t"}]},
            {
                "containers": [{"name": "new", "image": "n"}, {"name": "two", "$patch": "delete"}],
                "$setElementOrder/containers": [{"name": "new"}, {"name": "one"}],
            },
            id="lists",
        ),
        pytest.param(
            {},
            {"containers": [{"name": "one", "env": [{"name": "B"}]}]},
            {"containers": [{"name": "one", "env": [{"name": "B"}, {"name": "C"}]}]},
            {
                "containers": [{"name": "one", "$setElementOrder/env": [{"name": "B"}]}],
                "$setElementOrder/containers": [{"name": "one"}],
            },
            id="a longer list is ordered, though nothing changes",
        ),
        pytest.param(
            {"strategy": {"type": "Rolling"}},
            {"strategy": {"type": "Rolling"}},
            {"strategy": {"type": "Rolling", "rolling": {"x": 1}}},
            {"strategy": {"$retainKeys": ["type"]}},
            id="defaults of an alternative are taken away, and come back",
        ),
        pytest.param({"a": 1}, {"a": 1}, {"a": 1, "b": 2}, {}, id="nothing to do"),
    ],
)
def test_three_documents_make_one_patch(
    thing: Node, original: JSONObject, modified: JSONObject, current: JSONObject, patch: JSONObject
) -> None:
    before = copied([original, modified, current])
    assert three_way_patch(thing, original, modified, current) == patch
    assert [original, modified, current] == before


def test_changes_of_others_are_only_overwritten_on_purpose(thing: Node) -> None:
    original, modified, current = ({"metadata": {"labels": {"a": value}}} for value in "123")
    assert three_way_patch(thing, original, modified, current) == {"metadata": {"labels": {"a": "2"}}}
    with pytest.raises(Conflicting):
        three_way_patch(thing, original, modified, current, overwrite=False)
    assert three_way_patch(thing, original, modified, original, overwrite=False) == {"metadata": {"labels": {"a": "2"}}}
