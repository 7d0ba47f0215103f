"""Making, removing, stopping and starting simulated nodes, for whoever has a client: all is done through the API, so it
works from another process as well."""

from __future__ import annotations

from collections.abc import Mapping

from localplane.apimachinery.errors import APIError, BadRequest
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.client import Client, PatchType
from localplane.nodes.options import STOPPED, NodeOptions
from localplane.nodes.registration import NODES, is_simulated, is_stopped, new_node

__all__ = ["add_node", "is_stopped", "next_name", "remove_node", "simulated_nodes", "start_node", "stop_node"]


async def simulated_nodes(client: Client) -> list[JSONObject]:
    """All of them, by their names."""
    nodes = (await client.resource(NODES).list())["items"]
    return sorted(filter(is_simulated, nodes), key=lambda node: str(node["metadata"]["name"]))


async def next_name(client: Client) -> str:
    """The first of node-0, node-1 and so on that is free."""
    taken = {node["metadata"]["name"] for node in (await client.resource(NODES).list())["items"]}
    number = 0
    while f"node-{number}" in taken:
        number += 1
    return f"node-{number}"


async def add_node(
    client: Client, name: str = "", *, options: NodeOptions | None = None, labels: Mapping[str, str] | None = None
) -> JSONObject:
    """Without a name it gets the next. Raises APIError, AlreadyExists among them."""
    name = name or await next_name(client)
    return await client.resource(NODES).create(new_node(name, options or NodeOptions(), labels=labels))


async def remove_node(client: Client, name: str) -> None:
    """Its pods are removed by the pod garbage collector. Raises APIError."""
    node = await _simulated(client, name)
    await client.resource(NODES).delete(name, uid=node["metadata"]["uid"])


async def stop_node(client: Client, name: str) -> JSONObject:
    """Its kubelet falls silent: the lease gets old, pods no longer move. Raises APIError."""
    return await _mark(client, name, "true")


async def start_node(client: Client, name: str) -> JSONObject:
    """Its kubelet speaks again. Raises APIError."""
    return await _mark(client, name, None)


async def _mark(client: Client, name: str, stopped: str | None) -> JSONObject:
    await _simulated(client, name)
    patch = {"metadata": {"annotations": {STOPPED: stopped}}}
    return await client.resource(NODES).patch(name, patch, PatchType.MERGE)


async def _simulated(client: Client, name: str) -> JSONObject:
    node = await client.resource(NODES).get(name)
    if not is_simulated(node):
        error: APIError = BadRequest(f"node {go_quote(name)} is not simulated")
        raise error
    return node
