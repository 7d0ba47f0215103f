"""Pods behind services, on nodes that somebody made, for the tests of endpoints and budgets."""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.objects import JSONObject
from tests.integration.life.world import World

CONTAINER = {"name": "c", "image": "i", "ports": [{"name": "web", "containerPort": 8080}]}


async def node(world: World, name: str = "node-1", zone: str = "", cpu: str = "4") -> None:
    labels = {"topology.kubernetes.io/zone": zone} if zone else {}
    made = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}}
    await world.create("v1/nodes", made, "")
    status = {"conditions": [{"type": "Ready", "status": "True"}], "allocatable": {"cpu": cpu}}
    await world.merge("v1/nodes", name, {"status": status}, "", subresource="status")


async def pod(
    world: World,
    name: str,
    *,
    ips: tuple[str, ...] = ("10.0.0.1",),
    ready: bool = True,
    node: str = "node-1",
    labels: JSONObject | None = None,
    owner: JSONObject | None = None,
    containers: list[JSONObject] | None = None,
    **spec: Any,
) -> JSONObject:
    metadata: JSONObject = {"name": name, "labels": labels or {"app": "web"}}
    if owner is not None:
        metadata["ownerReferences"] = [owner]
    made = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": containers or [CONTAINER], **spec},
    }
    await world.play(await world.create("v1/pods", made), ready=ready, node=node)
    addresses = {"podIP": ips[0], "podIPs": [{"ip": ip} for ip in ips]}
    return await world.merge("v1/pods", name, {"status": addresses}, subresource="status")


async def service(world: World, name: str = "web", labels: JSONObject | None = None, **spec: Any) -> JSONObject:
    made = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "labels": labels or {}},
        "spec": {"selector": {"app": "web"}, "ports": [{"name": "http", "port": 80, "targetPort": "web"}]} | spec,
    }
    return await world.create("v1/services", made)
