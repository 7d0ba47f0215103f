"""Schemas come out as OpenAPI documents."""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.schema import Node, Property, Schema
from tests.unit.schema.declarations import WIDGET, Greeting, with_spec

META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"


def test_a_dictionary_comes_back_as_it_was_with_the_fields_of_every_object() -> None:
    document, definitions = Schema.of(WIDGET).openapi()
    assert document["properties"].pop("metadata")["allOf"] == [{"$ref": f"#/components/schemas/{META}"}]
    for name in ("apiVersion", "kind"):
        field = document["properties"].pop(name)
        assert field["type"] == "string"
        assert field["description"].startswith(f"{name[0].upper()}{name[1:]} ".replace("ApiV", "APIV"))
    for field in document["properties"]["spec"]["properties"].values():
        if field.get("x-kubernetes-int-or-string"):
            field.pop("anyOf")
    assert document == WIDGET
    assert META in definitions


def test_extensions_and_words_of_no_meaning_here_are_kept() -> None:
    schema: dict[str, Any] = {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        "x-kubernetes-validations": [{"rule": "true"}],
        "title": "T",
        "externalDocs": {"url": "https://example.com"},
        "items": {"type": "object", "x-kubernetes-map-type": "atomic"},
        "default": [],
    }
    document, _ = Schema.of(with_spec(x=schema)).openapi()
    assert document["properties"]["spec"]["properties"]["x"] == schema


def test_version_2_has_no_alternatives_and_no_nullable() -> None:
    inner = {"type": "object", "properties": {"a": {"type": "string"}}}
    schema = with_spec(
        either={"type": "string", "anyOf": [{"minLength": 3}], "not": {"enum": ["x"]}},
        maybe={**inner, "nullable": True, "description": "D"},
        free={**inner, "x-kubernetes-preserve-unknown-fields": True},
        port={"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
    )
    schema["properties"]["spec"]["required"] = ["either", "maybe"]
    document, _ = Schema.of(schema).openapi(ref_prefix="#/definitions/", v2=True)
    spec = document["properties"]["spec"]
    assert spec["properties"] == {
        "either": {"type": "string"},
        "maybe": {"description": "D"},
        "free": {"x-kubernetes-preserve-unknown-fields": True},
        "port": {"x-kubernetes-int-or-string": True},
    }
    assert spec["required"] == ["either"]
    assert document["properties"]["metadata"]["$ref"] == f"#/definitions/{META}"


def test_classes_are_definitions_and_may_refer_to_themselves() -> None:
    document, definitions = Schema.of(Greeting).openapi(ref_prefix="#/x/")
    assert document["description"] == "Something to say."
    assert document["required"] == ["spec"]
    assert document["properties"]["spec"] == {"$ref": "#/x/GreetingSpec"}
    spec = definitions["GreetingSpec"]["properties"]
    assert spec["inner"] == {"$ref": "#/x/GreetingSpec"}
    assert spec["text"] == {
        "description": "What to say.",
        "type": "string",
        "minLength": 2,
        "maxLength": 5,
        "pattern": "^[a-z]+$",
    }
    assert spec["tone"] == {"type": "string", "enum": ["loud", "quiet"], "default": "quiet"}
    assert spec["times"] == {"type": "integer", "format": "int64", "minimum": 1, "maximum": 10, "default": 3}
    assert spec["ports"]["items"] == {"$ref": "#/x/Port"}
    assert spec["labels"] == {"type": "object", "additionalProperties": {"type": "string"}}
    assert spec["since"] == {"type": "string", "format": "date-time"}
    assert {"Port", "Limit", "Note", META} <= definitions.keys()


def test_special_types_are_told_in_each_version_s_way() -> None:
    _, third = Schema.of(Greeting).openapi()
    _, second = Schema.of(Greeting).openapi(v2=True)
    assert third["Port"]["properties"]["target"] == {
        "format": "int-or-string",
        "oneOf": [{"type": "integer"}, {"type": "string"}],
    }
    assert second["Port"]["properties"]["target"] == {"type": "string", "format": "int-or-string"}
    assert third["Limit"]["properties"]["cpu"] == {"oneOf": [{"type": "string"}, {"type": "number"}]}
    assert second["Limit"]["properties"]["cpu"] == {"type": "string"}


def test_merge_keys_are_told() -> None:
    _, definitions = Schema.of(Greeting).openapi()
    owners = definitions[META]["properties"]["ownerReferences"]
    assert owners["x-kubernetes-patch-merge-key"] == "uid"
    assert owners["x-kubernetes-patch-strategy"] == "merge"
    assert owners["x-kubernetes-list-map-keys"] == ["uid"]


def test_beside_a_reference_notes_need_an_all_of_in_version_3() -> None:
    inner = Node(type="object", name="Inner")
    schema = Schema(Node(type="object", properties={"x": Property(node=inner, notes={"description": "D"})}))
    assert schema.openapi()[0]["properties"]["x"] == {
        "description": "D",
        "allOf": [{"$ref": "#/components/schemas/Inner"}],
    }
    assert schema.openapi(ref_prefix="#/definitions/", v2=True)[0]["properties"]["x"] == {
        "description": "D",
        "$ref": "#/definitions/Inner",
    }


def test_without_a_declaration_anything_goes() -> None:
    document = Schema.of(None).openapi()[0]
    assert document.pop("properties").keys() == {"apiVersion", "kind", "metadata"}
    assert document == {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    assert Schema.of(None).openapi(v2=True)[0] == {"type": "object"}


def test_an_embedded_resource_shows_the_fields_of_every_object() -> None:
    template = {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"spec": {"type": "object"}}}
    shown = Schema.of(with_spec(x=template)).openapi()[0]["properties"]["spec"]["properties"]["x"]
    assert shown["properties"].keys() == {"spec", "apiVersion", "kind", "metadata"}
    assert shown["required"] == ["kind", "apiVersion"]


def test_either_type_is_said_in_words_that_others_know() -> None:
    either = [{"type": "integer"}, {"type": "string"}]
    marked: dict[str, Any] = {"x-kubernetes-int-or-string": True}
    cases = {"plain": marked, "said": {**marked, "anyOf": either}, "other": {**marked, "anyOf": [{"minimum": 1}]}}
    shown = Schema.of(with_spec(**cases)).openapi()[0]["properties"]["spec"]["properties"]
    assert shown["plain"] == {**marked, "anyOf": either}
    assert shown["said"] == cases["said"]
    assert shown["other"] == {**cases["other"], "allOf": [{"anyOf": either}]}
