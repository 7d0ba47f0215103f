"""ValidatingAdmissionPolicies decide about writes, as their bindings want it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

from localplane.apimachinery.errors import AlreadyExists, APIError
from localplane.apimachinery.objects import JSONObject
from localplane.client import Client, GroupVersionResource
from localplane.client.kubeconfig import load_file, resolve
from localplane.client.transport.headers import ServerWarning
from localplane.compose.server import Plane
from tests.integration.admission.reviewing import BINDINGS, CONFIG_MAPS, NAMESPACES, POLICIES, config_map

pytestmark = pytest.mark.asyncio(loop_scope="module")

RULE = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}


@asynccontextmanager
async def policy(client: Client, spec: JSONObject, **binding: Any) -> AsyncIterator[None]:
    """A policy about new ConfigMaps, with a binding that denies unless it says otherwise."""
    whole = {"matchConstraints": {"resourceRules": [RULE]}, **spec}
    bound = {"policyName": "p", "validationActions": ["Deny"], **binding}
    await client.resource(POLICIES).create({"metadata": {"name": "p"}, "spec": whole})
    await client.resource(BINDINGS).create({"metadata": {"name": "b"}, "spec": bound})
    await client.resource(POLICIES).list()  # waits until everybody sees it
    try:
        yield
    finally:
        await client.resource(BINDINGS).delete("b")
        await client.resource(POLICIES).delete("p")


async def denial(plane: Plane, obj: JSONObject, resource: GroupVersionResource = CONFIG_MAPS) -> str:
    """Why it is denied, beside who denied it; empty if it is not."""
    namespace = "default" if resource == CONFIG_MAPS else ""
    try:
        await plane.client.resource(resource, namespace).create(obj, dry_run=True)
    except APIError as error:
        return error.message.partition(" denied request: ")[2] or error.message
    return ""


def checks(*expressions: str, **rest: Any) -> JSONObject:
    return {"validations": [{"expression": each} for each in expressions], **rest}


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        (checks("object.data.a == '1'"), ""),
        (checks("object.data.a == '2'"), "failed expression: object.data.a == '2'"),
        (
            checks("object.data.b == '2'"),
            "expression 'object.data.b == '2'' resulted in error: no such key: b",
        ),
        (checks("object.data.b == '2'", failurePolicy="Ignore"), ""),
        (checks("oldObject == null && request.operation == 'CREATE' && request.dryRun"), ""),
        (checks("namespaceObject.metadata.name == 'default' && namespaceObject.status.phase == 'Active'"), ""),
        (checks("request.userInfo.groups.exists(group, group == 'x')"), "failed expression: request.userInfo.groups."),
        (checks("authorizer.requestResource.check('delete').allowed()"), ""),
        (
            checks("authorizer.serviceAccount('default', 'x').group('').resource('pods').check('get').allowed()"),
            "failed expression: authorizer.serviceAccount",
        ),
        (
            checks(
                "variables.twice == '11'",
                variables=[
                    {"name": "once", "expression": "object.data.a"},
                    {"name": "twice", "expression": "string(variables.once) + string(variables.once)"},
                ],
            ),
            "",
        ),
        (
            checks("variables.bad == 1", variables=[{"name": "bad", "expression": "object.x"}]),
            "expression 'variables.bad == 1' resulted in error: composited variable \"bad\" fails to evaluate: no such",
        ),
        (
            checks("false", matchConditions=[{"name": "n", "expression": "object.metadata.name == 'other'"}]),
            "",
        ),
        (
            checks("true", matchConditions=[{"name": "n", "expression": "object.nothing == 1"}]),
            "expression 'object.nothing == 1' resulted in error: no such key: nothing",
        ),
        (
            checks("true", auditAnnotations=[{"key": "k", "valueExpression": "string(object.nothing)"}]),
            "expression 'string(object.nothing)' resulted in error: no such key: nothing",
        ),
        (
            {"validations": [{"expression": "false", "messageExpression": "'no ' + object.data.a", "message": "m"}]},
            "no 1",
        ),
        ({"validations": [{"expression": "false", "messageExpression": "object.data.b + ''", "message": "m"}]}, "m"),
    ],
)
async def test_expressions_decide(plane: Plane, spec: JSONObject, told: str) -> None:
    async with policy(plane.client, spec):
        found = await denial(plane, config_map("c", a="1"))
    assert found.startswith(told)
    assert bool(found) == bool(told)


async def test_a_binding_narrows_what_the_policy_is_about(plane: Plane) -> None:
    async with policy(plane.client, checks("false"), matchResources={"objectSelector": {"matchLabels": {"a": "b"}}}):
        assert not await denial(plane, config_map("c"))
        assert await denial(plane, {"metadata": {"name": "c", "labels": {"a": "b"}}})
    excluded = {"excludeResourceRules": [RULE | {"resourceNames": ["free"]}]}
    async with policy(plane.client, checks("false"), matchResources=excluded):
        assert not await denial(plane, config_map("free"))
        assert await denial(plane, config_map("bound"))


async def test_a_warning_lets_it_pass(plane: Plane) -> None:
    heard: list[ServerWarning] = []
    config = resolve(load_file(plane.kubeconfig))
    async with (
        Client.connect(config, warn=heard.append) as client,
        policy(plane.client, checks("false"), validationActions=["Warn", "Audit"]),
    ):
        await client.resource(CONFIG_MAPS, "default").create(config_map("warned"), dry_run=True)
    assert [each.text for each in heard] == [
        "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': failed expression: false"
    ]


@pytest.mark.parametrize(
    ("reference", "told"),
    [
        ({"name": "limits"}, "failed expression: object.data.size() <= int(params.data.most)"),
        ({"name": "limits", "namespace": "params"}, ""),
        ({"selector": {"matchLabels": {"is": "limit"}}}, "failed expression: object.data.size() <= "),
        ({"selector": {"matchLabels": {"is": "none"}}}, ""),
        (
            {"name": "none", "parameterNotFoundAction": "Deny"},
            "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
        ),
    ],
)
async def test_parameters_are_looked_up(plane: Plane, reference: JSONObject, told: str) -> None:
    with suppress(AlreadyExists):
        await plane.client.resource(NAMESPACES).create({"metadata": {"name": "params"}})
    for namespace, most in (("default", "1"), ("params", "9")):
        limits = {"metadata": {"name": "limits", "labels": {"is": "limit"}}, "data": {"most": most}}
        with suppress(AlreadyExists):
            await plane.client.resource(CONFIG_MAPS, namespace).create(limits)
    spec = checks("object.data.size() <= int(params.data.most)", paramKind={"apiVersion": "v1", "kind": "ConfigMap"})
    async with policy(plane.client, spec, paramRef={"parameterNotFoundAction": "Allow", **reference}):
        found = await denial(plane, config_map("c", a="1", b="2"))
    assert found.startswith(told)
    assert bool(found) == bool(told)


async def test_a_kind_of_parameters_that_nobody_serves_is_told(plane: Plane) -> None:
    spec = checks("true", paramKind={"apiVersion": "example.com/v1", "kind": "Limit"})
    async with policy(plane.client, spec, paramRef={"name": "x", "parameterNotFoundAction": "Allow"}):
        found = await denial(plane, config_map("c"))
    assert found == (
        "failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'"
    )


async def test_a_namespace_is_in_no_namespace(plane: Plane) -> None:
    rules = {"resourceRules": [RULE | {"resources": ["namespaces"], "scope": "Cluster"}]}
    async with policy(plane.client, checks("namespaceObject != null", matchConstraints=rules)):
        assert await denial(plane, {"metadata": {"name": "fresh"}}, NAMESPACES) == (
            "failed expression: namespaceObject != null"
        )


async def test_expressions_that_don_t_compile_are_not_stored(plane: Plane) -> None:
    spec = checks("object.x", "params.y == 1", matchConstraints={"resourceRules": [RULE]})
    with pytest.raises(APIError) as raised:
        await plane.client.resource(POLICIES).create({"metadata": {"name": "bad"}, "spec": spec})
    assert raised.value.message == (
        'ValidatingAdmissionPolicy.admissionregistration.k8s.io "bad" is invalid: [spec.validations[0].expression: '
        'Invalid value: "object.x": must evaluate to bool but got dyn, spec.validations[1].expression: Invalid value: '
        "\"params.y == 1\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' "
        "(in container '')\n | params.y == 1\n | ^]"
    )
