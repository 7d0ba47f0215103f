"""What has to go on whatever somebody has stored: one pass over all that a cluster does by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress

from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.server.monitoring.health import Unhealthy
from localplane.client import GroupVersionResource
from localplane.compose.server import Plane

CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
NAMESPACES = GroupVersionResource("", "v1", "namespaces")
PODS = GroupVersionResource("", "v1", "pods")
SECRETS = GroupVersionResource("", "v1", "secrets")
SERVICES = GroupVersionResource("", "v1", "services")
ACCOUNTS = GroupVersionResource("", "v1", "serviceaccounts")
ROLES = GroupVersionResource("rbac.authorization.k8s.io", "v1", "roles")
BINDINGS = GroupVersionResource("rbac.authorization.k8s.io", "v1", "rolebindings")
REVIEWS = GroupVersionResource("authorization.k8s.io", "v1", "localsubjectaccessreviews")
DEFINITIONS = GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
API_SERVICES = GroupVersionResource("apiregistration.k8s.io", "v1", "apiservices")


async def check_life(plane: Plane, name: str, *, poisoned: Collection[str] = ()) -> None:
    """In a namespace of its own, which is gone afterwards. Lists of the resources with these prefixes are refused, as
    Kubernetes refuses them, and so nothing is listed there."""
    await _until(lambda: _is_ready(plane))
    client = plane.client
    await client.resource(NAMESPACES).create({"metadata": {"name": name}})
    await _until(lambda: _is_there(plane, ACCOUNTS, name, "default"))
    await _until(lambda: _is_there(plane, CONFIG_MAPS, name, "kube-root-ca.crt"))
    owner = await client.resource(CONFIG_MAPS, name).create({"metadata": {"name": "owner"}, "data": {"a": "b"}})
    await client.resource(SECRETS, name).create({"metadata": {"name": "owned", "ownerReferences": [_owned_by(owner)]}})
    await client.resource(PODS, name).create(_pod())
    service = await client.resource(SERVICES, name).create(_service())
    assert service["spec"]["clusterIP"]
    await _check_roles(plane, name)
    await _check_definitions(plane, name)
    await client.resource(CONFIG_MAPS, name).delete("owner")
    await _until(lambda: _is_gone(plane, SECRETS, name, "owned"))
    for resource, prefix in ((PODS, "/pods/"), (SERVICES, "/services/specs/"), (NAMESPACES, "/namespaces/")):
        if prefix not in poisoned:
            assert (await client.resource(resource).list())["items"]
    await client.resource(NAMESPACES).delete(name)
    await _until(lambda: _is_gone(plane, NAMESPACES, "", name))


async def _is_ready(plane: Plane) -> bool:
    """Controllers ask for their informers one after the other."""
    try:
        for check in plane.server.checks.of("readyz"):
            await check.run()
    except Unhealthy:
        return False
    return True


async def _check_roles(plane: Plane, namespace: str) -> None:
    rules = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}]
    await plane.client.resource(ROLES, namespace).create({"metadata": {"name": "reader"}, "rules": rules})
    binding = {
        "metadata": {"name": "reader"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "jane"}],
    }
    await plane.client.resource(BINDINGS, namespace).create(binding)
    wanted = {"namespace": namespace, "resource": "configmaps", "verb": "get"}
    review = {"metadata": {"namespace": namespace}, "spec": {"user": "jane", "resourceAttributes": wanted}}
    answer = await plane.client.resource(REVIEWS, namespace).create(review)
    assert answer["status"]["allowed"], answer["status"]


async def _check_definitions(plane: Plane, namespace: str) -> None:
    """A new custom resource is served, registered and gone again with its definition."""
    plural, group = f"{namespace.replace('-', '')}s", f"{namespace}.example.com"
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    definition = {
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": plural.capitalize()},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }
    await plane.client.resource(DEFINITIONS).create(definition)
    resource = GroupVersionResource(group, "v1", plural)
    await _until(lambda: _is_made(plane, resource, namespace))
    await _until(lambda: _is_there(plane, API_SERVICES, "", f"v1.{group}"))
    await plane.client.resource(DEFINITIONS).delete(f"{plural}.{group}")
    await _until(lambda: _is_gone(plane, DEFINITIONS, "", f"{plural}.{group}"))


async def _is_made(plane: Plane, resource: GroupVersionResource, namespace: str) -> bool:
    obj = {"apiVersion": f"{resource.group}/v1", "kind": resource.resource.capitalize(), "metadata": {"name": "one"}}
    with suppress(APIError):
        await plane.client.resource(resource, namespace).create(obj)
    return await _is_there(plane, resource, namespace, "one")


async def _is_there(plane: Plane, resource: GroupVersionResource, namespace: str, name: str) -> bool:
    try:
        await plane.client.resource(resource, namespace).get(name)
    except NotFound:
        return False
    return True


async def _is_gone(plane: Plane, resource: GroupVersionResource, namespace: str, name: str) -> bool:
    return not await _is_there(plane, resource, namespace, name)


async def _until(claim: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(60):
        while not await claim():  # noqa: ASYNC110 - nothing tells when it is so
            await asyncio.sleep(0.02)


def _owned_by(owner: JSONObject) -> JSONObject:
    metadata = owner["metadata"]
    return {"apiVersion": "v1", "kind": "ConfigMap", "name": metadata["name"], "uid": metadata["uid"]}


def _pod() -> JSONObject:
    return {"metadata": {"name": "pod"}, "spec": {"containers": [{"name": "a", "image": "a"}]}}


def _service() -> JSONObject:
    return {"metadata": {"name": "service"}, "spec": {"ports": [{"port": 80}], "selector": {"a": "b"}}}
