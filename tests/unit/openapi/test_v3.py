"""What a document of OpenAPI v3 says about a resource."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.schema import Schema
from localplane.apiserver.endpoints.discovery import (
    InstalledGroup,
    InstalledSubresource,
    InstalledVersion,
)
from localplane.apiserver.endpoints.openapi import BESIDE_GROUPS, OpenAPI
from tests.unit.discovery.toys import ALL_VERBS, BUILT_IN, CORE, PATCH_TYPES, TOYS, body_of, widgets
from tests.unit.openapi.documents import ask, document, operations, parameters, references

ROOT = "/apis/toys.example.com/v1"
COLLECTION = f"{ROOT}/namespaces/{{namespace}}/widgets"
ONE = f"{COLLECTION}/{{name}}"
META = "io.k8s.apimachinery.pkg.apis.meta.v1."
SCHEMAS = "#/components/schemas/"


@pytest.fixture
async def toys() -> Any:
    return await document("/openapi/v3/apis/toys.example.com/v1", TOYS)


def test_every_verb_has_its_path_method_and_operation_id(toys: Any) -> None:
    assert {(path, method): each["operationId"] for path, method, each in operations(toys)} == {
        (f"{ROOT}/widgets", "get"): "listToysExampleComV1WidgetForAllNamespaces",
        (COLLECTION, "get"): "listToysExampleComV1NamespacedWidget",
        (COLLECTION, "post"): "createToysExampleComV1NamespacedWidget",
        (COLLECTION, "delete"): "deleteToysExampleComV1CollectionNamespacedWidget",
        (ONE, "get"): "readToysExampleComV1NamespacedWidget",
        (ONE, "put"): "replaceToysExampleComV1NamespacedWidget",
        (ONE, "patch"): "patchToysExampleComV1NamespacedWidget",
        (ONE, "delete"): "deleteToysExampleComV1NamespacedWidget",
        (f"{ONE}/status", "get"): "readToysExampleComV1NamespacedWidgetStatus",
        (f"{ONE}/status", "put"): "replaceToysExampleComV1NamespacedWidgetStatus",
        (f"{ONE}/status", "patch"): "patchToysExampleComV1NamespacedWidgetStatus",
        (f"{ONE}/scale", "get"): "readToysExampleComV1NamespacedWidgetScale",
        (f"{ONE}/scale", "put"): "replaceToysExampleComV1NamespacedWidgetScale",
        (f"{ONE}/scale", "patch"): "patchToysExampleComV1NamespacedWidgetScale",
    }


def test_operations_tell_their_action_and_kind(toys: Any) -> None:
    patch = toys["paths"][ONE]["patch"]
    assert patch["x-kubernetes-action"] == "patch"
    assert patch["x-kubernetes-group-version-kind"] == {"group": "toys.example.com", "version": "v1", "kind": "Widget"}
    assert patch["tags"] == ["toysExampleCom_v1"]
    scale = toys["paths"][f"{ONE}/scale"]["get"]
    assert scale["x-kubernetes-group-version-kind"] == {"group": "autoscaling", "version": "v1", "kind": "Scale"}
    actions = {method: each["x-kubernetes-action"] for path, method, each in operations(toys) if path == COLLECTION}
    assert actions == {"get": "list", "post": "post", "delete": "deletecollection"}


def test_writes_can_be_validated_and_tried_out(toys: Any) -> None:
    """kubectl looks for fieldValidation at patch before it leaves validation to the server."""
    written = {"dryRun", "fieldManager", "fieldValidation", "pretty", "namespace"}
    assert parameters(toys, COLLECTION, "post") == written
    assert parameters(toys, ONE, "put") == written | {"name"}
    assert parameters(toys, ONE, "patch") == written | {"name", "force"}


def test_reads_can_be_selected_and_cut(toys: Any) -> None:
    asked = parameters(toys, COLLECTION, "get")
    assert asked >= {"limit", "continue", "labelSelector", "fieldSelector", "watch", "sendInitialEvents"}
    assert parameters(toys, ONE, "get") == {"name", "namespace", "pretty"}
    assert parameters(toys, ONE, "delete") >= {"propagationPolicy", "gracePeriodSeconds", "dryRun"}


def test_patches_come_in_the_forms_that_the_resource_takes(toys: Any) -> None:
    body = toys["paths"][ONE]["patch"]["requestBody"]
    assert set(body["content"]) == set(PATCH_TYPES)
    assert body["required"] is True


def test_answers_are_of_the_kind_that_comes(toys: Any) -> None:
    def answer(path: str, method: str) -> str:
        content = toys["paths"][path][method]["responses"]["200"]["content"]
        return str(content["application/json"]["schema"]["$ref"]).removeprefix(SCHEMAS)

    assert answer(COLLECTION, "get") == "com.example.toys.v1.WidgetList"
    assert answer(COLLECTION, "post") == "com.example.toys.v1.Widget"
    assert answer(ONE, "delete") == f"{META}Status"
    assert answer(f"{ONE}/scale", "get") == "io.k8s.api.autoscaling.v1.Scale"
    assert answer(f"{ONE}/status", "get") == "com.example.toys.v1.Widget"


def test_a_kind_is_defined_with_its_metadata_and_its_name_in_the_api(toys: Any) -> None:
    widget = toys["components"]["schemas"]["com.example.toys.v1.Widget"]
    assert widget["x-kubernetes-group-version-kind"] == [
        {"group": "toys.example.com", "version": "v1", "kind": "Widget"}
    ]
    assert widget["description"] == "Something to play with."
    assert set(widget["properties"]) == {"apiVersion", "kind", "metadata", "spec"}
    assert widget["required"] == ["spec"]


def test_classes_below_a_kind_get_full_names_even_if_they_contain_themselves(toys: Any) -> None:
    schemas = toys["components"]["schemas"]
    spec = schemas["com.example.toys.v1.WidgetSpec"]
    assert spec["properties"]["size"]["description"] == "Its width in millimetres."
    assert list(references(spec["properties"]["inner"])) == [f"{SCHEMAS}com.example.toys.v1.WidgetSpec"]
    assert "WidgetSpec" not in schemas


def test_a_list_is_defined_from_its_items(toys: Any) -> None:
    found = toys["components"]["schemas"]["com.example.toys.v1.WidgetList"]
    assert found["required"] == ["items"]
    assert found["properties"]["items"]["items"] == {"$ref": f"{SCHEMAS}com.example.toys.v1.Widget"}
    assert found["x-kubernetes-group-version-kind"] == [
        {"group": "toys.example.com", "version": "v1", "kind": "WidgetList"}
    ]


@pytest.mark.parametrize("path", ["api/v1", "apis/play.k8s.io/v1", "apis/toys.example.com/v1"])
async def test_every_reference_leads_somewhere_and_every_id_is_unique(path: str) -> None:
    found = await document(f"/openapi/v3/{path}", CORE, BUILT_IN, TOYS)
    known = {f"{SCHEMAS}{name}" for name in found["components"]["schemas"]}
    assert set(references(found)) <= known
    ids = [each["operationId"] for _, _, each in operations(found)]
    assert len(ids) == len(set(ids))
    assert found["openapi"] == "3.0.0"


def test_metadata_is_described_in_our_own_words(toys: Any) -> None:
    schemas = toys["components"]["schemas"]
    meta = schemas[f"{META}ObjectMeta"]
    assert all(field["description"] for field in meta["properties"].values())
    assert meta["properties"]["ownerReferences"]["x-kubernetes-patch-merge-key"] == "uid"
    assert meta["properties"]["finalizers"]["x-kubernetes-list-type"] == "set"
    assert f"{META}Time" in schemas


async def test_options_of_a_definitions_version_belong_to_the_core_and_to_all_that_are_built_in() -> None:
    found = await document("/openapi/v3/apis/toys.example.com/v1", CORE, BUILT_IN, TOYS)
    options = found["components"]["schemas"][f"{META}DeleteOptions"]
    assert options["x-kubernetes-group-version-kind"] == [
        {"group": "", "kind": "DeleteOptions", "version": "v1"},
        {"group": "play.k8s.io", "kind": "DeleteOptions", "version": "v1"},
        {"group": "play.k8s.io", "kind": "DeleteOptions", "version": "v2"},
    ]


async def test_a_built_in_version_lists_its_resources_and_has_its_options() -> None:
    found = await document("/openapi/v3/apis/play.k8s.io/v1", CORE, BUILT_IN, TOYS)
    assert found["paths"]["/apis/play.k8s.io/v1/"]["get"]["operationId"] == "getPlayV1APIResources"
    options = found["components"]["schemas"][f"{META}DeleteOptions"]
    assert [each["group"] for each in options["x-kubernetes-group-version-kind"]] == ["", "play.k8s.io"]


async def test_what_belongs_to_no_version_has_documents_beside_them() -> None:
    openapi = OpenAPI(lambda: [CORE, BUILT_IN, TOYS], beside=BESIDE_GROUPS)
    assert list(body_of(await ask(openapi, "/openapi/v3"))["paths"]) == [
        ".well-known/openid-configuration",
        "api",
        "api/v1",
        "apis",
        "apis/play.k8s.io",
        "apis/play.k8s.io/v1",
        "apis/play.k8s.io/v2",
        "apis/toys.example.com/v1",
        "openid/v1/jwks",
        "version",
    ]
    group = body_of(await ask(openapi, "/openapi/v3/apis/play.k8s.io"))
    assert {path: each["operationId"] for path, _, each in operations(group)} == {
        "/apis/play.k8s.io/": "getPlayAPIGroup"
    }
    assert list(group["components"]["schemas"]) == [
        f"{META}APIGroup",
        f"{META}GroupVersionForDiscovery",
        f"{META}ServerAddressByClientCIDR",
    ]
    version = body_of(await ask(openapi, "/openapi/v3/version"))
    (info,) = version["components"]["schemas"].values()
    assert "gitVersion" in info["required"]
    assert "emulationMajor" not in info["required"]
    swagger = body_of(await ask(openapi, "/openapi/v2"))
    roots = {"/api/", "/apis/", "/apis/play.k8s.io/", "/version/", "/openid/v1/jwks/"}
    assert roots <= swagger["paths"].keys()
    assert "/apis/toys.example.com/" not in swagger["paths"]


async def test_built_in_kinds_keep_their_names_and_the_old_watch_paths() -> None:
    found = await document("/openapi/v3/api/v1", CORE)
    ids = {each["operationId"] for _, _, each in operations(found)}
    assert ids >= {
        "watchCoreV1ConfigMapListForAllNamespaces",
        "watchCoreV1NamespacedConfigMapList",
        "watchCoreV1NamespacedConfigMap",
        "watchCoreV1NamespaceList",
        "watchCoreV1Namespace",
        "deleteCoreV1Namespace",
    }
    assert "io.k8s.api.core.v1.ConfigMap" in found["components"]["schemas"]
    assert "io.k8s.api.core.v1.ConfigMapList" in found["components"]["schemas"]
    assert "deleteCoreV1CollectionNamespace" not in ids, "namespaces have no deletecollection"


async def test_only_the_verbs_that_a_resource_has_are_there() -> None:
    resource = widgets(verbs=("create",), subresources=(), namespaced=False)
    group = InstalledGroup(name="a.k8s.io", versions=[InstalledVersion(version="v1", resources=[resource])])
    found = await document("/openapi/v3/apis/a.k8s.io/v1", group)
    assert [(path, method) for path, method, _ in operations(found)] == [
        ("/apis/a.k8s.io/v1/", "get"),
        ("/apis/a.k8s.io/v1/widgets", "post"),
    ]


async def test_streams_and_proxies_are_connections() -> None:
    proxy = InstalledSubresource(
        name="proxy",
        kind="WidgetProxyOptions",
        verbs=("create", "get"),
        connects=True,
        query_parameters={"path": "string"},
    )
    log = InstalledSubresource(
        name="log", kind="Widget", verbs=("get",), answers_text=True, query_parameters={"follow": "boolean"}
    )
    resource = widgets(verbs=ALL_VERBS, subresources=(proxy, log))
    group = InstalledGroup(name="a.k8s.io", versions=[InstalledVersion(version="v1", resources=[resource])])
    found = await document("/openapi/v3/apis/a.k8s.io/v1", group)
    one = "/apis/a.k8s.io/v1/namespaces/{namespace}/widgets/{name}"
    connect = found["paths"][f"{one}/proxy/{{path}}"]["get"]
    assert connect["operationId"] == "connectAV1GetNamespacedWidgetProxyWithPath"
    assert connect["x-kubernetes-action"] == "connect"
    assert set(found["paths"][f"{one}/proxy"]) == {"get", "post", "head", "options", "parameters"}
    assert parameters(found, f"{one}/proxy", "get") == {"name", "namespace", "path"}
    assert found["paths"][f"{one}/log"]["get"]["responses"]["200"]["content"]["text/plain"] == {
        "schema": {"type": "string"}
    }
    assert "follow" in parameters(found, f"{one}/log", "get")


async def test_a_deletion_that_returns_the_object_says_so() -> None:
    resource = widgets(returns_deleted_object=True, subresources=())
    group = InstalledGroup(name="a.k8s.io", versions=[InstalledVersion(version="v1", resources=[resource])])
    found = await document("/openapi/v3/apis/a.k8s.io/v1", group)
    deletion = found["paths"]["/apis/a.k8s.io/v1/namespaces/{namespace}/widgets/{name}"]["delete"]
    schema = deletion["responses"]["200"]["content"]["application/json"]["schema"]
    assert schema == {"$ref": f"{SCHEMAS}io.k8s.a.v1.Widget"}


async def test_two_classes_of_one_name_in_two_kinds_are_two_definitions() -> None:
    class Spec:
        one: str

    first = type("First", (), {"__annotations__": {"spec": Spec}})
    other = type("Spec", (), {"__annotations__": {"two": str}})
    second = type("Second", (), {"__annotations__": {"spec": other}})
    schemas = Schema.of(first), Schema.of(second)
    resources = [
        widgets(name="firsts", kind="First", schema=lambda: schemas[0], subresources=()),
        widgets(name="seconds", kind="Second", schema=lambda: schemas[1], subresources=()),
    ]
    group = InstalledGroup(name="a.example.com", versions=[InstalledVersion(version="v1", resources=resources)])
    found = (await document("/openapi/v3/apis/a.example.com/v1", group))["components"]["schemas"]
    assert set(found["com.example.a.v1.Spec"]["properties"]) == {"one"}
    assert set(found["com.example.a.v1.SecondSpec"]["properties"]) == {"two"}
    assert list(references(found["com.example.a.v1.Second"]["properties"]["spec"])) == [
        f"{SCHEMAS}com.example.a.v1.SecondSpec"
    ]


async def test_a_custom_resource_shows_the_schema_it_was_given() -> None:
    spec = {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "description": "Any."}
    schema = Schema.of({"type": "object", "properties": {"spec": spec}})
    resource = widgets(schema=lambda: schema, selectable_fields=("spec.color",), subresources=())
    version = InstalledVersion(version="v1", resources=[resource], custom=True)
    group = InstalledGroup(name="a.example.com", versions=[version])
    found = (await document("/openapi/v3/apis/a.example.com/v1", group))["components"]["schemas"]
    widget = found["com.example.a.v1.Widget"]
    assert widget["properties"]["spec"] == spec
    assert widget["x-kubernetes-selectable-fields"] == [{"fieldPath": "spec.color"}]


async def test_what_only_looks_like_a_reference_is_left_alone() -> None:
    spec = {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "default": {"$ref": "elsewhere"}}
    schema = Schema.of({"type": "object", "properties": {"spec": spec, "$ref": {"type": "string"}}})
    version = InstalledVersion(version="v1", resources=[widgets(schema=lambda: schema)], custom=True)
    group = InstalledGroup(name="a.example.com", versions=[version])
    found = (await document("/openapi/v3/apis/a.example.com/v1", group))["components"]["schemas"]
    assert found["com.example.a.v1.Widget"]["properties"]["spec"]["default"] == {"$ref": "elsewhere"}
    assert "elsewhere" not in found


async def test_without_a_schema_a_kind_may_hold_anything() -> None:
    schema = Schema.of(None)
    version = InstalledVersion(version="v1", resources=[widgets(schema=lambda: schema)], custom=True)
    group = InstalledGroup(name="a.example.com", versions=[version])
    found = (await document("/openapi/v3/apis/a.example.com/v1", group))["components"]["schemas"]
    assert found["com.example.a.v1.Widget"]["x-kubernetes-preserve-unknown-fields"] is True
    assert found["com.example.a.v1.Widget"]["x-kubernetes-group-version-kind"]
