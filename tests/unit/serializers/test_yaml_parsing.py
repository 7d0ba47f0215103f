"""YAML means what it means to kubectl. The files in `recorded` are answers of kubectl 1.32."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml

from localplane.apimachinery.serializers import Parsed, YAMLError, go_untyped, parse_yaml

RECORDED = Path(__file__).parent / "recorded"
SCALARS: list[tuple[str, Any]] = orjson.loads((RECORDED / "scalars.json").read_bytes())
DOCUMENTS: list[tuple[str, dict[str, Any]]] = orjson.loads((RECORDED / "documents.json").read_bytes())


@pytest.mark.parametrize(("text", "value"), SCALARS)
def test_a_scalar_is_what_kubectl_makes_of_it(text: str, value: Any) -> None:
    ours = go_untyped(parse_yaml(f"k: {text}").value)["k"]
    assert ours == value
    assert type(ours) is type(value)


@pytest.mark.parametrize(("text", "expected"), DOCUMENTS)
def test_a_document_is_what_kubectl_makes_of_it(text: str, expected: dict[str, Any]) -> None:
    if "error" in expected:
        with pytest.raises(YAMLError) as fault:
            parse_yaml(text)
        assert str(fault.value) == expected["error"]
    else:
        value = go_untyped(parse_yaml(text).value)
        assert {key: value[key] for key in value if key not in ("apiVersion", "kind", "metadata")} == expected["value"]


def test_enough_was_recorded() -> None:
    assert len(SCALARS) + len(DOCUMENTS) > 200


def duplicates(text: str) -> Parsed:
    return parse_yaml(text, find_duplicates=True)


def test_a_key_that_comes_twice_is_reported_with_the_line_of_its_second_value() -> None:
    parsed = duplicates("kind: A\nmetadata:\n  labels: {}\n  name: a\n  name: b\ndata: {a: 1, a: 2}\n")
    assert parsed.value == {"kind": "A", "metadata": {"labels": {}, "name": "b"}, "data": {"a": 2}}
    assert parsed.duplicates == ('line 5: key "name" already set in map', 'line 6: key "a" already set in map')
    assert parsed.strict == (
        'yaml: unmarshal errors:\n  line 5: key "name" already set in map\n  line 6: key "a" already set in map',
    )


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a: 1\nb: 2\n", []),
        ("1: a\n'1': b\n", []),
        ("1: a\n0x1: b\n", ["line 2: key 1 already set in map"]),
        ("yes: a\ntrue: b\n", ["line 2: key true already set in map"]),
        ("x: &x {a: 1}\ny:\n  <<: *x\n  a: 2\n", ['line 4: key "a" already set in map']),
        ("y:\n  a: 2\n  <<:\n    a: 1\n", ['line 4: key "a" already set in map']),
        ("x: &x {a: 1, a: 2}\ny: *x\n", ['line 1: key "a" already set in map'] * 2),
    ],
)
def test_what_counts_as_the_same_key(text: str, lines: list[str]) -> None:
    assert list(duplicates(text).duplicates) == lines


def test_duplicates_are_looked_for_only_when_asked() -> None:
    assert parse_yaml("a: 1\na: 2\n") == Parsed({"a": 2})


def test_only_the_first_document_counts() -> None:
    assert parse_yaml("a: 1\n---\nb: ]\n").value == {"a": 1}
    assert parse_yaml(b"").value is None
    assert parse_yaml(b"# nothing\n").value is None


def test_each_alias_has_a_value_of_its_own() -> None:
    value = parse_yaml("a: &a {l: [1]}\nb: *a\nc: *a\n").value
    value["b"]["l"].append(2)
    assert value == {"a": {"l": [1]}, "b": {"l": [1, 2]}, "c": {"l": [1]}}


def test_repetitions_are_allowed_up_to_a_ratio() -> None:
    few = "a: &a [" + "x," * 50 + "]\nb: [" + "*a," * 20 + "]\n"
    assert len(parse_yaml(few).value["b"]) == 20
    many = "a: &a [" + "x," * 2000 + "]\nb: [" + "*a," * 190 + "]\n"
    with pytest.raises(YAMLError, match=r"^yaml: document contains excessive aliasing$"):
        parse_yaml(many)


@pytest.mark.parametrize("opening", ["[", "{", "- ", "? ", "a:\n" + " "])
def test_depth_has_an_end(opening: str) -> None:
    text = opening * 1001 if "\n" not in opening else "\n".join(" " * n + "a:" for n in range(1002))
    with pytest.raises(YAMLError, match="exceeded max depth of 1000"):
        parse_yaml(text)


def test_a_thousand_levels_are_read() -> None:
    value = parse_yaml("[" * 1000 + "]" * 1000).value
    for _ in range(999):
        (value,) = value
    assert value == []


def test_yaml_1_2_is_refused_as_kubernetes_refuses_it() -> None:
    with pytest.raises(YAMLError, match=r"^yaml: found incompatible YAML document$"):
        parse_yaml("%YAML 1.2\n---\na: 1\n")


def test_bytes_may_be_utf_16_but_must_be_something() -> None:
    assert parse_yaml("k: é".encode("utf-16")).value == {"k": "é"}
    with pytest.raises(YAMLError, match=r"^yaml: invalid leading UTF-8 octet$"):
        parse_yaml(b"k: \xff")
    with pytest.raises(YAMLError):
        parse_yaml("k: \ud800")


def test_numbers_are_those_of_the_json_that_go_would_have_written() -> None:
    value = parse_yaml("[1.0, 1e3, 1.5, 9223372036854775808, 1e20, -0.0]").value
    assert value == [1, 1000, 1.5, 2**63, 1e20, 0]
    assert [type(item) for item in value] == [int, int, float, int, float, int]


def test_without_libyaml_the_same_comes_more_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    assert parse_yaml("a: [1, y, 0o7]\nb: &b {c: d}\ne: *b\n").value == {
        "a": [1, True, 7],
        "b": {"c": "d"},
        "e": {"c": "d"},
    }
    with pytest.raises(YAMLError, match=r"^yaml: mapping values are not allowed in this context$"):
        parse_yaml("a: b: c")
    with pytest.raises(YAMLError, match=r"^yaml: control characters are not allowed$"):
        parse_yaml("a: \x01")
