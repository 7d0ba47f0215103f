"""The canonical form: equal objects are equal bytes, and resourceVersion fits in without parsing."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.storage.errors import InvalidObject
from localplane.apiserver.storage.memory import MemoryBackend
from localplane.apiserver.storage.objects import Encoded, StoredObject, decode, encode
from localplane.apiserver.storage.store.certain_writes import CertainWrites
from localplane.apiserver.storage.store.writes import create
from tests.unit.storage.samples import objects, reordered, same_json, without_repeated_keys

REVISIONS = st.integers(1, 2**63 - 1)


def finished_form(obj: JSONObject, revision: int) -> JSONObject:
    """What a client should get, made the slow way."""
    metadata = {name: value for name, value in (obj.get("metadata") or {}).items() if name != "selfLink"}
    return {"kind": "", "apiVersion": ""} | obj | {"metadata": metadata | {"resourceVersion": str(revision)}}


@given(objects)
def test_encoding_what_was_decoded_gives_the_same_bytes(obj: JSONObject) -> None:
    value = encode(obj)
    assert encode(decode("k", value)) == value


@given(objects, st.integers())
def test_equal_objects_are_equal_bytes_whatever_the_order_of_their_keys(obj: JSONObject, seed: int) -> None:
    assert encode(reordered(obj, random.Random(seed))) == encode(obj)


@given(objects, REVISIONS)
def test_the_finished_form_is_the_object_plus_its_resource_version(obj: JSONObject, revision: int) -> None:
    finished = StoredObject.from_object("k", obj, revision)
    assert same_json(without_repeated_keys(finished.data), finished_form(obj, revision))
    assert same_json(finished.decode(), finished_form(obj, revision))


@given(objects, REVISIONS)
def test_the_stored_form_is_the_exact_inverse_of_the_finished_one(obj: JSONObject, revision: int) -> None:
    value = encode(obj)
    assert StoredObject.from_stored("k", value, revision).stored == value
    assert StoredObject.from_object("k", obj, revision).stored == value


@given(objects, REVISIONS)
def test_our_own_bytes_are_finished_alike_whether_read_or_just_written(obj: JSONObject, revision: int) -> None:
    encoded = Encoded.of(obj)
    labels = (obj.get("metadata") or {}).get("labels")
    read, written = StoredObject.from_stored("k", encoded.value, revision), StoredObject.from_encoded("k", encoded, 1)
    assert read.data == written.at_revision(revision).data
    assert read.labels == written.labels == (labels or {})


@given(objects, REVISIONS, REVISIONS)
def test_another_revision_changes_nothing_but_the_resource_version(obj: JSONObject, first: int, then: int) -> None:
    moved = StoredObject.from_object("k", obj, first).at_revision(then)
    assert moved.revision == then
    assert same_json(moved.decode(), finished_form(obj, then))


@given(objects)
def test_stored_bytes_hold_neither_resource_version_nor_self_link(obj: JSONObject) -> None:
    metadata = without_repeated_keys(encode(obj))["metadata"]
    assert "resourceVersion" not in metadata
    assert "selfLink" not in metadata


@given(objects)
def test_encoding_leaves_the_object_as_it_was(obj: JSONObject) -> None:
    before = repr(obj)
    encode(obj)
    assert repr(obj) == before


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({}, b'{"resourceVersion":"7"}'),
        (None, b'{"resourceVersion":"7"}'),
        ({"labels": {"a": "b"}}, b'{"resourceVersion":"7","labels":{"a":"b"}}'),
        ({"name": "x"}, b'{"name":"x","resourceVersion":"7"}'),
        ({"generateName": "x-"}, b'{"generateName":"x-","resourceVersion":"7"}'),
        ({"uid": "u", "namespace": "n", "name": "x"}, b'{"name":"x","namespace":"n","uid":"u","resourceVersion":"7"}'),
        ({"labels": {}, "name": "x"}, b'{"name":"x","resourceVersion":"7","labels":{}}'),
        ({"name": 'a"b'}, b'{"name":"a\\"b","resourceVersion":"7"}'),
        ({"name": "x", "namespace": "\\"}, b'{"name":"x","namespace":"\\\\","resourceVersion":"7"}'),
        ({"name": "é\u2028"}, '{"name":"é\u2028","resourceVersion":"7"}'.encode()),
        ({"name": "\x01"}, b'{"name":"\\u0001","resourceVersion":"7"}'),
        ({"name": None}, b'{"name":null,"resourceVersion":"7"}'),
        ({"name": {}, "a": 1}, b'{"name":{},"resourceVersion":"7","a":1}'),
    ],
)
def test_resource_version_stands_after_what_names_the_object(metadata: Any, expected: bytes) -> None:
    obj = {"kind": "Pod", "apiVersion": "v1", "metadata": metadata}
    assert (
        StoredObject.from_object("k", obj, 7).data == b'{"kind":"Pod","apiVersion":"v1","metadata":' + expected + b"}"
    )


def test_an_object_without_metadata_gets_some() -> None:
    data = StoredObject.from_object("k", {"spec": 1}, 7).data
    assert data == b'{"kind":"","apiVersion":"","metadata":{"resourceVersion":"7"},"spec":1}'


def test_the_word_metadata_inside_values_misleads_nobody() -> None:
    trap = '"metadata":{"name":"trap"}'
    obj = {"kind": "Pod", "apiVersion": "v1", "metadata": {"annotations": {"a": trap}}, "spec": {"metadata": {}}}
    assert same_json(StoredObject.from_object("k", obj, 7).decode(), finished_form(obj, 7))


def test_decoding_gives_each_reader_its_own_copy() -> None:
    finished = StoredObject.from_object("k", {"metadata": {"labels": {"a": "b"}}}, 7)
    finished.decode()["metadata"]["labels"]["a"] = "changed"
    assert finished.decode()["metadata"]["labels"] == {"a": "b"}


def test_objects_without_labels_share_nothing_that_can_be_changed_by_accident() -> None:
    assert StoredObject.from_object("k", {"metadata": {"labels": None}}, 7).labels == {}
    assert StoredObject.from_object("k", {"metadata": {"labels": {"a": "b"}}}, 7).labels == {"a": "b"}


def test_the_uid_is_empty_where_there_is_none() -> None:
    assert StoredObject.from_object("k", {}, 7).uid == ""
    assert StoredObject.from_object("k", {"metadata": {"uid": "u"}}, 7).uid == "u"


def test_a_null_uid_is_no_uid() -> None:
    assert StoredObject.from_object("k", {"metadata": {"uid": None}}, 7).uid == ""


@pytest.mark.parametrize(("field", "odd"), [("kind", 'a"b'), ("kind", "}"), ("apiVersion", "a\\b")])
async def test_an_odd_kind_is_stored_and_read(field: str, odd: str) -> None:
    backend = MemoryBackend()
    created = await create(CertainWrites(backend), "k", {field: odd}, ttl=None)
    found = (await backend.get("k")).kv
    assert found is not None
    assert created.data == StoredObject.from_stored("k", found.value, found.revision).data
    assert created.decode()[field] == odd


@pytest.mark.parametrize(("field", "odd"), [("kind", None), ("kind", 5), ("apiVersion", ["v1"]), ("apiVersion", None)])
async def test_a_kind_that_is_no_text_is_refused_before_it_is_written(field: str, odd: Any) -> None:
    backend = MemoryBackend()
    with pytest.raises(InvalidObject):
        await create(CertainWrites(backend), "k", {field: odd}, ttl=None)
    assert await backend.current_revision() == 1


def nested(depth: int) -> JSONObject:
    obj: JSONObject = {}
    for _ in range(depth):
        obj = {"a": obj}
    return obj


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param({"spec": 2**64}, id="an integer beyond 64 bits"),
        pytest.param({"spec": "\ud800"}, id="a lone surrogate"),
        pytest.param({"spec": {1: "a"}}, id="a key that is no text"),
        pytest.param({"spec": b"a"}, id="bytes"),
        pytest.param({"spec": nested(300)}, id="more levels than the encoder takes"),
        pytest.param({"metadata": ["a"]}, id="metadata that is a list"),
        pytest.param({"metadata": "a"}, id="metadata that is text"),
    ],
)
async def test_what_json_cannot_hold_is_refused_before_it_is_written(obj: JSONObject) -> None:
    backend = MemoryBackend()
    with pytest.raises(InvalidObject):
        await create(CertainWrites(backend), "k", obj, ttl=None)
    assert await backend.current_revision() == 1


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_json_has_no_word_for_is_refused(number: float) -> None:
    with pytest.raises(InvalidObject):
        encode({"spec": number})
    with pytest.raises(InvalidObject):
        encode({"metadata": {"a": [None, {"b": number}]}})
    assert encode({"spec": None}).endswith(b'"spec":null}')


@pytest.mark.parametrize("labels", [5, "a", ["a"], {"a": 5}, {"a": None}, {"a": "b", "c": 1}])
def test_labels_that_are_no_texts_select_like_none_and_stay_as_they_are(labels: Any) -> None:
    finished = StoredObject.from_object("k", {"metadata": {"labels": labels}}, 7)
    assert finished.labels == {}
    assert finished.decode()["metadata"]["labels"] == labels


@given(st.integers(2, 253))
@example(253)
def test_an_object_of_many_levels_survives(depth: int) -> None:
    obj = {"spec": nested(depth - 2)}
    assert decode("k", encode(obj))["spec"] == obj["spec"]
