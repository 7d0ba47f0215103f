"""MutatingAdmissionPolicies change what is written."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.client import GroupVersionResource
from localplane.compose.server import Plane
from tests.integration.admission.reviewing import CONFIG_MAPS, GROUP, config_map

pytestmark = pytest.mark.asyncio(loop_scope="module")

POLICIES = GroupVersionResource(GROUP, "v1", "mutatingadmissionpolicies")
BINDINGS = GroupVersionResource(GROUP, "v1", "mutatingadmissionpolicybindings")
PODS = GroupVersionResource("", "v1", "pods")
RULE = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps", "pods"]}


def applying(expression: str) -> JSONObject:
    return {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}


def patching(expression: str) -> JSONObject:
    return {"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}


@asynccontextmanager
async def policies(plane: Plane, *specs: JSONObject, **binding: Any) -> AsyncIterator[None]:
    """Policies about new ConfigMaps and Pods, each with a binding."""
    client = plane.client
    for number, spec in enumerate(specs):
        whole = {"matchConstraints": {"resourceRules": [RULE]}, "reinvocationPolicy": "Never", **spec}
        await client.resource(POLICIES).create({"metadata": {"name": f"p{number}"}, "spec": whole})
        bound = {"policyName": f"p{number}", **binding}
        await client.resource(BINDINGS).create({"metadata": {"name": f"b{number}"}, "spec": bound})
    try:
        yield
    finally:
        for number in range(len(specs)):
            await client.resource(BINDINGS).delete(f"b{number}")
            await client.resource(POLICIES).delete(f"p{number}")


async def made(plane: Plane, obj: JSONObject, resource: GroupVersionResource = CONFIG_MAPS) -> JSONObject:
    return await plane.client.resource(resource, "default").create(obj, dry_run=True)


@pytest.mark.parametrize(
    ("mutation", "data"),
    [
        (applying("Object{data: {'b': object.data.a + '!'}}"), {"a": "1", "b": "1!"}),
        (applying("Object{data: {'a': request.name}}"), {"a": "c"}),
        (patching('[JSONPatch{op: "add", path: "/data/b", value: "2"}]'), {"a": "1", "b": "2"}),
        (patching('[JSONPatch{op: "replace", path: "/data", value: {"x": "y"}}]'), {"x": "y"}),
        (
            patching(
                '[JSONPatch{op: "add", path: "/data/" + jsonpatch.escapeKey("a/b").replace("~1", "."), value: "2"}]'
            ),
            {"a": "1", "a.b": "2"},
        ),
        (
            patching('[JSONPatch{op: "test", path: "/data/a", value: "2"}, JSONPatch{op: "remove", path: "/data/a"}]'),
            {"a": "1"},
        ),
    ],
)
async def test_expressions_make_patches(plane: Plane, mutation: JSONObject, data: JSONObject) -> None:
    async with policies(plane, {"mutations": [mutation]}):
        assert (await made(plane, config_map("c", a="1")))["data"] == data


async def test_a_container_is_merged_by_its_name_and_defaulted(plane: Plane) -> None:
    expression = (
        "Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: 'mesh', image: 'proxy'}], "
        "containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, "
        "env: [Object.spec.containers.env{name: 'SEEN', value: 'yes'}]})}}"
    )
    env = [{"name": "OWN", "value": "1"}]
    pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i", "env": env}]}}
    async with policies(plane, {"mutations": [applying(expression)]}):
        spec = (await made(plane, pod, PODS))["spec"]
    assert spec["initContainers"][0]["imagePullPolicy"] == "Always"
    assert {each["name"]: each["value"] for each in spec["containers"][0]["env"]} == {"OWN": "1", "SEEN": "yes"}
    assert spec["containers"][0]["image"] == "i"


async def test_variables_conditions_and_order(plane: Plane) -> None:
    first = {
        "variables": [{"name": "twice", "expression": "object.data.a + object.data.a"}],
        "matchConditions": [{"name": "n", "expression": "object.metadata.name != 'free'"}],
        "mutations": [applying("Object{data: {'a': variables.twice}}")],
    }
    second = {"mutations": [applying("Object{data: {'b': object.data.a}}")]}
    async with policies(plane, first, second):
        assert (await made(plane, config_map("c", a="1")))["data"] == {"a": "11", "b": "11"}
        assert (await made(plane, config_map("free", a="1")))["data"] == {"a": "1", "b": "1"}


async def test_one_that_wants_to_sees_later_changes(plane: Plane) -> None:
    first = {
        "reinvocationPolicy": "IfNeeded",
        "mutations": [applying("Object{data: {'size': string(object.data.size())}}")],
    }
    second = {"mutations": [applying("Object{data: {'b': '2'}}")]}
    async with policies(plane, first, second):
        assert (await made(plane, config_map("c", a="1")))["data"] == {"a": "1", "b": "2", "size": "3"}


async def test_a_failure_refuses_or_is_passed_over(plane: Plane) -> None:
    failing = {"mutations": [applying("Object{data: {'b': object.data.missing}}")]}
    async with policies(plane, failing):
        with pytest.raises(APIError) as raised:
            await made(plane, config_map("c", a="1"))
    why = (
        "policy 'p0' with binding 'b0' denied request: expression 'Object{data: {'b': object.data.missing}}' "
        "resulted in error: no such key: missing"
    )
    assert raised.value.status() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": why,
        "reason": "Invalid",
        "details": {"name": "c", "kind": "configmaps", "causes": [{"message": why}]},
        "code": 403,
    }
    async with policies(plane, failing | {"failurePolicy": "Ignore"}):
        assert (await made(plane, config_map("c", a="1")))["data"] == {"a": "1"}


async def test_what_is_one_whole_can_t_be_applied_to(plane: Plane) -> None:
    expression = "Object{spec: Object.spec{nodeSelector: {'a': 'b'}, tolerations: [Object.spec.tolerations{key: 'k'}]}}"
    pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    async with policies(plane, {"mutations": [applying(expression)]}):
        with pytest.raises(APIError, match=r"may not mutate atomic arrays, maps or structs: .*\.spec\.tolerations"):
            await made(plane, pod, PODS)


async def test_expressions_that_don_t_compile_are_not_stored(plane: Plane) -> None:
    spec = {
        "matchConstraints": {"resourceRules": [RULE]},
        "reinvocationPolicy": "Never",
        "mutations": [applying("[1]"), patching("Nonsense{}")],
    }
    with pytest.raises(APIError) as raised:
        await plane.client.resource(POLICIES).create({"metadata": {"name": "bad"}, "spec": spec})
    assert "must evaluate to Object but got list(int)" in raised.value.message
    assert "undeclared reference to 'Nonsense' (in container '')" in raised.value.message
