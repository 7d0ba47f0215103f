"""Whatever the bytes are: a value, or this package's own exception, soon."""

from __future__ import annotations

import contextlib
import json
import math
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apimachinery.errors import NotAcceptable, UnsupportedMediaType
from localplane.apimachinery.serializers import (
    SerializationError,
    go_untyped,
    parse_json,
    parse_yaml,
    parse_yaml_documents,
    to_json,
    to_yaml,
    type_meta,
)
from localplane.apimachinery.serializers.json_scanner import Scanner
from localplane.apimachinery.serializers.media_types import JSON, YAML, check_route, negotiate, negotiate_input

FRAGMENTS = [
    b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b" ", b"\n", b"\t", b"-", b"- ", b"? ", b": ", b"a", b"1", b"0",
    b".", b"e", b"&a ", b"*a", b"<<: ", b"!!int ", b"!!binary ", b"|", b">", b"#", b"'", b"~", b"---\n", b"...", b"%",
    b'"\\ud800"', b"\xff", b"\xc3\xa9", b"\xef\xbb\xbf", b"\x00", b"true", b"null", b"1e400", b".inf", b'"k":', b"\r\n",
]  # fmt: skip
bodies = st.one_of(
    st.binary(max_size=200),
    st.lists(st.sampled_from(FRAGMENTS), max_size=40).map(b"".join),
    st.text(max_size=100).map(lambda text: text.encode("utf-8", "surrogatepass")),
)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner)
    ),
    max_leaves=20,
)


def outcome(parse: Any, body: bytes) -> tuple[str, Any]:
    try:
        return "value", parse(body)
    except SerializationError as error:
        return type(error).__name__, str(error)


@given(bodies)
def test_the_fast_json_parser_and_the_patient_one_agree(body: bytes) -> None:
    fast = outcome(lambda data: parse_json(data, find_duplicates=True).value, body)
    assert fast == outcome(lambda data: Scanner(data).document(), body)
    if fast[0] == "value":
        json.dumps(fast[1], allow_nan=False).encode()
        with contextlib.suppress(SerializationError):
            type_meta(fast[1])


@given(values, st.booleans(), st.data())
def test_a_damaged_json_body_has_the_same_fault_for_both(value: Any, ascii_only: bool, data: st.DataObject) -> None:  # noqa: FBT001 - drawn
    body = bytearray(json.dumps(value, ensure_ascii=ascii_only).encode())
    position = data.draw(st.integers(0, len(body) - 1))
    body[position : position + data.draw(st.integers(0, 2))] = data.draw(st.sampled_from(FRAGMENTS))
    damaged = bytes(body)
    assert outcome(lambda raw: parse_json(raw).value, damaged) == outcome(lambda raw: Scanner(raw).document(), damaged)


@given(bodies)
def test_any_bytes_are_yaml_or_a_yaml_error(body: bytes) -> None:
    kind, value = outcome(lambda data: parse_yaml(data, find_duplicates=True).value, body)
    if kind == "value":
        json.dumps(value, allow_nan=False).encode()
    outcome(lambda data: list(parse_yaml_documents(data)), body)


def _exact(value: Any) -> Any:
    """What a number is after Go has written it."""
    return go_untyped(json.loads(json.dumps(value)))


@given(values)
def test_what_is_written_is_read_again(value: Any) -> None:
    assert parse_json(to_json(value)).value == value
    assert parse_json(to_json(value, pretty=True, indent=4)).value == value
    again = go_untyped(parse_yaml(to_yaml(value)).value)
    assert _close(again, _exact(value))


def _close(left: Any, right: Any) -> bool:
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_close(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_close, left, right))
    if isinstance(left, float) or isinstance(right, float):
        return math.isclose(left, right, rel_tol=1e-12)
    return bool(left == right)


@given(st.text(max_size=200))
def test_any_header_is_understood_or_refused(header: str) -> None:
    with contextlib.suppress(NotAcceptable):
        negotiate(header, (JSON, YAML))
    with contextlib.suppress(NotAcceptable):
        check_route(header, ["application/json"])
    with contextlib.suppress(UnsupportedMediaType):
        negotiate_input(header, (JSON, YAML))


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 3_000_000,
        b"[" + b"0," * 1_500_000,
        b'"' + b"\xff" * 3_000_000,
        b"[" + b"[0]," * 700_000 + b"x",
        b"{" + b'"a":1,' * 500_000 + b'"a":1}',
        b"1" * 3_000_000,
        b"[" + b"1e400," * 400_000 + b"1]",
    ],
    ids=["brackets", "zeros", "not-utf8", "arrays", "duplicates", "digits", "infinities"],
)
def test_three_megabytes_of_bad_json_take_seconds_at_most(body: bytes) -> None:
    started = time.process_time()
    outcome(lambda data: parse_json(data, find_duplicates=True), body)
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 3_000_000,
        b"- " * 1_500_000,
        b"? " * 1_500_000,
        b'"' + b"a" * 3_000_000,
        b"1" + b"_" * 3_000_000,
        b"a: &a [" + b"x," * 9 + b"]\n" + b"".join(b"b%d: [*a,*a]\n" % n for n in range(20_000)),
    ],
    ids=["brackets", "dashes", "keys", "quote", "underscores", "aliases"],
)
def test_megabytes_of_bad_yaml_take_seconds_at_most(body: bytes) -> None:
    started = time.process_time()
    outcome(lambda data: parse_yaml(data, find_duplicates=True), body)
    assert time.process_time() - started < 8
