"""The controller example, in this process: whatever happens to greetings and shouts, the shouts come out right."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from examples.controller.shouting import GREETINGS, SHOUTING, SHOUTS, Shouting, shouting
from localplane.client import Client, Kubeconfig, PatchType, ReflectorOptions, SharedInformerFactory
from localplane.client.kubeconfig import load_file, resolve
from localplane.client.rest.options import ListOptions
from localplane.client.rest.resources import ResourceClient
from localplane.client.workqueue.rate_limiters import BackoffPolicy
from localplane.library import Controller, Plane, PlaneOptions, ServerOptions, StorageKind, StorageOptions, open_plane

IMPATIENT = ReflectorOptions(
    backoff=BackoffPolicy(initial=timedelta(milliseconds=20), maximum=timedelta(milliseconds=200))
)
WITHIN = 20


def options(*, data_dir: Path | None = None, port: int = 0, controllers: tuple[Controller, ...] = ()) -> PlaneOptions:
    """In memory unless there is a directory for the data."""
    kind = StorageKind.SQLITE if data_dir else StorageKind.MEMORY
    return PlaneOptions(
        server=ServerOptions(port=port),
        storage=StorageOptions(kind=kind, data_dir=data_dir),
        controllers=controllers,
    )


def greetings(client: Client) -> ResourceClient:
    return client.resource(GREETINGS, "default")


def shouts(client: Client) -> ResourceClient:
    return client.resource(SHOUTS, "default")


async def greet(client: Client, name: str, text: str) -> None:
    body = {"apiVersion": "shouting.example.com/v1", "kind": "Greeting", "metadata": {"name": name}}
    await greetings(client).create(body | {"spec": {"text": text}})


async def heard(client: Client) -> dict[str, str]:
    found = await shouts(client).list()
    return {shout["metadata"]["name"]: shout["spec"]["text"] for shout in found["items"]}


async def until_heard(client: Client, wanted: dict[str, str]) -> None:
    """Returns when there are these shouts and no others."""
    found = await shouts(client).list()
    texts = {shout["metadata"]["name"]: shout["spec"]["text"] for shout in found["items"]}
    since = ListOptions(resource_version=found["metadata"]["resourceVersion"])
    async with asyncio.timeout(WITHIN), shouts(client).watch(since) as events:
        while texts != wanted:
            event = await anext(events)
            name, text = event.object["metadata"]["name"], event.object["spec"]["text"]
            if event.type == "DELETED":
                del texts[name]
            else:
                texts[name] = text


@pytest.fixture
async def plane() -> AsyncIterator[Plane]:
    async with open_plane([SHOUTING], options(controllers=(shouting,))) as plane:
        yield plane


async def test_greetings_are_followed(plane: Plane) -> None:
    await greet(plane.client, "a", "hello")
    await greet(plane.client, "b", "good morning")
    await until_heard(plane.client, {"a": "HELLO", "b": "GOOD MORNING"})
    await greetings(plane.client).patch("a", {"spec": {"text": "goodbye"}}, PatchType.MERGE)
    await until_heard(plane.client, {"a": "GOODBYE", "b": "GOOD MORNING"})
    await greetings(plane.client).delete("a")
    await until_heard(plane.client, {"b": "GOOD MORNING"})


async def test_shouts_are_mended(plane: Plane) -> None:
    await greet(plane.client, "a", "hello")
    await until_heard(plane.client, {"a": "HELLO"})
    changed: dict[str, Any] = await shouts(plane.client).get("a")
    await shouts(plane.client).update(changed | {"spec": {"text": "whisper"}})
    await until_heard(plane.client, {"a": "HELLO"})
    before = (await shouts(plane.client).get("a"))["metadata"]["uid"]
    await shouts(plane.client).delete("a")
    await until_heard(plane.client, {"a": "HELLO"})
    assert (await shouts(plane.client).get("a"))["metadata"]["uid"] != before


async def test_what_was_there_before_the_controller_is_seen(tmp_path: Path) -> None:
    async with open_plane([SHOUTING], options(data_dir=tmp_path / "data")) as plane:
        await greet(plane.client, "a", "hello")
    async with open_plane([SHOUTING], options(data_dir=tmp_path / "data", controllers=(shouting,))) as plane:
        await until_heard(plane.client, {"a": "HELLO"})


async def test_a_controller_that_fails_ends_its_server() -> None:
    class Fault(Exception):
        pass

    async def faulty(plane: Plane) -> None:
        raise Fault

    with pytest.raises(ExceptionGroup) as caught:
        async with open_plane([SHOUTING], options(controllers=(faulty,))):
            await asyncio.Event().wait()
    assert caught.group_contains(Fault)


@asynccontextmanager
async def shouting_from_elsewhere(kubeconfig: Kubeconfig) -> AsyncIterator[None]:
    """The controller as another program would run it: over the network, with a server that comes and goes."""
    async with (
        Client.connect(resolve(kubeconfig)) as client,
        SharedInformerFactory(client, options=IMPATIENT) as informers,
        asyncio.TaskGroup() as tasks,
    ):
        running = tasks.create_task(Shouting(client, informers).run())
        yield
        running.cancel()


def port_of(plane: Plane) -> int:
    return int(plane.url.rpartition(":")[2])


async def test_a_restart_of_the_server_is_survived(tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with open_plane([SHOUTING], options(data_dir=data)) as plane:
        port, kubeconfig = port_of(plane), load_file(plane.kubeconfig)
    async with shouting_from_elsewhere(kubeconfig):
        async with open_plane([SHOUTING], options(data_dir=data, port=port)) as plane:
            await greet(plane.client, "a", "hello")
            await until_heard(plane.client, {"a": "HELLO"})
        async with open_plane([SHOUTING], options(data_dir=data)) as plane:  # where the controller can't see it
            await greetings(plane.client).delete("a")
            await greet(plane.client, "b", "good morning")
            assert await heard(plane.client) == {"a": "HELLO"}
        async with open_plane([SHOUTING], options(data_dir=data, port=port)) as plane:
            await until_heard(plane.client, {"b": "GOOD MORNING"})
