"""JSON Patch, with the habits of the library that kube-apiserver uses."""

from __future__ import annotations

import copy
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apimachinery.patch import InvalidPatch, PatchNotApplicable, TooManyOperations, json_patch
from localplane.apimachinery.patch.json_patch import Operation, apply, decode_json_patch, json_patch_of

DOCUMENT: dict[str, Any] = {
    "data": {"k": "v", "a/b": "s", "m~n": "t", "~1": "u", "none": None},
    "list": ["a", "b", "c"],
    "deep": [{"x": 1}, {"x": True}],
    "0": "zero",
}


def op(kind: str, path: str, **rest: Any) -> Operation:
    """`from_` stands for from, which Python keeps to itself."""
    return {"op": kind, "path": path} | {name.rstrip("_"): value for name, value in rest.items()}


@pytest.mark.parametrize(
    ("operation", "part", "value"),
    [
        (op("add", "/data/new", value="n"), "data", DOCUMENT["data"] | {"new": "n"}),
        (op("add", "/data/k", value={"x": []}), "data", DOCUMENT["data"] | {"k": {"x": []}}),
        (op("add", "/data/k"), "data", DOCUMENT["data"] | {"k": None}),
        (op("add", "/list/-", value="z"), "list", ["a", "b", "c", "z"]),
        (op("add", "/list/3", value="z"), "list", ["a", "b", "c", "z"]),
        (op("add", "/list/0", value="z"), "list", ["z", "a", "b", "c"]),
        (op("add", "/list/-1", value="z"), "list", ["a", "b", "c", "z"]),
        (op("add", "/list/-4", value="z"), "list", ["z", "a", "b", "c"]),
        (op("add", "/list/+1", value="z"), "list", ["a", "z", "b", "c"]),
        (op("add", "/list/01", value="z"), "list", ["a", "z", "b", "c"]),
        (op("add", "/0", value="number"), "0", "number"),
        (op("add", "/-", value="dash"), "-", "dash"),
        (op("add", "/", value="empty"), "", "empty"),
        (op("add", "ignored/0", value="number"), "0", "number"),
        (op("add", "/deep/1/y", value=2), "deep", [{"x": 1}, {"x": True, "y": 2}]),
        (op("add", "/deep/-1/y", value=2), "deep", [{"x": 1}, {"x": True, "y": 2}]),
        (op("remove", "/data/a~1b"), "data", {"k": "v", "m~n": "t", "~1": "u", "none": None}),
        (op("remove", "/data/~01"), "data", {"k": "v", "a/b": "s", "m~n": "t", "none": None}),
        (op("remove", "/data/none"), "data", {"k": "v", "a/b": "s", "m~n": "t", "~1": "u"}),
        (op("remove", "/list/1"), "list", ["a", "c"]),
        (op("remove", "/list/-3"), "list", ["b", "c"]),
        (op("replace", "/data/m~0n", value=5), "data", DOCUMENT["data"] | {"m~n": 5}),
        (op("replace", "/data/absent", value=5), "data", DOCUMENT["data"] | {"absent": 5}),
        (op("replace", "/list/-1", value=5), "list", ["a", "b", 5]),
        (op("move", "/list/0", from_="/list/2"), "list", ["c", "a", "b"]),
        (op("copy", "/copied", from_="/deep/0"), "copied", {"x": 1}),
        (op("copy", "/copied", from_="/data/absent"), "copied", None),
        (op("copy", "/deep/0/self", from_="/deep"), "deep", [{"x": 1, "self": DOCUMENT["deep"]}, {"x": True}]),
        (op("test", "/deep/0/x", value=1), "0", "zero"),
        (op("test", "/data/none", value=None), "0", "zero"),
        (op("test", "/data/none"), "0", "zero"),
        (op("test", "/data/absent", value=None), "0", "zero"),
        (op("test", "", value=DOCUMENT), "0", "zero"),
    ],
)
def test_an_operation_changes_its_part_of_the_document(operation: Operation, part: str, value: Any) -> None:
    assert apply([operation], DOCUMENT) == DOCUMENT | {part: value}


def missing(kind: str, path: str) -> str:
    return f'{kind} operation does not apply: doc is missing path: "{path}": missing value'


def no_index(kind: str, path: str, index: int) -> str:
    return f"error in {kind} for path: '{path}': Unable to access invalid index: {index}: invalid index referenced"


def no_number(kind: str, path: str, key: str) -> str:
    return f"error in {kind} for path: '{path}': strconv.Atoi: parsing \"{key}\": invalid syntax"


