"""The schemas of a definition, and what may be wrong with them."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.servers.apiextensions.rules import RuleCompiler
from localplane.servers.apiextensions.validation.definition import definition_errors
from tests.unit.servers.apiextensions.definitions import good, with_properties, with_schema

AT = "spec.validation.openAPIV3Schema"
X = f"{AT}.properties[x]"
TEXT: JSONObject = {"type": "string"}


def told(obj: JSONObject) -> list[str]:
    return [str(error) for error in definition_errors(obj, RuleCompiler())]


def list_map(items: JSONObject, **more: Any) -> JSONObject:
    return {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        "items": {"type": "object", **items},
        **more,
    }


def test_a_good_definition_has_no_faults() -> None:
    assert told(good()) == []


@pytest.mark.parametrize(
    ("schema", "faults"),
    [
        ({}, [f"{X}.type: Required value: must not be empty for specified object fields"]),
        ({"type": "array"}, [f"{X}.items: Required value: must be specified"]),
        (
            {"type": "array", "items": {}},
            [f"{X}.items.type: Required value: must not be empty for specified array items"],
        ),
        (
            {"type": "object", "properties": {"a": TEXT}, "additionalProperties": TEXT},
            [f"{X}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"],
        ),
        (
            {"type": "string", "anyOf": [{"type": "string"}]},
            [f"{X}.anyOf[0].type: Forbidden: must be empty to be structural"],
        ),
        (
            {"type": "object", "oneOf": [{"properties": {"a": {"description": "d", "minimum": 1}}}]},
            [f"{X}.oneOf[0].properties[a].description: Forbidden: must be empty to be structural"],
        ),
        (
            {"type": "string", "not": {"nullable": True, "default": 0}},
            [
                f"{X}.not.default: Forbidden: must be undefined to be structural",
                f"{X}.not.nullable: Forbidden: must be false to be structural",
            ],
        ),
        ({"x-kubernetes-int-or-string": True}, []),
        ({"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]}, []),
        (
            {
                "x-kubernetes-int-or-string": True,
                "allOf": [{"anyOf": [{"type": "integer"}, {"type": "string"}]}, {"minimum": 1}],
            },
            [],
        ),
        (
            {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "string"}, {"type": "integer"}]},
            [
                f"{X}.anyOf[0].type: Forbidden: must be empty to be structural",
                f"{X}.anyOf[1].type: Forbidden: must be empty to be structural",
            ],
        ),
        (
            {"type": "string", "x-kubernetes-embedded-resource": True},
            [
                (
                    f"{X}.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true"
                    " without x-kubernetes-preserve-unknown-fields"
                ),
                f'{X}.type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true',
            ],
        ),
        (
            {"type": "string", "pattern": "a("},
            [
                (
                    f'{X}.pattern: Invalid value: "a(": must be a valid regular expression, but isn\'t: error parsing'
                    " regexp: missing closing ): `a(`"
                )
            ],
        ),
    ],
)
def test_a_schema_is_structural(schema: JSONObject, faults: list[str]) -> None:
    assert told(with_properties(x=schema)) == faults


@pytest.mark.parametrize(
    ("schema", "faults"),
    [
        ({"type": "string"}, [f'{AT}.type: Invalid value: "string": must be object at the root']),
        ({"type": "object", "nullable": True}, [f"{AT}.nullable: Forbidden: nullable cannot be true at the root"]),
        (
            {"type": "object", "additionalProperties": TEXT},
            [f"{AT}.additionalProperties: Forbidden: must not be used at the root"],
        ),
        (
            {"type": "object", "properties": {"metadata": {"type": "object", "properties": {"labels": TEXT}}}},
            [
                (
                    f"{AT}.properties[metadata]: Forbidden: must not specify anything other than name and generateName,"
                    " but metadata is implicitly specified"
                )
            ],
        ),
        ({"type": "object", "properties": {"metadata": {"type": "object", "properties": {"name": TEXT}}}}, []),
        (
            {"type": "object", "properties": {"kind": {"type": "integer"}}},
            [f'{AT}.properties[kind].type: Invalid value: "integer": must be string'],
        ),
        (
            {"type": "object", "anyOf": [{"properties": {"gone": {"minimum": 1}}}]},
            [
                f"{AT}.properties[gone]: Required value: because it is defined in {AT}.anyOf[0].properties[gone]",
            ],
        ),
    ],
)
def test_the_root_is_an_object_of_kubernetes(schema: JSONObject, faults: list[str]) -> None:
    assert told(with_schema(schema)) == faults


@pytest.mark.parametrize(
    ("schema", "faults"),
    [
        ({"type": "null"}, ["Unsupported value", "type cannot be set to null, use nullable as an alternative"]),
        ({"type": "array", "items": TEXT, "uniqueItems": True}, ["the runtime complexity becomes quadratic"]),
        ({"type": "string", "$ref": "#/a"}, ["$ref is not supported"]),
        ({"type": "object", "x-kubernetes-preserve-unknown-fields": False}, ["must be true or undefined"]),
        ({"type": "string", "x-kubernetes-list-type": "set"}, ["must be array if x-kubernetes-list-type is specified"]),
        (
            {"type": "array", "items": TEXT, "x-kubernetes-list-type": "bag"},
            ['supported values: "atomic", "set", "map"'],
        ),
        (
            {"type": "array", "items": {"type": "object"}, "x-kubernetes-list-type": "set"},
            ["must be atomic as item of a list with x-kubernetes-list-type=set"],
        ),
        (list_map({"properties": {"k": TEXT}, "required": ["k"]}), []),
        (list_map({"properties": {"k": {"type": "string", "default": "a"}}}), []),
        (list_map({"properties": {"k": TEXT}}), ["it must have a default or be a required property"]),
        (list_map({"properties": {"o": TEXT}}), ["entries must all be names of item properties"]),
        (
            list_map({"properties": {"k": {"type": "object"}}, "required": ["k"]}),
            ["must be a scalar type if parent array's x-kubernetes-list-type is map"],
        ),
        (
            list_map({"properties": {"k": TEXT}, "required": ["k"], "nullable": True}),
            ["cannot be nullable when x-kubernetes-list-type is map"],
        ),
        (
            {"type": "array", "items": {"type": "object"}, "x-kubernetes-list-map-keys": ["k"]},
            ["must be map if x-kubernetes-list-map-keys is non-empty"],
        ),
        (
            {"type": "string", "x-kubernetes-map-type": "atomic"},
            ["must be object if x-kubernetes-map-type is specified"],
        ),
        ({"type": "string", "x-kubernetes-validations": [{"rule": " "}]}, ["rule is not specified"]),
        (
            {"type": "string", "x-kubernetes-validations": [{"rule": "a\nb"}]},
            ["message must be specified if rule contains line breaks"],
        ),
        (
            {"type": "object", "x-kubernetes-validations": [{"rule": "true", "reason": "Other", "fieldPath": ".gone"}]},
            ["Unsupported value", "must be a valid path"],
        ),
    ],
)
def test_words_that_kubernetes_adds_are_used_as_they_are_meant(schema: JSONObject, faults: list[str]) -> None:
    found = told(with_properties(x=schema))
    assert len(found) == len(faults)
    assert all(fault in line for fault, line in zip(faults, found, strict=True)), found


@pytest.mark.parametrize(
    ("schema", "faults"),
    [
        ({"type": "string", "default": "a"}, []),
        (
            {"type": "string", "default": 5},
            [f'{X}.default: Invalid value: "integer":  in body must be of type string: "integer"'],
        ),
        (
            {"type": "object", "default": {"b": 1}, "properties": {"a": TEXT}},
            [f'{X}.default: Invalid value: {{"b":1}}: must not have unknown fields'],
        ),
        (
            {"type": "object", "properties": {"n": {"type": "integer", "minimum": 3, "default": 1}}},
            [f"{X}.properties[n].default: Invalid value: 1:  in body should be greater than or equal to 3"],
        ),
    ],
)
def test_a_default_is_a_value_that_its_schema_allows(schema: JSONObject, faults: list[str]) -> None:
    assert told(with_properties(x=schema)) == faults


def test_defaults_in_metadata_are_for_embedded_resources_only() -> None:
    named = {"type": "object", "properties": {"name": {"type": "string", "default": "a"}}}
    assert told(with_properties(metadata=named)) == [
        f"{AT}.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata"
    ]
    embedded = {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"metadata": named}}
    assert told(with_properties(x=embedded)) == []
    bad = {"type": "object", "properties": {"labels": {"type": "object", "default": {"b d": "x"}}}}
    embedded["properties"] = {"metadata": bad}
    embedded["x-kubernetes-preserve-unknown-fields"] = True
    assert "must result in valid metadata" in told(with_properties(x=embedded))[0]


def test_a_status_of_its_own_allows_little_at_the_root() -> None:
    schema = {"type": "object", "x-kubernetes-map-type": "granular"}
    (fault,) = told(with_schema(schema, subresources={"status": {}}))
    assert fault.startswith(f'{AT}: Invalid value: {{"ID":"","Schema":"","Ref":null,')
    assert "only [Description Type Format Title" in fault


def test_what_differs_between_versions_is_told_in_its_version() -> None:
    obj = good()
    bad: JSONObject = {"openAPIV3Schema": {"type": "object", "properties": {"x": {}}}}
    obj["spec"]["versions"].append({"name": "v2", "served": True, "storage": False, "schema": bad})
    place = "spec.versions[1].schema.openAPIV3Schema.properties[x].type"
    assert told(obj) == [f"{place}: Required value: must not be empty for specified object fields"]
