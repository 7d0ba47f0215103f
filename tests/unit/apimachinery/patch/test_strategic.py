"""Strategic merge patch: what a schema says of lists, what a patch says of itself, and what can't be merged."""

from __future__ import annotations

import copy
from contextlib import suppress
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch import InvalidPatch, PatchError, PatchFailed, PatchNotApplicable, strategic
from localplane.apimachinery.patch.strategic import Mode
from localplane.apimachinery.schema import Bytes, Field, Int32, RawObject, Schema, Time


class Env:
    name: str
    value: str = ""


class Container:
    name: str
    image: str = ""
    args: list[str] | None = None
    env: Annotated[list[Env] | None, Field(patch_strategy="merge", patch_merge_key="name")] = None


class Strategy:
    type: str = ""
    maximum: Int32 | None = None


class Spec:
    containers: Annotated[list[Container], Field(patch_strategy="merge", patch_merge_key="name")]
    tolerations: list[Env] | None = None
    gates: Annotated[list[str] | None, Field(patch_strategy="merge")] = None
    strategy: Annotated[Strategy | None, Field(patch_strategy="retainKeys")] = None
    whole: Annotated[Strategy | None, Field(patch_strategy="replace")] = None
    selector: dict[str, str] | None = None
    extra: dict[str, list[str]] | None = None
    replicas: Int32 | None = None
    paused: bool = False
    ratio: float = 0
    raw: RawObject | None = None
    key: Bytes = ""
    since: Time | None = None


class Thing:
    spec: Spec


ROOT = Schema.of(Thing).root


def merged(document: JSONObject, patch: JSONObject) -> Any:
    """The spec that comes of a spec and a patch of it."""
    found = strategic.merge(ROOT, {"spec": copy.deepcopy(document)}, {"spec": copy.deepcopy(patch)})
    return found["spec"]


def named(*names: str) -> list[JSONObject]:
    return [{"name": name} for name in names]


A, B, C = ({"name": name, "image": name * 2} for name in "abc")


@pytest.mark.parametrize(
    ("document", "patch", "expected"),
    [
        pytest.param({"replicas": 1}, {"replicas": 2}, {"replicas": 2}, id="a scalar is replaced"),
        pytest.param({"replicas": 1, "paused": True}, {"replicas": None}, {"paused": True}, id="null deletes"),
        pytest.param({}, {"selector": {"a": None, "b": "c"}}, {"selector": {"b": "c"}}, id="new maps have no nulls"),
        pytest.param(
            {"selector": {"a": "1", "b": "2"}},
            {"selector": {"a": None, "c": "3"}},
            {"selector": {"b": "2", "c": "3"}},
            id="maps merge",
        ),
        pytest.param(
            {"whole": {"type": "a", "maximum": 1}}, {"whole": {"type": "b"}}, {"whole": {"type": "b"}}, id="or not"
        ),
        pytest.param(
            {"tolerations": named("a")}, {"tolerations": named("b")}, {"tolerations": named("b")}, id="plain list"
        ),
        pytest.param(
            {"containers": [A, B]},
            {"containers": [{"name": "b", "image": "new"}, C]},
            {"containers": [A, {"name": "b", "image": "new"}, C]},
            id="a list merges by its key",
        ),
        pytest.param(
            {"containers": [A, B, C]},
            {"containers": named("c", "a")},
            {"containers": [B, C, A]},
            id="what is patched comes in the order of the patch",
        ),
        pytest.param(
            {"containers": [{"name": "a", "env": [{"name": "x", "value": "1"}]}]},
            {"containers": [{"name": "a", "env": [{"name": "y", "value": "2"}]}]},
            {"containers": [{"name": "a", "env": [{"name": "y", "value": "2"}, {"name": "x", "value": "1"}]}]},
            id="so does a list in a list",
        ),
        pytest.param(
            {"containers": [A, B]},
            {"containers": [{"name": "a", "$patch": "delete"}, {"name": "z", "$patch": "delete"}]},
            {"containers": [B]},
            id="an item is deleted",
        ),
        pytest.param(
            {"containers": [A]}, {"containers": [{"$patch": "replace"}, B]}, {"containers": [B]}, id="replaced"
        ),
        pytest.param(
            {"selector": {"a": "1"}}, {"selector": {"$patch": "delete"}}, {"selector": {}}, id="a map is emptied"
        ),
        pytest.param(
            {"selector": {"a": "1"}},
            {"selector": {"$patch": "replace", "b": "2"}},
            {"selector": {"b": "2"}},
            id="new map",
        ),
        pytest.param({}, {"selector": {"$patch": "replace", "b": "2"}}, {}, id="nothing is replaced by nothing"),
        pytest.param({"gates": ["a", "b"]}, {"gates": ["b", "c"]}, {"gates": ["a", "b", "c"]}, id="scalars are a set"),
        pytest.param(
            {"gates": ["a", "b", "c"]}, {"$deleteFromPrimitiveList/gates": ["a", "c"]}, {"gates": ["b"]}, id="set minus"
        ),
        pytest.param({}, {"$deleteFromPrimitiveList/gates": ["a"]}, {}, id="nothing minus something"),
        pytest.param(
            {"gates": ["a", "b"]},
            {"$setElementOrder/gates": ["b", "c", "a"], "gates": ["c"]},
            {"gates": ["b", "c", "a"]},
        ),
        pytest.param(
            {"containers": [A, B, C]},
            {"$setElementOrder/containers": named("c", "a")},
            {"containers": [B, C, A]},
            id="order without a change; who is not in it stays in front of whom it was",
        ),
        pytest.param(
            {"strategy": {"type": "Rolling", "maximum": 3}},
            {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}},
            {"strategy": {"type": "Recreate"}},
            id="retained keys",
        ),
    ],
)
def test_a_patch_is_merged(document: JSONObject, patch: JSONObject, expected: JSONObject) -> None:
    assert merged(document, patch) == expected


