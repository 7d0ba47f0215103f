"""What Kubernetes' server says of requests that are nearly right: forms that nothing has, versions that are gone,
roles that are none, and who made what a fresh cluster has."""

from __future__ import annotations

import re
from typing import Any

import orjson
import pytest

from localplane.apimachinery.errors import APIError, BadRequest, Invalid, NotAcceptable, NotFound
from localplane.client import Client, GroupVersionResource, PatchType
from localplane.compose.server import Plane

pytestmark = pytest.mark.asyncio(loop_scope="module")

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
METADATA = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
METADATA_LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
POD = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
ACCESS = {"spec": {"nonResourceAttributes": {"path": "/", "verb": "get"}}}


async def ask(
    client: Client, method: str, path: str, body: dict[str, Any] | None = None, *, accept: str = "application/json"
) -> dict[str, Any]:
    path, _, text = path.partition("?")
    query = [("dryRun", "All")] if text else []
    sent = None if body is None else orjson.dumps(body)
    headers = [("Accept", accept), ("Content-Type", "application/json")]
    response = await client.request(method, path, query=query, headers=headers, body=sent)
    answer: dict[str, Any] = orjson.loads(response.body)
    return answer


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", ACCESS),
        ("POST", "/apis/authentication.k8s.io/v1/tokenreviews", {"spec": {"token": "x"}}),
        ("GET", "/api/v1/namespaces/forms/pods/p/resize", None),
        ("GET", "/api/v1/namespaces/forms/pods/p/ephemeralcontainers", None),
        ("POST", "/api/v1/namespaces/forms/pods/p/eviction?dryRun=All", {"metadata": {"name": "p"}}),
        ("GET", "/apis/apiregistration.k8s.io/v1/apiservices/v1./status", None),
    ],
)
async def test_what_nobody_lists_has_no_table(
    plane: Plane, method: str, path: str, body: dict[str, Any] | None
) -> None:
    await _pod(plane)
    with pytest.raises(NotAcceptable, match="only the following media types are accepted: application/json"):
        await ask(plane.client, method, path, body, accept=TABLE)


@pytest.mark.parametrize("path", ["pods/p/status", "pods/p", "pods"])
async def test_what_is_listed_and_its_status_have_one(plane: Plane, path: str) -> None:
    await _pod(plane)
    table = await ask(plane.client, "GET", f"/api/v1/namespaces/forms/{path}", accept=TABLE)
    assert (table["kind"], table["rows"][0]["cells"][0]) == ("Table", "p")


async def test_a_status_has_one_form(plane: Plane) -> None:
    await _pod(plane)
    path = "/api/v1/namespaces/forms/pods/p/eviction?dryRun=All"
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}}
    for accept in (METADATA, METADATA_LIST):
        answer = await ask(plane.client, "POST", path, eviction, accept=accept)
        assert (answer["kind"], answer["status"]) == ("Status", "Success")


async def test_the_metadata_of_nothing_is_null(plane: Plane) -> None:
    answer = await ask(plane.client, "GET", "/api/v1/namespaces/nowhere/pods", accept=METADATA_LIST)
    assert answer["items"] is None


@pytest.mark.parametrize("api_version", ["apps/v1beta2", "extensions/v1beta1"])
async def test_versions_that_are_gone_are_still_known(plane: Plane, api_version: str) -> None:
    deployment = {"apiVersion": api_version, "kind": "Deployment", "metadata": {"name": "d"}}
    with pytest.raises(BadRequest) as refused:
        await ask(plane.client, "POST", "/apis/apps/v1/namespaces/default/deployments", deployment)
    assert str(refused.value) == (
        f"the API version in the data ({api_version}) does not match the expected API version (apps/v1)"
    )


async def test_a_broken_selector_of_a_cluster_role_is_told_twice(plane: Plane) -> None:
    selector = {"matchExpressions": [{"key": "a", "operator": "In"}]}
    role = {"metadata": {"name": "r"}, "aggregationRule": {"clusterRoleSelectors": [selector]}}
    with pytest.raises(Invalid) as refused:
        await ask(plane.client, "POST", f"{RBAC}/clusterroles", role)
    place = "aggregationRule.clusterRoleSelectors[0]"
    causes = [(cause["field"], cause["message"]) for cause in refused.value.status()["details"]["causes"]]
    assert causes == [
        (
            f"{place}.matchExpressions[0].values",
            "Required value: must be specified when `operator` is 'In' or 'NotIn'",
        ),
        (place, "Invalid value: null: invalid label selector."),
    ]


