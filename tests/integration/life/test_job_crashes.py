"""A job counts each pod once, and ends once, wherever its controller dies."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import orjson
import pytest

from localplane.apimachinery.errors import APIError, Conflict, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.client import Client, HandlerFunctions, ListOptions, SharedInformer, SharedInformerFactory
from localplane.client.errors import ConnectionFailed
from localplane.client.transport.interface import BufferedResponse, Pairs, Response
from localplane.client.workqueue.supervision import Background
from localplane.controllers.context import ControllerContext
from localplane.controllers.workloads import jobs
from tests.integration.life.jobs_at_work import JOBS, PODS, a_job, complete, end, true_conditions
from tests.integration.life.world import World, cluster


class Mortal:
    """A way to the server that ends at one of the writes, before it arrives there or before the answer comes back.
    Events don't count: nobody relies on them."""

    def __init__(self, client: Client, *, writes: int, arrives: bool) -> None:
        self._client = client
        self._left = writes
        self._arrives = arrives
        self.died = asyncio.Event()

    async def request(
        self, method: str, path: str, *, query: Pairs = (), headers: Pairs = (), body: bytes | None = None
    ) -> Response:
        is_last = False
        if method != "GET" and not path.endswith("/events"):
            self._left -= 1
            is_last = self._left == 0
            if is_last and not self._arrives:
                self.died.set()
        if self.died.is_set():
            raise ConnectionFailed("dead")
        if ("watch", "true") in query:
            return await self._client.stream(method, path, query=query, headers=headers)
        try:
            answer = await self._client.request(method, path, query=query, headers=headers, body=body)
        except APIError as error:
            return BufferedResponse(error.code, [("Content-Type", "application/json")], orjson.dumps(error.status()))
        if is_last:
            self.died.set()
            raise ConnectionFailed("dead")
        return BufferedResponse(answer.status, answer.headers, answer.body)

    async def close(self) -> None:
        """The server stays open."""


@contextlib.asynccontextmanager
async def controller(transport: Mortal) -> AsyncIterator[None]:
    client = Client(transport)
    informers = SharedInformerFactory(client)
    context = ControllerContext(client, informers)
    async with Background(informers.run), Background(context.events.run), Background(partial(jobs.start, context)):
        yield


@contextlib.asynccontextmanager
async def ending(world: World, *, failing: str) -> AsyncIterator[None]:
    """Every pod ends as soon as it is there, and one of those with this label fails."""
    chosen: set[str] = set()

    async def tend(pod: JSONObject) -> None:
        name, labels = pod["metadata"]["name"], pod["metadata"]["labels"]
        if pod["status"].get("phase") != "Pending":
            return
        if labels["part"] == failing and not chosen:
            chosen.add(name)
        with contextlib.suppress(NotFound, Conflict):
            await end(world, pod, code=1 if name in chosen else 0)

    informer = SharedInformer(world.of(PODS))
    informer.add_handler(HandlerFunctions(add=tend, update=lambda _, pod: tend(pod)))
    async with informer:
        await informer.wait_for_sync()
        yield


def job_of(number: int, **spec: Any) -> JSONObject:
    job = a_job(f"work-{number}", parallelism=2, completions=3, **spec)
    job["spec"]["template"]["metadata"] = {"labels": {"part": str(number)}}
    return job


@pytest.mark.parametrize("arrives", [True, False], ids=["after the write", "before the write"])
@pytest.mark.parametrize("mode", ["NonIndexed", "Indexed"])
async def test_wherever_the_controller_dies_every_pod_is_counted_once(mode: str, *, arrives: bool) -> None:
    async with cluster() as world:
        deaths = 0
        for number in range(1, 14):
            name = f"work-{number}"
            created = await world.create(JOBS, job_of(number, completionMode=mode))
            mortal = Mortal(world.client, writes=number, arrives=arrives)
            async with ending(world, failing=str(number)):
                async with controller(mortal):
                    finished = asyncio.ensure_future(complete(world, name))
                    died = asyncio.ensure_future(mortal.died.wait())
                    await asyncio.wait((finished, died), return_when=asyncio.FIRST_COMPLETED)
                    finished.cancel()
                    died.cancel()
                    await asyncio.gather(finished, died, return_exceptions=True)
                    deaths += mortal.died.is_set()
                async with controller(Mortal(world.client, writes=-1, arrives=True)):
                    job = await complete(world, name)
            await check(world, created, job, number)
        assert deaths >= 10


async def check(world: World, created: JSONObject, job: JSONObject, number: int) -> None:
    """What was counted is what there is, in the end and at every moment before."""
    status = job["status"]
    pods = await world.items(PODS, labels=f"part={number}")
    phases = [pod["status"]["phase"] for pod in pods]
    assert (status["succeeded"], status["failed"]) == (3, 1)
    assert (phases.count("Succeeded"), phases.count("Failed")) == (3, 1)
    assert all("finalizers" not in pod["metadata"] for pod in pods)
    options = ListOptions(resource_version=created["metadata"]["resourceVersion"])
    ends = set()
    async with world.of(JOBS).watch(options) as stream:
        async for event in stream:
            if event.object["metadata"]["uid"] != job["metadata"]["uid"]:
                continue
            past = event.object["status"]
            assert past.get("succeeded", 0) <= 3
            assert past.get("failed", 0) <= 1
            if "Complete" in true_conditions(event.object):
                ends.add(past["completionTime"])
            if event.object["metadata"]["resourceVersion"] == job["metadata"]["resourceVersion"]:
                break
    assert ends == {status["completionTime"]}