def no_place(path: str, key: str) -> str:
    reason = f'strconv.Atoi: parsing "{key}": invalid syntax'
    return f"error in add for path: '{path}': value was not a proper array index: '{key}': {reason}"


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (op("frob", "/a"), "Unexpected kind: frob"),
        ({}, "Unexpected kind: unknown"),
        ({"op": 5, "path": "/a"}, "Unexpected kind: unknown"),
        ({"op": "add"}, "add operation failed to decode path: missing value"),
        ({"op": "copy", "path": "/a"}, "copy operation failed to decode from: missing value"),
        (op("add", "", value=1), missing("add", "")),
        (op("add", "/no/x", value=1), missing("add", "/no/x")),
        (op("add", "/data/none/x", value=1), missing("add", "/data/none/x")),
        (op("add", "/data/k/x", value=1), missing("add", "/data/k/x")),
        (op("add", "/list/4", value=1), no_index("add", "/list/4", 4)),
        (op("add", "/list/-5", value=1), no_index("add", "/list/-5", -5)),
        (op("add", "/list/x", value=1), no_place("/list/x", "x")),
        (op("add", "/list/1_0", value=1), no_place("/list/1_0", "1_0")),
        (
            op("remove", "/data/no"),
            "error in remove for path: '/data/no': Unable to remove nonexistent key: no: missing value",
        ),
        (op("remove", "/list/-"), no_number("remove", "/list/-", "-")),
        (op("remove", "/list/3"), no_index("remove", "/list/3", 3)),
        (
            op("replace", "/list/3", value=1),
            "replace operation does not apply: doc is missing key: /list/3: missing value",
        ),
        (op("replace", "", value="text"), "replace operation value must be object or array"),
        (
            op("replace", "/no/x", value=1),
            "replace operation does not apply: doc is missing path: /no/x: missing value",
        ),
        (
            op("move", "/data/k/x", from_="/data/k"),
            "move operation does not apply: doc is missing destination path: /data/k/x: missing value",
        ),
        (
            op("move", "/new", from_="/no/x"),
            "move operation does not apply: doc is missing from path: /no/x: missing value",
        ),
        (
            op("move", "/new", from_="/data/no"),
            "error in move for path: 'no': Unable to remove nonexistent key: no: missing value",
        ),
        (
            op("copy", "/new", from_="/list/3"),
            "error in copy for from: '/list/3': Unable to access invalid index: 3: invalid index referenced",
        ),
        (
            op("copy", "/list/9", from_="/data/k"),
            "error while adding value during copy: Unable to access invalid index: 9: invalid index referenced",
        ),
        (op("test", "/no/x", value=1), "test operation does not apply: is missing path: /no/x: missing value"),
        (op("test", "/data/k", value="w"), "testing value /data/k failed: test failed"),
        (op("test", "/data/k"), "testing value /data/k failed: test failed"),
        (op("test", "/deep/0/x", value=True), "testing value /deep/0/x failed: test failed"),
        (op("test", "/deep/0/x", value=1.0), "testing value /deep/0/x failed: test failed"),
        (op("test", "/deep/0", value={"x": 1, "y": 2}), "testing value /deep/0 failed: test failed"),
        (op("test", "/list", value=["a", "b"]), "testing value /list failed: test failed"),
        (op("test", ""), "testing value  failed: test failed"),
    ],
)
def test_an_operation_that_does_not_fit_says_why(operation: Operation, message: str) -> None:
    with pytest.raises(PatchNotApplicable) as caught:
        apply([operation], DOCUMENT)
    assert str(caught.value) == message


def test_null_can_be_moved() -> None:
    assert apply([op("move", "/b", from_="/a")], {"a": None}) == {"b": None}


def test_operations_build_on_one_another() -> None:
    operations = [
        op("add", "/made", value={"list": []}),
        op("add", "/made/list/-", value=1),
        op("copy", "/again", from_="/made"),
        op("add", "/again/list/-", value=2),
        op("test", "/made/list", value=[1]),
        op("move", "/made", from_="/again"),
    ]
    assert apply(operations, {}) == {"made": {"list": [1, 2]}}


def test_the_whole_document_can_be_replaced() -> None:
    assert apply([op("replace", "", value=[1]), op("add", "/-", value=2)], DOCUMENT) == [1, 2]