@pytest.mark.parametrize(
    ("document", "patch", "error", "message"),
    [
        (
            {"containers": [A]},
            {"containers": [{"name": "a", "$patch": "explode"}]},
            PatchFailed,
            "unknown patch type: explode in map: map[$patch:explode name:a]",
        ),
        (
            {"selector": {"a": "b"}},
            {"selector": {"$patch": 5}},
            PatchFailed,
            "unknown patch type: %!s(int64=5) in map: map[$patch:5]",
        ),
        (
            {"containers": [A]},
            {"containers": [{"name": "a", "$patch": "merge"}]},
            PatchFailed,
            "merging lists cannot yet be specified in the patch",
        ),
        (
            {"containers": [A]},
            {"containers": [{"image": "i"}]},
            PatchFailed,
            "map: map[image:i] does not contain declared merge key: name",
        ),
        (
            {"containers": [A]},
            {"containers": ["x"]},
            PatchFailed,
            "list element types are not identical: [[map[image:aa name:a]] [x]]",
        ),
        ({"gates": ["a"]}, {"gates": [["b"]]}, PatchFailed, "list element types are not identical: [[a] [[b]]]"),
        ({"gates": []}, {"gates": [["b"]]}, PatchNotApplicable, "lists of lists are not supported"),
        (
            {"containers": [A]},
            {"$setElementOrder/containers": named("a"), "containers": [C]},
            PatchFailed,
            "The order in patch list:\n[map[image:cc name:c]]\n doesn't match $setElementOrder list:\n[map[name:a]]\n",
        ),
        ({}, {"$setElementOrder": ["a"]}, InvalidPatch, "invalid patch format of setElementOrder list"),
        ({}, {"$deleteFromPrimitiveList": ["a"]}, InvalidPatch, "invalid patch format of primitive list"),
        (
            {"strategy": {"type": "a"}},
            {"strategy": {"$retainKeys": ["type"], "maximum": 1}},
            InvalidPatch,
            "invalid patch format of retainKeys",
        ),
        ({}, {"$setElementOrder/gates": "a"}, PatchFailed, "expected a []interface {}, but received a string"),
        (
            {"tolerations": named("a")},
            {"$deleteFromPrimitiveList/tolerations": named("a")},
            PatchFailed,
            "cannot merge lists without merge key for struct",
        ),
        (
            {"extra": {"a": ["b"]}},
            {"extra": {"a": ["c"]}},
            PatchFailed,
            "merging an object in json but data type is not struct, instead is: map",
        ),
        (
            {"raw": {"a": {"b": 1}}},
            {"raw": {"a": {"c": 1}}},
            PatchFailed,
            'unable to find api field in struct RawExtension for the json field "a"',
        ),
    ],
)
def test_a_patch_that_cannot_be_merged_is_told_so(
    document: JSONObject, patch: JSONObject, error: type[PatchError], message: str
) -> None:
    with pytest.raises(error) as refused:
        merged(document, patch)
    assert (type(refused.value), str(refused.value)) == (error, message)


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"replicas": "many"}, "unrecognized type: int32"),
        ({"replicas": 1.5}, "cannot convert float64 to int32"),
        ({"selector": {"a": 5}}, "cannot convert int64 to string"),
        ({"selector": {"a": True}}, "unrecognized type: string"),
        ({"selector": ["a"]}, "cannot restore map from slice"),
        ({"strategy": "x"}, "cannot restore struct from: string"),
        ({"containers": {"name": "a"}}, "cannot restore slice from map"),
        ({"paused": "yes"}, "unrecognized type: bool"),
        ({"key": "!"}, "error decoding from json: illegal base64 data at input byte 0"),
        ({"since": 5}, "json: cannot unmarshal number into Go value of type string"),
        ({"replicas": 2, "ratio": 1, "raw": {"a": [1]}}, ""),
    ],
)
def test_a_document_that_does_not_fit_is_told_in_the_words_of_the_converter(spec: JSONObject, why: str) -> None:
    assert strategic.misfit(ROOT, {"spec": spec}) == why


