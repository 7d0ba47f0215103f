"""A schema within a definition is read as Go reads it: what is unknown goes, told or not."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.schema import DecodeError
from localplane.catalog import schemas


def read(schema: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
    obj: dict[str, Any] = {
        "metadata": {},
        "spec": {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": schema}}]},
    }
    unknown = schemas.schema("apiextensions/v1.CustomResourceDefinition").decode(obj, kind="CustomResourceDefinition")
    prefix = "spec.versions[0].schema.openAPIV3Schema."
    found: dict[str, Any] = obj["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return [path.removeprefix(prefix) for path in unknown], found


def test_unknown_fields_go_and_those_within_a_type_with_a_method_go_unheard() -> None:
    unknown, found = read(
        {
            "type": "object",
            "bogus": 1,
            "properties": {
                "a": {"type": "array", "items": {"type": "string", "bogus": 1}},
                "b": {"bogus": 1, "additionalProperties": {"type": "string", "bogus": 1}},
                "c": {"additionalProperties": True, "default": {"bogus": 1}},
            },
        }
    )
    assert unknown == ["bogus", "properties.b.bogus"]
    assert found == {
        "type": "object",
        "properties": {
            "a": {"type": "array", "items": {"type": "string"}},
            "b": {"additionalProperties": {"type": "string"}},
            "c": {"additionalProperties": True, "default": {"bogus": 1}},
        },
    }


_NUMBER = "json: cannot unmarshal number into Go struct"


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"additionalProperties": 5}, "boolean or JSON schema expected"),
        (
            {"items": {"type": 5}},
            f"{_NUMBER} field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.items.type of type string",
        ),
        (
            {"dependencies": {"a": ["b", 5]}},
            f"{_NUMBER} field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.dependencies of type string",
        ),
    ],
)
def test_wrong_types_are_told_in_the_method_s_words(schema: dict[str, Any], message: str) -> None:
    with pytest.raises(DecodeError) as refused:
        read(schema)
    assert str(refused.value) == message