def test_a_patch_can_be_applied_twice_and_its_result_changed() -> None:
    document, operations = copy.deepcopy(DOCUMENT), [op("add", "/new", value={"x": []}), op("add", "/new/x/-", value=1)]
    first = apply(operations, document)
    first["new"]["x"].append("changed")
    first["data"]["k"] = "changed"
    assert apply(operations, document) == DOCUMENT | {"new": {"x": [1]}}
    assert document == DOCUMENT


def test_copies_are_bounded_in_total() -> None:
    document = {"a": "x" * (1024 * 1024 - 2)}  # exactly a mebibyte with its quotes
    copies = [op("copy", f"/{index}", from_="/a") for index in range(4)]
    assert len(apply(copies[:3], document)) == 4
    with pytest.raises(PatchNotApplicable) as caught:
        apply(copies, document)
    assert str(caught.value) == (
        "Unable to complete the copy, the accumulated size increase of copy is 4194304, exceeding the limit 3145728"
    )


def test_doubling_again_and_again_is_stopped() -> None:
    with pytest.raises(PatchNotApplicable, match="accumulated size"):
        apply([op("copy", f"/a/{index}", from_="/a") for index in range(60)], {"a": {"x": "y" * 10_000}})


def test_ten_thousand_operations_are_enough() -> None:
    operations = [op("add", "/l/-", value=index) for index in range(10_000)]
    assert len(apply(json_patch_of(operations), {"l": []})["l"]) == 10_000
    with pytest.raises(TooManyOperations) as caught:
        json_patch_of([*operations, op("test", "", value={})])
    assert str(caught.value) == "The allowed maximum operations in a JSON patch is 10000, got 10001"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "invalid JSON patch"),
        (b"[{", "invalid JSON patch"),
        (b"{}", "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"),
        (b"true", "error decoding patch: json: cannot unmarshal bool into Go value of type []handlers.jsonPatchOp"),
        (b"[1]", "error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp"),
        (
            b'[{"op":"add","path":5}]',
            "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string",
        ),
    ],
)
def test_what_is_no_json_patch_is_refused(body: bytes, message: str) -> None:
    with pytest.raises(InvalidPatch) as caught:
        decode_json_patch(body)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"{}", "json: cannot unmarshal object into Go value of type jsonpatch.Patch"),
        (b'["x"]', "json: cannot unmarshal string into Go value of type jsonpatch.Operation"),
    ],
)
def test_without_field_validation_the_library_itself_complains(body: bytes, message: str) -> None:
    with pytest.raises(InvalidPatch) as caught:
        decode_json_patch(body, strict=False)
    assert str(caught.value) == message


def test_null_is_a_patch_without_operations() -> None:
    assert apply(decode_json_patch(b"null"), DOCUMENT) == DOCUMENT
    assert decode_json_patch(b'[null,{"op":null}]') == [{}, {"op": None}]


def test_members_that_no_operation_has_are_told() -> None:
    operations = decode_json_patch(b'[{"op":"add","path":"/a","value":1},{"op":"remove","Path":"/a","foo":1}]')
    assert json_patch.unknown_fields(operations) == [
        'json patch unknown field "[1].Path"',
        'json patch unknown field "[1].foo"',
    ]


def test_deep_documents_are_patched_tested_and_copied_without_recursion() -> None:
    deep: Any = "bottom"
    for _ in range(10_000):
        deep = {"a": [deep]}
    path = "/a/0" * 10_000
    operations = [op("test", "", value=deep), op("copy", "/b", from_="/a"), op("replace", path, value="changed")]
    patched = apply(operations, deep)
    assert apply([op("test", path, value="changed"), op("test", "/b" + path[2:], value="bottom")], patched) is not None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("ab~/01-", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab~/01-", max_size=2), inner, max_size=3),
    max_leaves=12,
)
POINTERS = st.text("/ab01-~", max_size=8)
OPERATIONS = st.lists(
    st.fixed_dictionaries(
        {"op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test"]), "path": POINTERS},
        optional={"from": POINTERS, "value": JSON},
    ),
    max_size=5,
)


@given(OPERATIONS | st.lists(st.dictionaries(st.sampled_from(["op", "path", "from", "value"]), JSON)), JSON)
def test_a_patch_raises_its_own_error_only_and_changes_nothing(operations: list[Operation], document: Any) -> None:
    before = copy.deepcopy((operations, document))
    with suppress(PatchNotApplicable):
        apply(operations, document)
    assert (operations, document) == before


@given(JSON)
def test_any_json_is_a_patch_or_refused(decoded: Any) -> None:
    for strict in (True, False):
        with suppress(InvalidPatch):
            assert len(json_patch_of(decoded, strict=strict)) == len(decoded or [])