def test_a_patch_of_a_patch_keeps_what_both_say() -> None:
    first = {"spec": {"replicas": 1, "$setElementOrder/containers": named("a", "b"), "containers": [A]}}
    second = {"spec": {"replicas": None, "$deleteFromPrimitiveList/gates": ["x"], "containers": [B]}}
    combined = strategic.merge(ROOT, first, second, Mode.COMBINE)
    assert combined == {
        "spec": {
            "replicas": None,
            "$setElementOrder/containers": named("a", "b"),
            "$deleteFromPrimitiveList/gates": ["x"],
            "containers": [B, A],
        }
    }


NAMES = st.sampled_from(
    [*Spec.__annotations__, "name", "env", "value", "$patch", "$retainKeys"]
    + [
        f"{each}/{name}"
        for each in ("$setElementOrder", "$deleteFromPrimitiveList")
        for name in ("containers", "gates")
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.5, "", "a", "b", "delete", "replace", "merge"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(NAMES, JSON, max_size=5)


@given(OBJECTS, OBJECTS, st.sampled_from(list(Mode)))
def test_any_document_and_any_patch_are_merged_or_refused(document: JSONObject, patch: JSONObject, mode: Mode) -> None:
    with suppress(PatchError):
        found = strategic.merge(ROOT, {"spec": document}, {"spec": patch}, mode)
        strategic.misfit(ROOT, found)


@given(st.lists(st.sampled_from("abcde"), unique=True), st.lists(st.sampled_from("abcdefg"), unique=True))
def test_a_list_by_key_holds_what_either_side_has_in_the_order_of_the_patch(old: list[str], new: list[str]) -> None:
    found = [each["name"] for each in merged({"containers": named(*old)}, {"containers": named(*new)})["containers"]]
    assert sorted(found) == sorted({*old, *new})
    assert [name for name in found if name in new] == new
    assert [name for name in found if name not in new] == [name for name in old if name not in new]


@given(st.lists(st.sampled_from("abcde"), unique=True), st.lists(st.sampled_from("abcdefg"), unique=True))
def test_to_patch_twice_is_to_patch_once(old: list[str], new: list[str]) -> None:
    patch = {"containers": named(*new), "gates": new}
    once = merged({"containers": named(*old), "gates": old}, patch)
    assert merged(once, patch) == once
