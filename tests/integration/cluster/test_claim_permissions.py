"""What claims want of those who make them and write their status."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.errors import Invalid
from localplane.client import Client, GroupVersionResource
from localplane.compose.server import Plane

pytestmark = pytest.mark.asyncio(loop_scope="module")

GROUP = "resource.k8s.io"
RBAC = "rbac.authorization.k8s.io"
CLAIMS = GroupVersionResource(GROUP, "v1", "resourceclaims")
TEMPLATES = GroupVersionResource(GROUP, "v1", "resourceclaimtemplates")
NAMESPACES = GroupVersionResource("", "v1", "namespaces")
ROLES = GroupVersionResource(RBAC, "v1", "clusterroles")
BINDINGS = GroupVersionResource(RBAC, "v1", "clusterrolebindings")
DEVICE = {"driver": "gpu.example.com", "pool": "node-1", "device": "gpu-0"}
WRITE = {"apiGroups": [GROUP], "resources": ["resourceclaims/status"], "verbs": ["update"]}
BIND = {"apiGroups": [GROUP], "resources": ["resourceclaims/binding"], "verbs": ["update"]}


def driver_rule(verb: str, driver: str = DEVICE["driver"]) -> dict[str, Any]:
    return {"apiGroups": [GROUP], "resources": ["resourceclaims/driver"], "verbs": [verb], "resourceNames": [driver]}


async def allowed(plane: Plane, account: str, *rules: dict[str, Any]) -> Client:
    subject = {"kind": "ServiceAccount", "name": account, "namespace": "default"}
    reference = {"apiGroup": RBAC, "kind": "ClusterRole", "name": account}
    head = {"apiVersion": f"{RBAC}/v1", "metadata": {"name": account}}
    await plane.client.resource(ROLES).create({**head, "kind": "ClusterRole", "rules": list(rules)})
    await plane.client.resource(BINDINGS).create(
        {**head, "kind": "ClusterRoleBinding", "roleRef": reference, "subjects": [subject]}
    )
    return plane.client.acting_as(f"system:serviceaccount:default:{account}")


async def claim(plane: Plane, name: str, *, allocated: bool = True) -> dict[str, Any]:
    claims = plane.client.resource(CLAIMS, "default")
    exactly = {"deviceClassName": "gpu"}
    spec = {"devices": {"requests": [{"name": "one", "exactly": exactly}]}}
    made = await claims.create(
        {"apiVersion": f"{GROUP}/v1", "kind": "ResourceClaim", "metadata": {"name": name}, "spec": spec}
    )
    if not allocated:
        return made
    return await claims.update({**made, "status": {"allocation": allocation()}}, subresource="status")


def allocation() -> dict[str, Any]:
    field = {"key": "metadata.name", "operator": "In", "values": ["node-1"]}
    selector = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    return {"devices": {"results": [{"request": "one", **DEVICE}]}, "nodeSelector": selector}


def reported(claim: dict[str, Any]) -> dict[str, Any]:
    return {**claim, "status": {**claim["status"], "devices": [{**DEVICE, "data": {"is": "warm"}}]}}


async def test_allocating_wants_the_permission_to_bind(plane: Plane) -> None:
    made = await claim(plane, "unbound", allocated=False)
    bound = {**made, "status": {"allocation": allocation()}}
    writer = await allowed(plane, "writer", WRITE)
    with pytest.raises(
        Invalid, match=r'requires resource="resourceclaims/binding", verb="update" permission: .*cannot'
    ):
        await writer.resource(CLAIMS, "default").update(bound, subresource="status")
    binder = await allowed(plane, "binder", WRITE, BIND)
    written = await binder.resource(CLAIMS, "default").update(bound, subresource="status")
    assert written["status"]["allocation"]["devices"]["results"][0]["device"] == "gpu-0"


async def test_reporting_of_a_device_wants_the_permission_for_its_driver(plane: Plane) -> None:
    report = reported(await claim(plane, "cold"))
    for account, rule in {"none": BIND, "other": driver_rule("arbitrary-node:update", "other.example.com")}.items():
        client = await allowed(plane, account, WRITE, rule)
        with pytest.raises(Invalid, match=r'resource="resourceclaims/driver", verb="\[arbitrary-node:update\]"'):
            await client.resource(CLAIMS, "default").update(report, subresource="status")
    driver = await allowed(plane, "driver", WRITE, driver_rule("arbitrary-node:update"))
    written = await driver.resource(CLAIMS, "default").update(report, subresource="status")
    assert written["status"]["devices"][0]["data"] == {"is": "warm"}


async def test_a_claim_for_administration_is_made_only_where_the_namespace_allows_it(plane: Plane) -> None:
    exactly = {"deviceClassName": "gpu", "adminAccess": True}
    spec = {"devices": {"requests": [{"name": "all", "exactly": exactly}]}}
    head = {"apiVersion": f"{GROUP}/v1", "metadata": {"name": "admin"}}
    bodies: dict[GroupVersionResource, dict[str, Any]] = {
        CLAIMS: {**head, "kind": "ResourceClaim", "spec": spec},
        TEMPLATES: {**head, "kind": "ResourceClaimTemplate", "spec": {"spec": spec}},
    }
    namespace: dict[str, Any] = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "administration"}}
    namespaces = plane.client.resource(NAMESPACES)
    made = await namespaces.create(namespace)
    for resource, body in bodies.items():
        with pytest.raises(
            Invalid, match=r"spec.devices.requests\[0\].adminAccess: Forbidden: admin access to devices"
        ):
            await plane.client.resource(resource, "administration").create(body)
    made["metadata"].setdefault("labels", {})["resource.kubernetes.io/admin-access"] = "true"
    await namespaces.update(made)
    for resource, body in bodies.items():
        assert (await plane.client.resource(resource, "administration").create(body))["metadata"]["uid"]
