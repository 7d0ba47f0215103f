"""The one document for old clients, in both of its forms."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.schema import Schema
from localplane.apiserver.endpoints.discovery import InstalledGroup, InstalledVersion
from localplane.apiserver.endpoints.openapi import OpenAPI
from tests.unit.discovery.toys import BUILT_IN, CORE, TOYS, Note, widgets
from tests.unit.openapi.documents import ask, document, operations, parameters, references
from tests.unit.openapi.protobuf import fields, first

DEFINITIONS = "#/definitions/"
META = "io.k8s.apimachinery.pkg.apis.meta.v1."
CONFIG_MAPS = "/api/v1/namespaces/{namespace}/configmaps"
GNOSTIC = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"


@pytest.fixture
async def swagger() -> Any:
    return await document("/openapi/v2", CORE, TOYS, BUILT_IN)


def test_all_groups_are_in_one_document(swagger: Any) -> None:
    assert swagger["swagger"] == "2.0"
    assert {
        "io.k8s.api.core.v1.ConfigMap",
        "com.example.toys.v1.Widget",
        "io.k8s.play.v1.Widget",
        "io.k8s.play.v2.Gadget",
    } <= set(swagger["definitions"])
    assert swagger["paths"][CONFIG_MAPS]["post"]["operationId"] == "createCoreV1NamespacedConfigMap"


def test_every_reference_is_of_the_old_form_and_leads_somewhere(swagger: Any) -> None:
    known = {f"{DEFINITIONS}{name}" for name in swagger["definitions"]}
    assert set(references(swagger)) <= known
    ids = [each["operationId"] for _, _, each in operations(swagger)]
    assert len(ids) == len(set(ids))


def test_bodies_are_parameters_and_answers_have_one_schema(swagger: Any) -> None:
    post = swagger["paths"][CONFIG_MAPS]["post"]
    assert post["parameters"][0] == {
        "name": "body",
        "in": "body",
        "required": True,
        "schema": {"$ref": f"{DEFINITIONS}io.k8s.api.core.v1.ConfigMap"},
    }
    assert post["responses"]["201"]["schema"] == {"$ref": f"{DEFINITIONS}io.k8s.api.core.v1.ConfigMap"}
    assert post["produces"] == ["application/json", "application/yaml"]
    patch = swagger["paths"][f"{CONFIG_MAPS}/{{name}}"]["patch"]
    assert "application/strategic-merge-patch+json" in patch["consumes"]


def test_parameters_have_their_type_beside_them(swagger: Any) -> None:
    assert "fieldValidation" in parameters(swagger, f"{CONFIG_MAPS}/{{name}}", "patch")
    (limit,) = (each for each in swagger["paths"][CONFIG_MAPS]["get"]["parameters"] if each["name"] == "limit")
    assert (limit["type"], "schema" in limit) == ("integer", False)


def test_nothing_is_said_that_the_old_form_has_no_word_for(swagger: Any) -> None:
    for schema in swagger["definitions"].values():
        text = str(schema)
        assert "'allOf'" not in text
        assert "'oneOf'" not in text
        assert "'nullable'" not in text
    meta = swagger["definitions"][f"{META}ObjectMeta"]
    assert meta["properties"]["creationTimestamp"]["$ref"] == f"{DEFINITIONS}{META}Time"


def test_a_kind_of_all_versions_names_all_of_them(swagger: Any) -> None:
    options = swagger["definitions"][f"{META}DeleteOptions"]["x-kubernetes-group-version-kind"]
    assert [each["group"] for each in options] == ["", "play.k8s.io", "play.k8s.io", "toys.example.com"]


async def test_a_kind_that_is_part_of_another_still_tells_its_name() -> None:
    """As a claim does that is a template in another kind."""
    holder = Schema.of(type("Holder", (), {"__annotations__": {"note": Note}}))
    version = InstalledVersion(version="v1", resources=[widgets(kind="Holder", schema=lambda: holder)])
    found = await document("/openapi/v2", CORE, InstalledGroup(name="later.k8s.io", versions=[version]))
    note = found["definitions"]["io.k8s.api.core.v1.ConfigMap"]
    assert note["x-kubernetes-group-version-kind"] == [{"group": "", "kind": "ConfigMap", "version": "v1"}]


@pytest.mark.parametrize("name", [GNOSTIC, GNOSTIC.replace("@", ".")])
async def test_go_clients_get_protobuf_under_its_proper_name(name: str) -> None:
    answer = await ask(OpenAPI(lambda: [CORE]), "/openapi/v2", name)
    assert answer.status == 200
    assert answer.content_type == GNOSTIC.replace("@", ".")
    assert answer.headers["Vary"] == "Accept"


async def test_the_protobuf_says_what_the_json_says(swagger: Any) -> None:
    answer = await ask(OpenAPI(lambda: [CORE, TOYS, BUILT_IN]), "/openapi/v2", f"{GNOSTIC},application/json")
    assert isinstance(answer.body, bytes)
    root = fields(answer.body)
    assert root[1] == [b"2.0"]
    paths = {first(each, 1).decode(): first(each, 2) for each in fields(first(answer.body, 8))[2]}
    definitions = {first(each, 1).decode(): first(each, 2) for each in fields(first(answer.body, 9))[1]}
    assert list(paths) == list(swagger["paths"])
    assert list(definitions) == list(swagger["definitions"])
    spec = definitions["com.example.toys.v1.WidgetSpec"]
    assert first(spec, 4) == b"How it should be."
    assert fields(spec)[19] == [b"size"]
    properties = {first(each, 1): first(each, 2) for each in fields(first(spec, 25))[1]}
    assert set(properties) == {b"size", b"colors", b"inner"}
    assert first(first(properties[b"size"], 22), 1) == b"integer"
    assert first(properties[b"inner"], 1) == b"#/definitions/com.example.toys.v1.WidgetSpec"
    widget = definitions["com.example.toys.v1.Widget"]
    extensions = {first(each, 1): first(first(each, 2), 2) for each in fields(widget)[31]}
    assert b'"kind":"Widget"' in extensions[b"x-kubernetes-group-version-kind"]


async def test_the_protobuf_has_operations_with_their_parameters(swagger: Any) -> None:
    answer = await ask(OpenAPI(lambda: [CORE]), "/openapi/v2", GNOSTIC)
    assert isinstance(answer.body, bytes)
    paths = {first(each, 1).decode(): first(each, 2) for each in fields(first(answer.body, 8))[2]}
    patch = first(paths[f"{CONFIG_MAPS}/{{name}}"], 8)
    assert first(patch, 5) == b"patchCoreV1NamespacedConfigMap"
    parameters = [first(each, 1) for each in fields(patch)[8]]
    in_query = [first(first(each, 2), 3) for each in parameters if 2 in fields(each)]
    assert [first(each, 4) for each in in_query] == [b"dryRun", b"fieldManager", b"fieldValidation", b"force"]
    codes = {first(each, 1): first(each, 2) for each in fields(first(patch, 9))[1]}
    assert set(codes) == {b"200", b"201", b"401"}
    assert first(first(first(first(codes[b"200"], 1), 2), 1), 1) == b"#/definitions/io.k8s.api.core.v1.ConfigMap"
