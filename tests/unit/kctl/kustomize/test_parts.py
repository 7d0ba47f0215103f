"""The small rules: images, sources of data, paths, shapes of files."""

from __future__ import annotations

from typing import Any

import pytest

from kctl.kustomize.errors import KustomizeError
from kctl.kustomize.fields.field_specs import split
from kctl.kustomize.fields.paths import parts_of
from kctl.kustomize.generators.data import env_pairs, file_source
from kctl.kustomize.loading.decoder import decode, decode_yaml_strictly
from kctl.kustomize.loading.loader import is_below
from kctl.kustomize.loading.shapes import KUSTOMIZATION, TRANSFORMER_CONFIG
from kctl.kustomize.nodes.emitter import emitted
from kctl.kustomize.nodes.parser import parse
from kctl.kustomize.resources.data_maps import encoded
from kctl.kustomize.transformers.images import split_image
from kctl.kustomize.transformers.values import insert_part


@pytest.mark.parametrize(
    ("image", "parts"),
    [
        ("nginx", ("nginx", "", "")),
        ("nginx:1", ("nginx", "1", "")),
        ("nginx@sha256:a", ("nginx", "", "sha256:a")),
        ("nginx:1@sha256:a", ("nginx", "1", "sha256:a")),
        ("host:5000/app", ("host:5000/app", "", "")),
        ("host:5000/app:v1", ("host:5000/app", "v1", "")),
        ("host:5000/a/b@sha256:x", ("host:5000/a/b", "", "sha256:x")),
    ],
)
def test_a_port_is_no_tag(image: str, parts: tuple[str, str, str]) -> None:
    assert split_image(image) == parts


def test_a_file_source_is_a_path_or_a_key_and_a_path() -> None:
    assert file_source("a/b.txt") == ("b.txt", "a/b.txt")
    assert file_source("k=a/b.txt") == ("k", "a/b.txt")
    for source, problem in (
        ("=a", 'missing key name for file path "a" in source "=a"'),
        ("a=", 'missing file path for key name "a" in source "a="'),
        ("a=b=c", "source \"a=b=c\" key name or file path contains '='"),
    ):
        with pytest.raises(KustomizeError) as caught:
            file_source(source)
        assert str(caught.value) == problem


def test_an_env_file_has_a_pair_in_each_line() -> None:
    data = b"\xef\xbb\xbfA=1\r\n# no\n\n  B=x=y\nC\n"
    assert env_pairs(data) == [("A", b"1"), ("B", b"x=y"), ("C", b"")]


def test_long_secrets_are_in_lines_of_seventy() -> None:
    assert encoded(b"short") == "c2hvcnQ="
    lines = encoded(b"a" * 90).split("\n")
    assert [len(line) for line in lines] == [70, 50, 0]


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("spec.a.b", ["spec", "a", "b"]),
        ("data.a\\.b", ["data", "a.b"]),
        ("metadata.annotations.[example.com/x]", ["metadata", "annotations", "example.com/x"]),
        ("list.[name=a.b].c", ["list", "[name=a.b]", "c"]),
        ("list.0.x", ["list", "0", "x"]),
    ],
)
def test_dots_within_brackets_belong_to_a_part(path: str, parts: list[str]) -> None:
    assert parts_of(path) == parts


def test_a_slash_may_belong_to_a_part() -> None:
    assert split("metadata/annotations/a.b\\/c") == ["metadata", "annotations", "a.b/c"]
    assert split("/a/b") == ["a", "b"]


@pytest.mark.parametrize(
    ("path", "position", "result"),
    [("", 1, "P"), ("/", 1, "/P"), ("pie", 0, "P/pie"), ("/pie", 9, "/pie/P"), ("a/b/c", 1, "a/P/b/c")],
)
def test_a_part_is_put_into_a_path(path: str, position: int, result: str) -> None:
    assert insert_part(path, position, "P") == result


def test_a_directory_is_below_itself_and_the_root() -> None:
    assert is_below("/a/b", "/a/b")
    assert is_below("/a/b", "/")
    assert is_below("/a/b", "/a")
    assert not is_below("/a/bc", "/a/b")


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"foo": 1}, 'json: unknown field "foo"'),
        (
            {"namePrefix": 5},
            "json: cannot unmarshal number into Go struct field Kustomization.namePrefix of type string",
        ),
        (
            {"resources": "a"},
            "json: cannot unmarshal string into Go struct field Kustomization.resources of type []string",
        ),
        (
            {"labels": [{"fields": [{"path": 3}]}]},
            "json: cannot unmarshal number into Go struct field FieldSpec.labels.fields.path of type string",
        ),
        (
            {"vars": [{"objref": {"kind": 5}}]},
            "json: cannot unmarshal number into Go struct field Target.vars.objref.Gvk.kind of type string",
        ),
        (
            {"patches": [{"target": "x"}]},
            "json: cannot unmarshal string into Go struct field Patch.patches.target of type types.Selector",
        ),
        (
            {"replicas": [{"count": 1.5}]},
            "json: cannot unmarshal number 1.5 into Go struct field Replica.replicas.count of type int64",
        ),
        ([1], "json: cannot unmarshal array into Go value of type types.Kustomization"),
    ],
)
def test_a_file_of_another_shape_is_refused_in_the_words_of_go(value: Any, problem: str) -> None:
    with pytest.raises(KustomizeError) as caught:
        decode(value, KUSTOMIZATION, strict=True)
    assert str(caught.value) == problem


def test_names_of_fields_are_read_without_case_and_nulls_are_absent() -> None:
    assert decode({"RESOURCES": ["a", None], "namespace": None}, KUSTOMIZATION, strict=True) == {"resources": ["a", ""]}


def test_a_configuration_with_a_key_twice_is_refused() -> None:
    with pytest.raises(KustomizeError) as caught:
        decode_yaml_strictly(b"images: []\nimages: []\n", TRANSFORMER_CONFIG)
    assert str(caught.value) == (
        'error converting YAML to JSON: yaml: unmarshal errors:\n  line 2: key "images" already set in map'
    )


def test_yaml_is_written_again_with_its_order_and_quotes() -> None:
    text = (
        "z: 1\na: \"q\"\nb: 'it''s'\nlist:\n- x\n- k: v\n  l: [1, 'two']\nflow: {a: b, c: {}}\n"
        "lit: |\n  one\n\n  two\nfold: >-\n  a\n\n  b\nnone:\nempty: []\n"
    )
    node = parse(text)
    assert node is not None
    assert emitted(node) == text