async def test_a_binding_to_a_kind_that_is_no_role_is_an_error_to_whoever_is_not_trusted(plane: Plane) -> None:
    writer = {"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["clusterrolebindings"], "verbs": ["create"]}
    await ask(plane.client, "POST", f"{RBAC}/clusterroles", {"metadata": {"name": "binder"}, "rules": [writer]})
    subjects = [{"kind": "User", "name": "bob", "apiGroup": "rbac.authorization.k8s.io"}]
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "binder"}
    binding = {"metadata": {"name": "binder"}, "roleRef": reference, "subjects": subjects}
    await ask(plane.client, "POST", f"{RBAC}/clusterrolebindings", binding)
    other = binding | {"metadata": {"name": "other"}, "roleRef": reference | {"kind": "Bogus"}}
    bob = plane.client.acting_as("bob", groups=["system:authenticated"])
    with pytest.raises(APIError) as refused:
        await ask(bob, "POST", f"{RBAC}/clusterrolebindings", other)
    assert (refused.value.code, str(refused.value)) == (500, 'unsupported role reference kind: "Bogus"')


@pytest.mark.parametrize(
    ("path", "manager"),
    [
        ("/api/v1/namespaces/default", "kube-apiserver"),
        ("/api/v1/namespaces/default/services/kubernetes", "kube-apiserver"),
        (f"{RBAC}/clusterroles/view", "kube-apiserver"),
        (
            "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/exempt",
            "api-priority-and-fairness-config-producer-v1",
        ),
    ],
)
async def test_the_server_itself_manages_what_a_fresh_cluster_has(plane: Plane, path: str, manager: str) -> None:
    obj = await ask(plane.client, "GET", path)
    assert manager in {entry["manager"] for entry in obj["metadata"]["managedFields"]}


async def test_nobody_manages_what_strategies_fill_in(plane: Plane) -> None:
    namespace = await ask(plane.client, "GET", "/api/v1/namespaces/default")
    service = await ask(plane.client, "GET", "/api/v1/namespaces/default/services/kubernetes")
    assert list(namespace["metadata"]["managedFields"][0]["fieldsV1"]) == ["f:metadata"]
    assert "f:clusterIPs" not in service["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]


async def _pod(plane: Plane) -> None:
    namespaces = plane.client.resource(GroupVersionResource("", "v1", "namespaces"))
    names = {each["metadata"]["name"] for each in (await namespaces.list())["items"]}
    if "forms" not in names:
        await namespaces.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "forms"}})
        await ask(plane.client, "POST", "/api/v1/namespaces/forms/pods", POD)


@pytest.mark.parametrize("endpoint", ["healthz", "livez", "readyz"])
@pytest.mark.parametrize(
    "check",
    [
        "autoregister-completion",
        "poststarthook/start-apiextensions-controllers",
        "poststarthook/start-kube-aggregator-informers",
        "poststarthook/start-service-ip-repair-controllers",
        "poststarthook/generic-apiserver-start-informers",
        "poststarthook/priority-and-fairness-config-consumer",
    ],
)
async def test_health_checks_have_kubernetes_names(plane: Plane, endpoint: str, check: str) -> None:
    found = plane.server.checks.find(endpoint, check)
    assert found is not None
    await found.run()


async def test_a_patch_that_takes_a_namespaces_metadata_away_is_a_bad_request(plane: Plane) -> None:
    headers = [("Content-Type", "application/merge-patch+json")]
    with pytest.raises(BadRequest, match="name must be provided"):
        await plane.client.request("PATCH", "/api/v1/namespaces/default", headers=headers, body=b'{"metadata":null}')


