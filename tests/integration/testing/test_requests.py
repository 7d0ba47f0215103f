"""What a plane tells of requests that came over its socket."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest

from localplane import testing
from localplane.apimachinery.errors import Forbidden, NotFound
from localplane.client import Client, GroupVersionResource

CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with testing.cluster(controllers=("none",)) as cluster, cluster.client() as client:
        yield client


async def told(client: Client, **query: str) -> list[dict[str, Any]]:
    answer = await client.request("GET", "/localplane/v1/requests", query=list(query.items()))
    requests: list[dict[str, Any]] = orjson.loads(answer.body)["requests"]
    return requests


async def test_who_asked_what_and_what_came_of_it(client: Client) -> None:
    with pytest.raises(NotFound):
        await client.resource(CONFIG_MAPS, "default").get("nothing")
    with pytest.raises(Forbidden):
        await client.acting_as("jane", groups=["team"]).resource(CONFIG_MAPS, "default").delete("nothing")
    seen, refused = await told(client, namespace="default")
    assert (seen["verb"], seen["name"], seen["status"], seen["user"]) == ("get", "nothing", 404, "kubernetes-admin")
    assert "impersonator" not in seen
    assert seen["bytes"] > 100
    assert 0 < seen["durationSeconds"] < 60
    assert seen["requestID"] != refused["requestID"]
    assert (refused["verb"], refused["status"], refused["user"]) == ("delete", 403, "jane")
    assert (refused["impersonator"], refused["groups"]) == ("kubernetes-admin", ["team", "system:authenticated"])
    assert await told(client, status="4xx", user="jane") == [refused]


async def test_strangers_are_nobody() -> None:
    async with testing.cluster(controllers=("none",)) as cluster, cluster.client() as client:
        trusting = ssl._create_unverified_context()
        reader, writer = await asyncio.open_connection("127.0.0.1", cluster.plane.server.port, ssl=trusting)
        writer.write(b"GET /api/v1/pods?limit=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\n\r\n")
        assert b" 401 " in await reader.readline()
        writer.close()
        (stranger,) = await told(client, status="401")
    assert ("user" in stranger, stranger["resource"], stranger["uri"]) == (False, "pods", "/api/v1/pods?limit=1")


async def test_a_watch_is_told_twice(client: Client) -> None:
    async with client.resource(CONFIG_MAPS, "default").watch() as events:
        config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "new"}}
        await client.resource(CONFIG_MAPS, "default").create(config_map)
        async for event in events:
            if event.object["metadata"]["name"] == "new":
                break
        (begun,) = await told(client, verb="watch")
        assert (begun["status"], begun["watch"], "durationSeconds" in begun) == (200, True, False)
    async with asyncio.timeout(30):
        while len(both := await told(client, verb="watch")) < 2:  # noqa: ASYNC110 - the server has to notice
            await asyncio.sleep(0.02)
    assert both[0]["requestID"] == both[1]["requestID"] == begun["requestID"]
    assert both[1]["bytes"] > 100
    assert both[1]["durationSeconds"] > 0


async def test_those_from_inside_are_left_out_unless_they_are_wanted() -> None:
    async with testing.cluster(controllers=("none",)) as cluster, cluster.client() as client:
        await cluster.resource("v1", "configmaps", "default").list()
        assert await told(client, resource="configmaps", verb="list") == []
        inside = await told(client, resource="configmaps", verb="list", internal="true")
        assert [(each["user"], each["internal"]) for each in inside if each.get("namespace") == "default"] == [
            ("system:apiserver", True)
        ]


async def test_requests_are_followed_as_they_come(client: Client) -> None:
    stream = await client.stream(
        "GET", "/localplane/v1/requests", query=[("follow", "true"), ("resource", "configmaps")]
    )
    await client.resource(CONFIG_MAPS, "default").list()
    async with asyncio.timeout(30):
        line = b""
        async for chunk in stream.chunks():
            line += chunk
            if line.endswith(b"\n"):
                break
    assert orjson.loads(line)["verb"] == "list"
    await stream.close()


async def test_only_administrators_are_told(client: Client) -> None:
    with pytest.raises(Forbidden, match='User "jane" cannot get path "/localplane/v1/requests"'):
        await told(client.acting_as("jane"))
