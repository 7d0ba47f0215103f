"""The rules of the wire, each by bytes that were written down by hand."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apimachinery.schema import Node, Property
from localplane.apimachinery.schema.structs.codecs import (
    DURATION,
    INT_OR_STRING,
    MICRO_TIME,
    QUANTITY,
    RAW_JSON,
    TIME,
    Codec,
)
from localplane.apimachinery.serializers.errors import ProtobufError, SerializationError
from localplane.apimachinery.serializers.protobuf import (
    encoded,
    frame,
    has_message,
    head,
    message_writer,
    object_node,
    opened,
    read_message,
    status,
    unframed,
)

TEXT, NUMBER, INT32 = Node(type="string"), Node(type="integer", format="int64"), Node(type="integer", format="int32")
FLAG, DOUBLE, BYTES = Node(type="boolean"), Node(type="number"), Node(type="string", format="byte")
TEXTS, NUMBERS, MAP = Node(type="array", items=TEXT), Node(type="array", items=NUMBER), Node(type="object", values=TEXT)


def codec(kind: Codec) -> Node:
    return Node(codec=kind)


def struct(name: str = "v1.Thing", **properties: Property) -> Node:
    return Node(type="object", go_type=name, properties=properties)


def single(node: Node, **more: Any) -> Node:
    """A message with one field, `f`, of number 1."""
    return struct(f=Property(node=node, protobuf={"n": 1} | more.pop("protobuf", {}), **more))


INNER = struct(a=Property(node=TEXT, protobuf={"n": 1}))
SCHEMA = struct("v1.JSONSchemaProps")
SCHEMA.properties |= {
    "type": Property(node=TEXT, protobuf={"n": 5}),
    **{
        name: Property(node=Node(name=f"x.v1.JSONSchemaPropsOr{which}"), pointer=True, protobuf={"n": number})
        for name, which, number in (("items", "Array", 1), ("additional", "Bool", 2), ("dependency", "StringArray", 3))
    },
}


@pytest.mark.parametrize(
    ("node", "obj", "message"),
    [
        pytest.param(single(TEXT), {}, "0a00", id="an empty text is written"),
        pytest.param(single(TEXT), {"f": "hé"}, "0a0368c3a9", id="a text is UTF-8"),
        pytest.param(single(TEXT, pointer=True), {}, "", id="a pointer to nothing is not written"),
        pytest.param(single(TEXT, pointer=True), {"f": ""}, "0a00", id="a pointer to zero is written"),
        pytest.param(single(NUMBER), {}, "0800", id="zero is written"),
        pytest.param(single(NUMBER), {"f": 300}, "08ac02", id="a varint of two bytes"),
        pytest.param(single(INT32), {"f": -1}, "08ffffffffffffffffff01", id="a negative int32 takes ten bytes"),
        pytest.param(single(FLAG), {"f": True}, "0801", id="a boolean is a varint"),
        pytest.param(single(FLAG, pointer=True), {"f": False}, "0800", id="a pointer to false"),
        pytest.param(single(DOUBLE, pointer=True), {"f": 0.5}, "09000000000000e03f", id="a double has eight bytes"),
        pytest.param(single(DOUBLE, pointer=True), {"f": 2}, "090000000000000040", id="a whole number stays one"),
        pytest.param(single(TEXT, protobuf={"n": 17}), {"f": "x"}, "8a010178", id="a key of two bytes"),
        pytest.param(single(BYTES), {}, "", id="no bytes are not written"),
        pytest.param(single(BYTES, emit="null"), {"f": ""}, "0a00", id="empty bytes are"),
        pytest.param(single(BYTES), {"f": "AAEC"}, "0a03000102", id="bytes are base64 in JSON alone"),
        pytest.param(single(TEXTS), {}, "", id="an empty list is nothing"),
        pytest.param(single(TEXTS), {"f": ["a", ""]}, "0a01610a00", id="a list is repeated"),
        pytest.param(single(NUMBERS), {"f": [1, 300]}, "080108ac02", id="numbers are not packed"),
        pytest.param(single(MAP), {"f": {"b": "2", "a": ""}}, "0a050a016112000a060a0162120132", id="maps are sorted"),
        pytest.param(
            single(INNER), {"f": {}}, "0a020a00", id="an empty message within is written, and so are its zeros"
        ),
        pytest.param(single(INNER, pointer=True), {}, "", id="no message within"),
        pytest.param(single(codec(TIME)), {}, "0a00", id="no time is a message without anything"),
        pytest.param(single(codec(TIME)), {"f": "1970-01-01T00:00:00Z"}, "0a0408001000", id="the epoch is a time"),
        pytest.param(single(codec(TIME)), {"f": "2001-09-09T01:46:40Z"}, "0a08088094ebdc031000", id="a time"),
        pytest.param(
            single(codec(MICRO_TIME)), {"f": "1970-01-01T00:00:01.000002Z"}, "0a05080110d00f", id="microseconds"
        ),
        pytest.param(single(codec(DURATION)), {"f": "1m0s"}, "0a070880b09dc2df01", id="a duration"),
        pytest.param(single(codec(QUANTITY)), {"f": "100m"}, "0a060a043130306d", id="a quantity is its text"),
        pytest.param(single(codec(INT_OR_STRING)), {"f": 80}, "0a06080010501a00", id="a number, not a text"),
        pytest.param(
            single(codec(INT_OR_STRING)), {"f": "http"}, "0a0a080110001a0468747470", id="a text, not a number"
        ),
        pytest.param(single(codec(RAW_JSON)), {}, "0a00", id="no JSON"),
        pytest.param(
            single(codec(RAW_JSON)), {"f": {"a": [1]}}, "0a0b0a097b2261223a5b315d7d", id="JSON is kept as text"
        ),
        pytest.param(
            single(TEXTS, emit="null", protobuf={"n": 1, "t": "meta/v1.Verbs"}),
            {"f": ["get"]},
            "0a050a03676574",
            id="a list that is a message",
        ),
        pytest.param(
            single(TEXTS, emit="null", protobuf={"n": 1, "t": "meta/v1.Verbs"}), {"f": []}, "0a00", id="and is empty"
        ),
        pytest.param(
            single(Node(type="object", values=TEXTS)), {"f": {"k": ["v"]}}, "0a080a016b12030a0176", id="in a map"
        ),
        pytest.param(SCHEMA, {"type": "x", "additional": False}, "120208002a0178", id="a boolean for a schema"),
        pytest.param(
            SCHEMA, {"additional": {"type": "x"}, "type": "y"}, "1207080112032a01782a0179", id="a schema is allowed"
        ),
        pytest.param(SCHEMA, {"items": {"type": "x"}, "type": "y"}, "0a050a032a01782a0179", id="a schema for items"),
        pytest.param(
            SCHEMA,
            {"items": [{"type": "x"}, {"type": "z"}], "type": "y"},
            "0a0a12032a017812032a017a2a0179",
            id="schemas for items",
        ),
        pytest.param(
            SCHEMA, {"dependency": ["p", "q"], "type": "y"}, "1a061201701201712a0179", id="names for a schema"
        ),
        pytest.param(
            struct(
                label=Property(node=TEXT, protobuf={"n": 1}),
                port=Property(node=NUMBER, pointer=True, protobuf={"n": 1, "via": [2]}),
                deep=Property(node=TEXT, protobuf={"n": 3, "via": [2, 2]}),
            ),
            {"label": "a", "port": 1, "deep": "d"},
            "0a0161" + "1207" + "0801" + "1203" + "1a0164",
            id="fields of inline messages stand beside their parent's in JSON",
        ),
    ],
)
def test_an_object_and_its_message(node: Node, obj: dict[str, Any], message: str) -> None:
    assert message_writer(node)(obj).hex() == message
    assert read_message(node, bytes.fromhex(message)) == obj


@pytest.mark.parametrize(
    ("node", "message", "obj"),
    [
        pytest.param(single(NUMBERS), "0a0301ac02", {"f": [1, 300]}, id="packed numbers are read"),
        pytest.param(single(TEXT), "0a01610a0162", {"f": "b"}, id="a text that comes again replaces"),
        pytest.param(single(TEXT), "0a01610a00", {}, id="even by nothing"),
        pytest.param(
            single(
                struct(a=Property(node=TEXT, protobuf={"n": 1}), b=Property(node=TEXT, protobuf={"n": 2})),
                pointer=True,
            ),
            "0a030a01610a03120162",
            {"f": {"a": "a", "b": "b"}},
            id="a message that comes again is merged",
        ),
        pytest.param(single(MAP), "0a030a0161", {"f": {"a": ""}}, id="a map's value may be missing"),
        pytest.param(
            single(TEXT),
            "0a0161" + "1001" + "1a0162" + "21" + "00" * 8 + "2d00000000" + "330801" + "34",
            {"f": "a"},
            id="unknown fields",
        ),
        pytest.param(single(TEXT), "0a02ff61", {"f": "\ufffda"}, id="what is no UTF-8 becomes readable"),
        pytest.param(single(INT32), "08ffffffff0f", {"f": -1}, id="a number is cut to its size"),
        pytest.param(single(TEXT, emit="always"), "0a00", {"f": ""}, id="what is always in JSON stays"),
        pytest.param(single(TEXT), "0a00", {}, id="what JSON leaves out goes"),
        pytest.param(single(codec(DURATION)), "0a00", {"f": "0s"}, id="no duration is none at all"),
        pytest.param(
            single(codec(TIME)), "0a06080110c0843d", {"f": "1970-01-01T00:00:01Z"}, id="a time has no fraction"
        ),
    ],
)
def test_what_others_write_is_read(node: Node, message: str, obj: dict[str, Any]) -> None:
    assert read_message(node, bytes.fromhex(message)) == obj


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ("0a05", "unexpected EOF"),
        ("0a", "unexpected EOF"),
        ("08" + "ff" * 11, "proto: wrong wireType = 0 for field F"),
        ("0a" + "ff" * 11, "proto: integer overflow"),
        ("0affffffffffffffffff01", "proto: negative length found during unmarshaling"),
        ("0c", "proto: Thing: wiretype end group for non-group"),
        ("0200", "proto: Thing: illegal tag 0 (wire type 2)"),
        ("16", "proto: illegal wireType 6"),
    ],
)
def test_a_broken_message_is_told_in_go_s_words(message: str, error: str) -> None:
    with pytest.raises(ProtobufError) as refused:
        read_message(single(TEXT), bytes.fromhex(message))
    assert str(refused.value) == error


def test_a_message_within_itself_without_end_is_refused_and_no_more() -> None:
    node = struct()
    node.properties["f"] = Property(node=node, pointer=True, protobuf={"n": 1})
    message = b""
    for _ in range(5000):
        message = b"\x0a" + _length(message) + message
    with pytest.raises(ProtobufError):
        read_message(node, message)


def _length(message: bytes) -> bytes:
    size, pieces = len(message), bytearray()
    while size > 0x7F:
        pieces.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes(pieces) + bytes((size,))


@given(st.binary(max_size=60))
def test_whatever_the_bytes_are_only_a_serialization_error_comes_out(data: bytes) -> None:
    for node in (status(), SCHEMA, single(codec(RAW_JSON)), single(codec(QUANTITY)), single(codec(TIME)), single(MAP)):
        with suppress(SerializationError):
            read_message(node, data)
    with suppress(SerializationError):
        opened(b"k8s\x00" + data)


def test_a_body_is_magic_and_an_envelope_that_says_the_kind() -> None:
    body = encoded(object_node(INNER), {"kind": "T", "apiVersion": "g/v1", "a": "x"})
    assert body[:4] == b"k8s\x00"
    assert body[4:15].hex() == "0a090a04672f7631120154"
    assert body[-4:].hex() == "1a002200"
    envelope = opened(body)
    assert (envelope.api_version, envelope.kind) == ("g/v1", "T")
    assert envelope.message == message_writer(object_node(INNER))({"a": "x"})


def test_an_empty_envelope_says_nothing() -> None:
    envelope = opened(b"k8s\x00" + bytes.fromhex("12020a00"))
    assert (envelope.api_version, envelope.kind, envelope.message) == ("", "", b"\x0a\x00")


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"", "empty data"),
        (b"{}", "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"),
        (b"k8s\x00", "empty body"),
        (b"k8s\x00\x12", "unexpected EOF"),
    ],
)
def test_what_has_no_envelope_is_refused(body: bytes, error: str) -> None:
    with pytest.raises(ProtobufError) as refused:
        opened(body)
    assert str(refused.value) == error


def test_a_frame_is_a_length_and_an_event_with_a_whole_body_in_it() -> None:
    opening = head("v1", "T")
    stream = b"".join(frame("ADDED", opening, b"\x0a\x00")) + b"more"
    event, rest = unframed(stream)
    assert rest == b"more"
    body = opening + b"\x02\x0a\x00" + bytes.fromhex("1a002200")
    assert event == b"\x0a\x05ADDED\x12" + bytes((len(body) + 2,)) + b"\x0a" + bytes((len(body),)) + body


def test_an_object_declared_without_metadata_has_it_first() -> None:
    node = object_node(struct(a=Property(node=TEXT, protobuf={"n": 2})))
    message = message_writer(node)({"metadata": {"name": "x"}, "a": "y"})
    assert read_message(node, message) == {"metadata": {"name": "x"}, "a": "y"}
    assert message.startswith(b"\x0a")
    assert message.endswith(b"\x12\x01y")


def test_without_numbers_there_is_no_message() -> None:
    assert has_message(INNER)
    assert not has_message(struct(a=Property(node=TEXT)))
    assert not has_message(Node(notes={"protobuf": False}, loader=lambda _: None))