@pytest.mark.parametrize(
    ("path", "fields", "cells"),
    [
        ("/api/v1/pods", {"spec": {"containers": None}, "status": {}}, ["", "0/0", "", "0", "<unknown>"]),
        ("/api/v1/configmaps", {}, ["", 0, "<unknown>"]),
        ("/apis/rbac.authorization.k8s.io/v1/roles", {"rules": None}, ["", "0001-01-01T00:00:00Z"]),
    ],
)
async def test_a_bookmark_is_as_empty_as_its_kind_can_be(
    plane: Plane, path: str, fields: dict[str, Any], cells: list[Any]
) -> None:
    query = [
        ("watch", "true"),
        ("allowWatchBookmarks", "true"),
        ("sendInitialEvents", "true"),
        ("resourceVersionMatch", "NotOlderThan"),
        ("labelSelector", "nobody=has"),
        ("timeoutSeconds", "1"),
    ]
    events = []
    for accept in ("application/json", TABLE):
        response = await plane.client.request("GET", path, query=query, headers=[("Accept", accept)])
        events.append(orjson.loads(response.body.splitlines()[0]))
    plain, table = (event["object"] for event in events)
    assert [event["type"] for event in events] == ["BOOKMARK", "BOOKMARK"]
    assert {key: value for key, value in plain.items() if key not in ("kind", "apiVersion", "metadata")} == fields
    (row,) = table["rows"]
    assert row["cells"][: len(cells)] == cells
    assert row["object"]["metadata"].keys() == {"resourceVersion", "annotations"}


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (b"\x7f", "control characters are not allowed"),
        ("\x80".encode(), "control characters are not allowed"),
        ("\ufffe".encode(), "control characters are not allowed"),
        (b"\xff", "invalid leading UTF-8 octet"),
        (b"\\ud83d\\ude00", "found invalid Unicode character escape code"),
    ],
)
async def test_json_that_is_applied_is_read_as_yaml_which_has_fewer_characters(
    plane: Plane, value: bytes, problem: str
) -> None:
    body = b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"' + value + b'"}}'
    headers = [("Content-Type", "application/apply-patch+yaml")]
    query = [("fieldManager", "m"), ("dryRun", "All")]
    path = "/api/v1/namespaces/default/configmaps/c"
    with pytest.raises(BadRequest, match=f"error converting YAML to JSON: yaml: {problem}"):
        await plane.client.request("PATCH", path, query=query, headers=headers, body=body)
    plain = body.replace(value, "\ttab, smile \U0001f600".encode())
    made = await plane.client.request("PATCH", path, query=query, headers=headers, body=plain)
    assert orjson.loads(made.body)["data"] == {"a": "\ttab, smile \U0001f600"}


@pytest.mark.parametrize(("number", "replicas"), [(b"4294967299", 3), (b"2.0", 2), (b"1e3", 1000), (b"1e20", 0)])
async def test_an_integer_that_is_applied_is_cut_to_what_its_field_holds(
    plane: Plane, number: bytes, replicas: int
) -> None:
    assert (await _applied(plane, number))["spec"]["replicas"] == replicas


async def test_what_is_left_of_an_integer_is_validated_and_a_fraction_is_none(plane: Plane) -> None:
    with pytest.raises(
        Invalid, match=r"spec\.replicas: Invalid value: -2147483648: must be greater than or equal to 0"
    ):
        await _applied(plane, b"2147483648")
    with pytest.raises(APIError, match="cannot convert float64 to int32"):
        await _applied(plane, b"1.5")


async def _applied(plane: Plane, replicas: bytes) -> dict[str, Any]:
    body = b"""{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {
        "replicas": %s, "selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}},
        "spec": {"containers": [{"name": "c", "image": "i"}]}}}}"""
    headers = [("Content-Type", "application/apply-patch+yaml")]
    query = [("fieldManager", "m"), ("dryRun", "All")]
    path = "/apis/apps/v1/namespaces/default/deployments/d"
    response = await plane.client.request("PATCH", path, query=query, headers=headers, body=body % replicas)
    answer: dict[str, Any] = orjson.loads(response.body)
    return answer


async def test_a_strategic_patch_cuts_integers_and_a_merge_patch_refuses_them(plane: Plane) -> None:
    controllers = plane.client.resource(GroupVersionResource("", "v1", "replicationcontrollers"), "default")
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {"replicas": 1, "selector": {"a": "b"}, "template": template}
    await controllers.create(
        {"apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "r"}, "spec": spec}
    )
    change = {"spec": {"replicas": 2**32 + 3}}
    assert (await controllers.patch("r", change, PatchType.STRATEGIC))["spec"]["replicas"] == 3
    with pytest.raises(Invalid, match="cannot unmarshal number 4294967299 into Go struct field"):
        await controllers.patch("r", change, PatchType.MERGE)


async def test_events_are_missing_by_the_name_of_the_group_that_was_asked(plane: Plane) -> None:
    for group, told in (("", 'events "gone"'), ("events.k8s.io", 'events.events.k8s.io "gone"')):
        with pytest.raises(NotFound, match=f"^{re.escape(told)} not found$"):
            await plane.client.resource(GroupVersionResource(group, "v1", "events"), "default").get("gone")
