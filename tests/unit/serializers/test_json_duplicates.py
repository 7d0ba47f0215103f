from __future__ import annotations

import json

import orjson
import pytest

from localplane.apimachinery.serializers import parse_json
from localplane.apimachinery.serializers.json_scanner import Scanner


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        (b'{"metadata":{"name":"a","name":"b"}}', ["metadata.name"]),
        (b'{"data":{"k":"1","k":"2"}}', ["data.k"]),
        (b'{"a":{"b":1,"b":2},"l":[0,{"x":1,"x":2}],"a":1}', ["a.b", "l[1].x", "a"]),
        (b'{"a":1,"a":{"b":1,"b":2}}', ["a", "a.b"]),
        (b'{"a":1,"a":2,"a":3}', ["a"]),
        (b'[{"a":1,"a":2}]', ["[0].a"]),
        (b'{"a\\n":1,"a\\u000a":2}', ["a\\n"]),
        (b'{"\xff":1,"\xfe":2}', ["\ufffd"]),
        (b'{"":1,"":2}', [""]),
    ],
)
def test_a_key_that_comes_twice_is_reported_with_its_path_and_the_last_counts(body: bytes, paths: list[str]) -> None:
    parsed = parse_json(body, find_duplicates=True)
    assert parsed.duplicates == parsed.strict == tuple(f'duplicate field "{path}"' for path in paths)
    scanner = Scanner(body)
    assert scanner.document() == parsed.value
    assert scanner.duplicates == parsed.duplicates


def test_duplicates_are_looked_for_only_when_asked() -> None:
    assert parse_json(b'{"a":1,"a":2}').duplicates == ()
    assert parse_json(b'{"a":1,"a":2}').value == {"a": 2}


OBJECT = {"kind": "A", "data": {"k": 'a <b> & "c":', "kind": "é", "n": 1.5}, "l": [{"kind": 1}, {"kind": 2}]}


@pytest.mark.parametrize(
    "body",
    [
        orjson.dumps(OBJECT),
        orjson.dumps(OBJECT) + b"\n",
        orjson.dumps(OBJECT, option=orjson.OPT_INDENT_2),
        json.dumps(OBJECT).encode(),
        orjson.dumps(OBJECT).replace(b"<", b"\\u003c").replace(b">", b"\\u003e").replace(b"&", b"\\u0026"),
    ],
)
def test_no_form_of_an_object_without_duplicates_looks_like_it_had_some(body: bytes) -> None:
    assert parse_json(body, find_duplicates=True).duplicates == ()


def test_no_more_than_a_hundred_duplicates_are_reported() -> None:
    body = b"{" + b",".join(b'"k%d":1,"k%d":2' % (n, n) for n in range(200)) + b"}"
    assert len(parse_json(body, find_duplicates=True).duplicates) == 100
    assert len(Scanner(body).duplicates) == 0
    scanner = Scanner(body)
    scanner.document()
    assert len(scanner.duplicates) == 100
