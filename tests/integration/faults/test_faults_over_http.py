"""What clients over HTTPS see of faults, one after the other on one plane."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import aiohttp
import orjson
import pytest
import pytest_asyncio

from localplane import testing
from localplane.apimachinery.errors import (
    AlreadyExists,
    APIError,
    BadRequest,
    Conflict,
    Expired,
    InternalError,
    NotFound,
    ServiceUnavailable,
    Timeout,
    TooManyRequests,
    Unauthorized,
)
from localplane.apimachinery.objects import JSONObject
from localplane.client import Client, GroupVersionResource, ResourceClient
from localplane.client.errors import ConnectionLost
from localplane.client.kubeconfig import load, resolve
from localplane.client.rest.options import ListOptions
from localplane.client.transport.aiohttp_transport import HTTPTransport
from localplane.servers.aggregator.connections import Connections
from localplane.servers.aggregator.remote import Trust

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(60)]

CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
ANY_VERSION = ListOptions(resource_version="0")


WEBHOOK: JSONObject = {
    "apiVersion": "admissionregistration.k8s.io/v1",
    "kind": "ValidatingWebhookConfiguration",
    "metadata": {"name": "checks"},
    "webhooks": [
        {
            "name": "checks.example.com",
            "clientConfig": {"url": "https://127.0.0.1:1/"},
            "rules": [
                {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
            ],
            "admissionReviewVersions": ["v1"],
            "sideEffects": "None",
        }
    ],
}


async def at_once(_: float) -> None:
    """How long our client waits before it sends again."""


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def cluster() -> AsyncIterator[testing.AsyncCluster]:
    async with testing.cluster(controllers=("none",)) as cluster:
        yield cluster


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def client(cluster: testing.AsyncCluster) -> AsyncIterator[Client]:
    async with Client(HTTPTransport(resolve(load(cluster.kubeconfig))), sleep=at_once) as client:
        yield client


@pytest_asyncio.fixture(loop_scope="module", autouse=True)
async def nothing_is_left(cluster: testing.AsyncCluster) -> AsyncIterator[None]:
    yield
    cluster.plane.kernel.faults.clear()
    await cluster.plane.client.resource(CONFIG_MAPS, "default").delete_collection()


@pytest.fixture
def maps(client: Client) -> ResourceClient:
    return client.resource(CONFIG_MAPS, "default")


def config_map(name: str, **data: str) -> JSONObject:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


async def instrument(client: Client, method: str, path: str = "", **body: Any) -> Any:
    content = orjson.dumps(body) if body else None
    answer = await client.request(method, f"/localplane/v1/faults{path}", body=content)
    return answer.json()


async def add(
    client: Client, do: JSONObject, *, match: JSONObject | None = None, when: JSONObject | None = None
) -> str:
    match = {"resources": ["configmaps"]} if match is None else match
    added = await instrument(client, "POST", match=match, when=when or {}, do=do)
    name: str = added["rules"][0]["name"]
    return name


async def hits(client: Client) -> list[str]:
    return [f"{hit['verb']} {hit['path']}" for hit in (await instrument(client, "GET"))["record"]]


async def names(maps: ResourceClient) -> list[str]:
    return [item["metadata"]["name"] for item in (await maps.list())["items"]]


# --- answers ---


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (401, Unauthorized),
        (404, NotFound),
        (409, Conflict),
        (410, Expired),
        (500, InternalError),
        (503, ServiceUnavailable),
        (504, Timeout),
    ],
)
async def test_a_write_is_refused_and_nothing_is_written(
    client: Client, maps: ResourceClient, code: int, error: type[APIError]
) -> None:
    made = await maps.create(config_map("a", before="1"))
    await add(client, {"answer": code}, match={"verbs": ["update"]}, when={"first": 1})
    with pytest.raises(error) as caught:
        await maps.update({**made, "data": {"after": "1"}})
    assert caught.value.code == code
    assert (await maps.get("a"))["data"] == {"before": "1"}
    await maps.update({**made, "data": {"after": "1"}})
    assert await hits(client) == ["update /api/v1/namespaces/default/configmaps/a"]


async def test_after_the_write_the_answer_is_a_lie(client: Client, maps: ResourceClient) -> None:
    await add(client, {"answer": 504, "afterWrite": True}, match={"verbs": ["create"], "names": ["a"]})
    await maps.create(config_map("b"))
    with pytest.raises(Timeout, match="request did not complete within the allotted timeout"):
        await maps.create(config_map("a"))
    assert await names(maps) == ["a", "b"]


async def test_conflicts_speak_as_kubernetes_does(client: Client, maps: ResourceClient) -> None:
    made = await maps.create(config_map("a"))
    await add(client, {"answer": 409})
    with pytest.raises(
        Conflict, match=r'^Operation cannot be fulfilled on configmaps "a": the object has been modified;'
    ):
        await maps.update(made)
    with pytest.raises(AlreadyExists, match=r'^configmaps "new" already exists$'):
        await maps.create(config_map("new"))


async def test_who_is_asked_to_come_later_does(client: Client, maps: ResourceClient) -> None:
    await add(client, {"answer": 429, "retryAfter": "7s"}, when={"first": 3})
    assert await names(maps) == []
    assert len(await hits(client)) == 3
    await add(client, {"answer": 429, "retryAfter": "7s", "message": "not now"})
    with pytest.raises(TooManyRequests, match="not now") as caught:
        await maps.list()
    assert caught.value.retry_after_seconds == 7


async def test_an_answer_says_which_rule_made_it(cluster: testing.AsyncCluster, client: Client) -> None:
    name = await add(client, {"answer": 500})
    transport = HTTPTransport(resolve(load(cluster.kubeconfig)))
    answer = await transport.request("GET", "/api/v1/configmaps")
    assert ("X-Localplane-Fault", name) in [*answer.headers]
    await answer.close()
    await transport.close()


async def test_users_are_told_apart(client: Client, maps: ResourceClient) -> None:
    await add(client, {"answer": 401}, match={"users": ["alice"]})
    alice = client.acting_as("alice", groups=["system:masters"]).resource(CONFIG_MAPS, "default")
    with pytest.raises(Unauthorized):
        await alice.list()
    assert await names(maps) == []


async def test_latency_comes_before_everything_else(client: Client, maps: ResourceClient) -> None:
    loop = asyncio.get_running_loop()
    await add(client, {"latency": "150ms"}, when={"first": 1})
    began = loop.time()
    await maps.list()
    assert loop.time() - began >= 0.15


# --- cuts ---


@pytest.mark.parametrize(("cut", "written"), [("before", []), ("after", ["a"]), ("middle", ["a"])])
async def test_a_cut_connection_says_nothing_of_what_was_done(
    client: Client, maps: ResourceClient, cut: str, written: list[str]
) -> None:
    await add(client, {"cut": cut}, match={"verbs": ["create"]})
    with pytest.raises(ConnectionLost):
        await maps.create(config_map("a"))
    assert await names(maps) == written


async def test_a_read_that_was_cut_is_sent_again(client: Client, maps: ResourceClient) -> None:
    await maps.create(config_map("a", text="x" * 1000))
    await add(client, {"cut": "before"}, when={"first": 2})
    assert await names(maps) == ["a"]
    assert len(await hits(client)) == 2


# --- watches ---


@asynccontextmanager
async def watching(maps: ResourceClient) -> AsyncIterator[AsyncIterator[str]]:
    """What the watch tells: `ADDED a`, and at last how it ended."""

    async def told() -> AsyncIterator[str]:
        try:
            async for event in stream:
                yield f"{event.type} {event.object['metadata'].get('name', '')}"
            yield "end"
        except Expired:
            yield "expired"
        except ConnectionLost:
            yield "cut"

    async with maps.watch() as stream:
        yield told()


async def make(maps: ResourceClient, *made: str) -> None:
    for name in made:
        await maps.create(config_map(name))


@pytest.mark.parametrize(("end", "last"), [("close", ["end"]), ("cut", ["cut"]), ("expire", ["expired"])])
async def test_a_watch_ends_after_some_events(client: Client, maps: ResourceClient, end: str, last: list[str]) -> None:
    await add(client, {"watch": {"end": end, "afterEvents": 3}}, when={"first": 1})
    await make(maps, "a", "b")
    async with watching(maps) as told:
        assert [await anext(told), await anext(told)] == ["ADDED a", "ADDED b"]
        await make(maps, "c", "d")
        assert [event async for event in told] == ["ADDED c", *last]
    async with watching(maps) as told:
        assert [await anext(told) for _ in range(4)] == ["ADDED a", "ADDED b", "ADDED c", "ADDED d"]


@pytest.mark.parametrize(("end", "last"), [("close", ["end"]), ("cut", ["cut"]), ("expire", ["expired"])])
async def test_watches_that_run_are_ended_by_a_new_rule(
    client: Client, maps: ResourceClient, end: str, last: list[str]
) -> None:
    await make(maps, "a")
    async with watching(maps) as told:
        assert await anext(told) == "ADDED a"
        await add(client, {"watch": {"end": end}}, match={"namespaces": ["other"]})
        await make(maps, "b")
        assert await anext(told) == "ADDED b"
        await add(client, {"watch": {"end": end, "after": "10ms"}}, when={"first": 1})
        assert [event async for event in told] == last
    assert await hits(client) == ["watch /api/v1/namespaces/default/configmaps"]


async def test_a_rule_that_is_taken_back_ends_nothing(client: Client, maps: ResourceClient) -> None:
    async with watching(maps) as told:
        name = await add(client, {"watch": {"end": "cut", "after": "50ms"}})
        await instrument(client, "DELETE", f"/{name}")
        await asyncio.sleep(0.1)
        await make(maps, "a")
        assert await anext(told) == "ADDED a"


async def test_a_watch_tells_late(client: Client, maps: ResourceClient) -> None:
    loop = asyncio.get_running_loop()
    await add(client, {"watch": {"delay": "150ms"}})
    async with watching(maps) as told:
        began = loop.time()
        await make(maps, "a")
        assert await anext(told) == "ADDED a"
        assert loop.time() - began >= 0.15


async def test_a_watch_without_bookmarks_has_only_the_one_it_must_have(client: Client, maps: ResourceClient) -> None:
    await make(maps, "a")
    initial = ListOptions(
        allow_watch_bookmarks=True,
        send_initial_events=True,
        resource_version_match="NotOlderThan",
        timeout=timedelta(seconds=3),
    )

    async def bookmarks() -> int:
        async with maps.watch(initial) as stream:
            return len([event async for event in stream if event.type == "BOOKMARK"])

    await add(client, {"watch": {"bookmarks": False}}, when={"first": 1})
    first, second = await bookmarks(), await bookmarks()
    assert (first, second > 1) == (1, True)


async def test_a_watch_can_be_refused_as_any_request(client: Client, maps: ResourceClient) -> None:
    await add(client, {"answer": 410}, match={"verbs": ["watch"]})
    with pytest.raises(Expired):
        async with watching(maps) as told:
            await anext(told)


# --- stale reads ---


async def test_reads_of_any_version_see_the_past_and_others_do_not(client: Client, maps: ResourceClient) -> None:
    made = await maps.create(config_map("a", version="1"))
    await asyncio.sleep(0.3)
    await maps.update({**made, "data": {"version": "2"}})
    await make(maps, "b")
    await add(client, {"stale": "250ms"}, match={"resources": ["configmaps"], "namespaces": ["default"]})
    listed = await maps.list(ANY_VERSION)
    assert [(item["metadata"]["name"], item["data"]) for item in listed["items"]] == [("a", {"version": "1"})]
    assert listed["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]
    assert (await maps.get("a", resource_version="0"))["data"] == {"version": "1"}
    with pytest.raises(NotFound):
        await maps.get("b", resource_version="0")
    assert (await maps.get("a"))["data"] == {"version": "2"}
    assert await names(maps) == ["a", "b"]
    assert len(await hits(client)) == 3


# --- the instrument ---


async def test_rules_are_shown_with_their_counts_and_removed(client: Client, maps: ResourceClient) -> None:
    first = await add(client, {"answer": 500}, when={"first": 1})
    second = await add(client, {"answer": 503}, when={"probability": 0.5, "seed": 3})
    with pytest.raises(InternalError):
        await maps.list()
    shown = (await instrument(client, "GET"))["rules"]
    assert [(rule["name"], rule["status"]) for rule in shown] == [
        (first, {"matched": 1, "hits": 1, "over": False}),
        (second, {"matched": 0, "hits": 0, "over": False}),
    ]
    assert shown[1]["when"] == {"probability": 0.5, "seed": 3}
    assert [rule["name"] for rule in (await instrument(client, "GET", f"?rule={second}"))["rules"]] == [second]
    assert await instrument(client, "DELETE", f"/{first}") == {"removed": 1}
    assert await instrument(client, "DELETE") == {"removed": 1}
    assert await instrument(client, "GET") == {"rules": [], "record": []}


async def test_wrong_rules_change_nothing(client: Client) -> None:
    with pytest.raises(BadRequest, match='rule 2: do has no field "anser"'):
        await instrument(client, "POST", rules=[{"do": {"answer": 409}}, {"do": {"anser": 409}}])
    await instrument(client, "POST", name="a", do={"answer": 409})
    with pytest.raises(AlreadyExists, match='two rules named "a"'):
        await instrument(client, "POST", rules=[{"do": {"answer": 409}}, {"name": "a", "do": {"answer": 409}}])
    with pytest.raises(NotFound, match='there is no rule "b"; there are: a'):
        await instrument(client, "DELETE", "/b")
    assert [rule["name"] for rule in (await instrument(client, "GET"))["rules"]] == ["a"]


async def test_no_rule_strikes_the_instruments(client: Client) -> None:
    await instrument(client, "POST", match={"paths": ["*"]}, do={"cut": "before"})
    with pytest.raises(ConnectionLost):
        await client.request("POST", "/api/v1/namespaces")
    assert await instrument(client, "DELETE") == {"removed": 1}


async def test_its_own_clients_are_struck_by_rules_that_say_so(cluster: testing.AsyncCluster, client: Client) -> None:
    own = cluster.plane.client.resource(CONFIG_MAPS, "default")
    await add(client, {"answer": 500})
    assert await names(own) == []
    await instrument(client, "DELETE")
    await add(client, {"answer": 500}, match={"verbs": ["list"], "inside": True}, when={"first": 1})
    await add(client, {"cut": "after"}, match={"verbs": ["create"], "inside": True})
    with pytest.raises(InternalError):
        await own.list()
    with pytest.raises(ConnectionLost):
        await own.create(config_map("a"))
    assert await names(own) == ["a"]


# --- what is down ---


@pytest.mark.parametrize("storage", [testing.StorageKind.MEMORY, testing.StorageKind.SQLITE])
async def test_a_lost_store_fails_requests_and_comes_back(storage: testing.StorageKind) -> None:
    async with testing.cluster(controllers=("none",), storage=storage) as cluster:
        client = Client(HTTPTransport(resolve(load(cluster.kubeconfig))), sleep=at_once)
        maps = client.resource(CONFIG_MAPS, "default")
        await make(maps, "a")
        async with client, watching(maps) as told:
            assert await anext(told) == "ADDED a"
            name = await add(client, {"down": "store"}, match={})
            with pytest.raises(ServiceUnavailable, match="the store can't be reached"):
                await maps.list()
            with pytest.raises(ServiceUnavailable, match="the store can't be reached"):
                await make(maps, "b")
            assert [item["metadata"]["name"] for item in (await maps.list(ANY_VERSION))["items"]] == ["a"]
            with pytest.raises(APIError, match="readyz check failed"):
                await client.request("GET", "/readyz")
            assert await instrument(client, "DELETE", f"/{name}") == {"removed": 1}
            await eventually(make, maps, "c")
            assert await anext(told) == "ADDED c"
            assert await names(maps) == ["a", "c"]


async def eventually(call: Any, *arguments: Any) -> None:
    async with asyncio.timeout(20):
        while True:
            try:
                await call(*arguments)
            except ServiceUnavailable:
                await asyncio.sleep(0.05)
            else:
                return


async def test_a_webhook_is_down_for_everybody(
    cluster: testing.AsyncCluster, client: Client, maps: ResourceClient
) -> None:
    await cluster.create(WEBHOOK)
    name = await add(client, {"down": "webhooks"}, match={"names": ["checks.*"]})
    refused = (
        'failed calling webhook "checks.example.com": failed to call webhook: Post .*dial tcp: connect: connection'
    )
    with pytest.raises(InternalError, match=refused):
        await make(maps, "a")
    with pytest.raises(InternalError, match=refused):
        await cluster.create(config_map("a"))
    assert await hits(client) == ["call webhooks checks.example.com"] * 2
    await instrument(client, "DELETE", f"/{name}")
    with pytest.raises(InternalError, match=r"dial tcp 127.0.0.1:1: connect: connection refused"):
        await make(maps, "a")  # it is called again, and this one is nobody's
    await cluster.delete(WEBHOOK)


async def test_another_servers_api_is_down() -> None:
    asked: list[str] = []

    async def down(name: str, url: str) -> str:
        asked.append(f"{name} {url}")
        return "dial tcp: connect: connection refused"

    connections = Connections(None, down)
    with pytest.raises(aiohttp.ClientError, match="connection refused"):
        await connections.request(
            Trust("a.b.svc", b"", insecure=True), "https://127.0.0.1:1/x", name="v1.c", headers=[]
        )
    assert asked == ["v1.c https://127.0.0.1:1/x"]
