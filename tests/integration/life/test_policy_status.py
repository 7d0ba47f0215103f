"""Admission policies say where their expressions don't fit the types that they are about."""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.objects import JSONObject
from tests.integration.life.world import World, cluster

POLICIES = "admissionregistration.k8s.io/v1/validatingadmissionpolicies"
DEFINITIONS = "apiextensions.k8s.io/v1/customresourcedefinitions"
CONTROLLER = "validatingadmissionpolicy-status-controller"


def policy(
    name: str, validations: list[JSONObject], group: str, version: str, resource: str, **spec: Any
) -> JSONObject:
    rule = {
        "apiGroups": [group],
        "apiVersions": [version],
        "resources": [resource],
        "operations": ["CREATE"],
    }
    said = {"matchConstraints": {"resourceRules": [rule]}, "validations": validations} | spec
    return {"metadata": {"name": name}, "spec": said}


async def warnings(world: World, obj: JSONObject) -> list[JSONObject]:
    made = await world.create(POLICIES, obj, "")
    checked = await world.becomes(
        POLICIES,
        made["metadata"]["name"],
        lambda found: "typeChecking" in (found.get("status") or {}),
        "",
    )
    assert checked["status"]["observedGeneration"] == checked["metadata"]["generation"]
    found: list[JSONObject] = checked["status"]["typeChecking"].get("expressionWarnings") or []
    return found


async def test_expressions_that_fit_have_no_warnings() -> None:
    async with cluster(CONTROLLER, nodes=0) as world:
        right = [
            {"expression": "object.spec.replicas > 1", "messageExpression": "'got ' + string(object.spec.replicas)"},
            {"expression": "object.metadata.labels['a'] == 'b' && has(object.spec.template.spec.nodeName)"},
            {"expression": "variables.many && params.data['a'] == 'b' && request.operation == 'CREATE'"},
            {"expression": "object.spec.template.spec.containers.all(c, c.image.startsWith('a'))"},
            {"expression": "object.metadata.creationTimestamp < timestamp('2026-01-01T00:00:00Z')"},
        ]
        variables = [{"name": "many", "expression": "object.spec.replicas > 5"}]
        params = {"apiVersion": "v1", "kind": "ConfigMap"}
        made = policy("right", right, "apps", "v1", "deployments", variables=variables, paramKind=params)
        assert await warnings(world, made) == []


async def test_confused_types_are_told_with_their_place() -> None:
    async with cluster(CONTROLLER, nodes=0) as world:
        confused = {
            "expression": "object.spec.replicas > '1'",
            "messageExpression": "'wants replicas > 1, got ' + object.spec.replicas",
        }
        params = {"apiVersion": "v1", "kind": "ConfigMap"}
        wrong = {"expression": "params.data == 'a' && object.spec.nothing"}
        made = policy("confused", [confused, wrong], "apps", "v1", "deployments", paramKind=params)
        first, second, third = await warnings(world, made)
        assert first["fieldRef"] == "spec.validations[0].expression"
        assert first["warning"] == (
            "apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_>_' applied to "
            "'(int, string)'\n | object.spec.replicas > '1'\n | .....................^\n"
        )
        assert second["fieldRef"] == "spec.validations[0].messageExpression"
        assert "found no matching overload for '_+_' applied to '(string, int)'" in second["warning"]
        assert third["fieldRef"] == "spec.validations[1].expression"
        assert "found no matching overload for '_==_' applied to '(map(string, string), string)'" in third["warning"]
        assert "undefined field 'nothing'" in third["warning"]


async def test_custom_resources_are_checked_too() -> None:
    async with cluster(CONTROLLER, nodes=0) as world:
        schema = {
            "type": "object",
            "properties": {"spec": {"type": "object", "properties": {"retries": {"type": "integer"}}}},
        }
        version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
        names = {"plural": "tasks", "singular": "task", "kind": "Task", "listKind": "TaskList"}
        spec = {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]}
        await world.create(DEFINITIONS, {"metadata": {"name": "tasks.example.com"}, "spec": spec}, "")
        await world.becomes(
            DEFINITIONS,
            "tasks.example.com",
            lambda made: any(
                each["type"] == "Established" and each["status"] == "True"
                for each in (made.get("status") or {}).get("conditions") or ()
            ),
            "",
        )
        expressions = ["object.spec.retries > 1 && object.metadata.labels.size() > 0", "object.spec.maxRetries > 1"]
        validations = [{"expression": each} for each in expressions]
        for name in ("tasks", "again"):
            (warning,) = await warnings(world, policy(name, validations, "example.com", "v1", "tasks"))
        assert warning["fieldRef"] == "spec.validations[1].expression"
        assert warning["warning"].startswith("example.com/v1, Kind=Task: ERROR: ")
        assert "undefined field 'maxRetries'" in warning["warning"]


async def test_a_policy_about_everything_is_about_no_type() -> None:
    async with cluster(CONTROLLER, nodes=0) as world:
        wrong = [{"expression": "object.spec.replicas > '1'"}]
        assert await warnings(world, policy("all", wrong, "*", "*", "*")) == []
