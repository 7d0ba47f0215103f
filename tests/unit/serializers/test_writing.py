from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from localplane.apimachinery.serializers import go_untyped, parse_json, parse_yaml, to_json, to_yaml

RECORDED: list[tuple[Any, str]] = json.loads((Path(__file__).parent / "recorded" / "output.json").read_text())


def nested(depth: int) -> Any:
    value: Any = "x"
    for level in range(depth):
        value = [value] if level % 2 else {"k": value}
    return value


@pytest.mark.parametrize(("value", "text"), RECORDED)
def test_yaml_looks_as_kubectl_writes_it(value: Any, text: str) -> None:
    assert to_yaml(value).decode() == text


def test_yaml_of_a_status_is_what_a_server_sent() -> None:
    status = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": 'configmaps "y" not found',
        "reason": "NotFound",
        "details": {"name": "y", "kind": "configmaps"},
        "code": 404,
    }
    assert to_yaml(status).decode() == (
        'apiVersion: v1\ncode: 404\ndetails:\n  kind: configmaps\n  name: "y"\nkind: Status\n'
        'message: configmaps "y" not found\nmetadata: {}\nreason: NotFound\nstatus: Failure\n'
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null\n"),
        ({}, "{}\n"),
        ([], "[]\n"),
        ("a\nb\n", "|\n  a\n  b\n"),
        ([1.0, 1.5, 1e20, 1234567.5, True], "- 1\n- 1.5\n- 1e+20\n- 1.2345675e+06\n- true\n"),
        ({"b": 1, "a10": 2, "a2": 3, "B": 4, "1": 5}, '"1": 5\nB: 4\na2: 3\na10: 2\nb: 1\n'),
        ({"9" * 5000 + "x": 1, "8" * 5000 + "x": 2}, f"? {'8' * 5000}x\n: 2\n? {'9' * 5000}x\n: 1\n"),
        ({"<<": "<<"}, '"<<": <<\n'),
        ("a\u2028b\x7f\x85", '"a\\Lb\\x7F\\N"\n'),
    ],
)
def test_yaml_of_single_values(value: Any, text: str) -> None:
    assert to_yaml(value).decode() == text


def test_natural_order_compares_zeros_in_numbers() -> None:
    text = to_yaml({"a100": 1, "a20": 2, "a1": 3, "a10": 4}).decode()
    assert text == "a1: 3\na10: 4\na20: 2\na100: 1\n"


def test_json_is_compact_or_pretty() -> None:
    value = {"b": [1, {"c": []}], "a": "é<"}
    assert to_json(value) == '{"b":[1,{"c":[]}],"a":"é<"}'.encode()
    assert to_json(value, pretty=True) == json.dumps(value, indent=2, ensure_ascii=False).encode()
    assert to_json(value, pretty=True, indent=4) == json.dumps(value, indent=4, ensure_ascii=False).encode()
    assert to_json(value, sort_keys=True).startswith('{"a":"é<"'.encode())
    assert to_json("<a>&\u2028", html_safe=True) == b'"\\u003ca\\u003e\\u0026\\u2028"'


@pytest.mark.parametrize("depth", [254, 255, 9_999])
def test_depth_is_no_obstacle_to_writing(depth: int) -> None:
    value = nested(depth)
    body = to_json(value)
    assert body.count(b"[") + body.count(b"{") == depth
    assert to_json(parse_json(body).value) == body
    assert to_json(value, pretty=True)
    if depth < 1000:  # indentation makes a document as large as its depth squared
        assert to_json(parse_yaml(to_yaml(value)).value) == body


def test_whole_numbers_of_any_size_are_written() -> None:
    assert to_json({"a": 2**64}) == b'{"a":18446744073709551616}'
    assert to_yaml([2**64]) == b"- 1.8446744073709552e+19\n"


def test_numbers_without_a_type_are_what_go_would_store() -> None:
    value = go_untyped({"a": 1.0, "b": [1e3, 2**63, 1.5, True, None, "1.0"], "c": {"d": -0.0}})
    assert value == {"a": 1, "b": [1000, 9223372036854776000, 1.5, True, None, "1.0"], "c": {"d": 0}}
    assert type(value["a"]) is int
    assert type(value["b"][1]) is int
    assert go_untyped(2.0) == 2


@pytest.mark.parametrize("before", ["", "line\n", 'said "so" '])
def test_a_text_of_ascii_is_quoted_as_one_beside_another_letter(before: str) -> None:
    """They are looked at in two ways, of which one is quick."""
    for code in range(128):
        text = f"{before}a{chr(code)}b"
        assert to_yaml(text).decode() == to_yaml(f"{text}é").decode().replace("é", ""), ascii(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [("1" * 18, int("1" * 18)), ("9" * 19, int("9" * 19)), ("9" * 20, float("9" * 20)), ("1_000", 1000), ("١٢", "١٢")],
)
def test_a_number_is_one_however_long_it_is(text: str, value: object) -> None:
    read = parse_yaml(text.encode()).value
    assert (read, type(read)) == (value, type(value))
