"""Bytes that somebody else wrote: read if they are an object, CorruptObject if not, and nothing else ever."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.storage.errors import CorruptObject
from localplane.apiserver.storage.objects import StoredObject, encode
from tests.unit.storage.samples import config_map, encoded, objects, same_json, without_repeated_keys


def read(value: bytes) -> StoredObject:
    return StoredObject.from_stored("/registry/configmaps/default/a", value, 7)


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b" ",
        b"null",
        b"5",
        b'"text"',
        b"[]",
        b"[{}]",
        b"{",
        b"{}{}",
        b"{} x",
        b"\x00 no object",
        b"\xff\xfe{\x00}\x00",
        b"\xef\xbb\xbf{}",
        b'{"a":"\xff"}',
        b'{"a":"\xed\xa0\x80"}',
        b'{"a":"\\ud800"}',
        b'{"a":NaN}',
        b'{"a":1e400}',
        b"{'a':1}",
        b'{"a":1,}',
        b'{"metadata":[1]}',
        b'{"metadata":"text"}',
        b'{"metadata":1}',
        b'{"a":' * 100_000,
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        b"k8s\x00\n\x0c\n\x02v1\x12\x06Secret",
    ],
)
def test_what_is_no_object_is_corrupt(value: bytes) -> None:
    with pytest.raises(CorruptObject) as raised:
        read(value)
    assert raised.value.key == "/registry/configmaps/default/a"


@given(st.binary(max_size=40) | st.text(alphabet='{}[]":,\\ metadnk0', max_size=40).map(str.encode))
def test_any_bytes_are_an_object_or_corrupt(value: bytes) -> None:
    try:
        finished = read(value)
    except CorruptObject:
        return
    assert json.loads(finished.data)["metadata"]["resourceVersion"] == "7"


@given(objects, st.data())
def test_truncated_bytes_are_corrupt(obj: JSONObject, data: st.DataObject) -> None:
    value = encode(obj)
    with pytest.raises(CorruptObject):
        read(value[: data.draw(st.integers(0, len(value) - 1))])


@given(st.integers(0, len(encoded("a", app="b")) - 1), st.integers(0, 255).filter(lambda byte: byte != ord("\\")))
def test_a_flipped_byte_never_makes_invalid_answers(at: int, byte: int) -> None:
    value = bytearray(encoded("a", app="b"))
    value[at] = byte
    try:
        finished = read(bytes(value))
    except CorruptObject:
        return
    assert without_repeated_keys(finished.data)["metadata"]["resourceVersion"] == "7"


@given(objects, st.sampled_from([None, 0, 2, "\t"]), st.booleans())
def test_an_object_in_another_spelling_is_the_same_object(
    obj: JSONObject,
    indent: int | str | None,
    ascii_only: bool,  # noqa: FBT001 - drawn by Hypothesis
) -> None:
    spelled = read(json.dumps(obj, indent=indent, ensure_ascii=ascii_only).encode())
    assert same_json(spelled.decode(), StoredObject.from_object("k", obj, 7).decode())


@pytest.mark.parametrize(
    "value",
    [
        b'{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"3"}}',
        b'{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","selfLink":"/api/v1"}}',
        b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}',
        b'{ "kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}',
        json.dumps({"metadata": {"name": "a"}, "kind": "ConfigMap", "apiVersion": "v1"}, indent=2).encode(),
    ],
)
def test_bytes_that_are_not_canonical_ask_to_be_written_again(value: bytes) -> None:
    finished = read(value)
    assert finished.stored is None
    assert (
        finished.data
        == b'{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"7"}}'
        == finished.at_revision(7).data
    )


@pytest.mark.parametrize(
    "rest",
    [
        b'"metadata":{"name":"a" ,"b":1}}',
        b'"metadata":{"name":"a","b":1,"a":2}}',
        b'"metadata":{"name":"a"},"z":1,"y":2}',
        b'"metadata":{"name":"a"},"y":1e2}',
        b'"metadata":{"name":"a"},"y":1,"y":2}',
        b'"metadata":{"name":"a"},"y":"\\u0061"}',
        b'"metadata":{"name":"a"},"met\\u0061data":{"name":"a"}}',
    ],
)
def test_bytes_that_only_begin_like_ours_are_made_ours(rest: bytes) -> None:
    """So that a client, which may read a repeated key in another way than we do, never gets to see one."""
    finished = read(b'{"kind":"ConfigMap","apiVersion":"v1",' + rest)
    assert finished.stored is None
    assert finished.data == StoredObject.from_object("k", finished.decode(), 7).data
    assert without_repeated_keys(finished.data)["metadata"]["resourceVersion"] == "7"


@pytest.mark.parametrize("space", [b" ", b"\n", b"\t\r"])
def test_space_inside_empty_metadata_does_not_break_the_answer(space: bytes) -> None:
    finished = read(b'{"kind":"ConfigMap","apiVersion":"v1","metadata":{' + space + b"}}")
    assert json.loads(finished.data)["metadata"] == {"resourceVersion": "7"}


def test_metadata_that_stands_twice_has_a_resource_version_or_is_corrupt() -> None:
    value = b'{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"metadata":{"name":"b"}}'
    try:
        finished = read(value)
    except CorruptObject:
        return
    assert finished.decode()["metadata"]["resourceVersion"] == "7"


@pytest.mark.parametrize(
    "value",
    [
        b'{"kind":null}',
        b'{"kind":5}',
        b'{"kind":"a\\"b"}',
        b'{"kind":{}}',
        b'{"apiVersion":null}',
        b'{"apiVersion":"\\n"}',
    ],
)
def test_an_odd_kind_is_read_or_corrupt(value: bytes) -> None:
    try:
        finished = read(value)
    except CorruptObject:
        return
    assert finished.decode()["metadata"] == {"resourceVersion": "7"}


@pytest.mark.parametrize("levels", [260, 1000])
def test_many_levels_are_read_or_corrupt(levels: int) -> None:
    value = b'{"a":' * levels + b"1" + b"}" * levels
    try:
        finished = read(value)
    except CorruptObject:
        return
    assert finished.decode()["metadata"] == {"resourceVersion": "7"}


@pytest.mark.parametrize("labels", [b"5", b"[1]", b'{"a":5}', b'{"a":null}'])
def test_labels_are_texts_by_name_or_the_object_is_corrupt(labels: bytes) -> None:
    try:
        finished = read(b'{"kind":"Pod","apiVersion":"v1","metadata":{"labels":' + labels + b"}}")
    except CorruptObject:
        return
    assert isinstance(finished.labels, dict)
    assert all(isinstance(value, str) for value in finished.labels.values())


def test_integers_beyond_64_bits_are_read_as_kubernetes_reads_them() -> None:
    assert read(b'{"spec":18446744073709551616}').decode()["spec"] == 2.0**64


def test_what_another_server_wrote_by_the_same_rules_is_taken_as_it_is() -> None:
    value = json.dumps(config_map("a", app="b"), separators=(",", ":")).encode()
    assert read(value).stored == value
