"""One server after the other is stopped and started again under load, and no client is told."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from localplane.apimachinery.errors import APIError
from localplane.apiserver.server.options import ServerOptions
from localplane.client import Client, ClientError, GroupVersionResource
from localplane.client.kubeconfig import load, resolve
from tests.integration.several.servers import Shared, eventually

pytestmark = pytest.mark.asyncio

CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
WORKERS = 4


class Balanced:
    """What stands before the servers: requests go to those whose /readyz is good, in turn."""

    def __init__(self) -> None:
        self.ready: list[Client] = []
        self._turn = 0

    @property
    def next(self) -> Client:
        self._turn += 1
        return self.ready[self._turn % len(self.ready)]

    async def look_after(self, client: Client) -> None:
        """Until it is no longer ready."""
        self.ready.append(client)
        while True:
            await asyncio.sleep(0.01)
            try:
                await client.request("GET", "/readyz")
            except (APIError, ClientError):
                self.ready.remove(client)
                return


async def test_servers_that_are_restarted_in_turn_lose_nothing_and_tell_nobody(shared: Shared) -> None:
    balanced, over = Balanced(), asyncio.Event()
    made: list[str] = []
    server = ServerOptions(port=0, shutdown_delay=timedelta(seconds=1))

    async def serve(started: asyncio.Event, stop: asyncio.Event) -> None:
        """It is still looked at, and asked, while it stops."""
        async with asyncio.TaskGroup() as tasks, shared.server(controllers=("none",), server=server) as plane:
            client = Client.connect(resolve(load(plane.kubeconfig)))
            tasks.create_task(balanced.look_after(client))
            started.set()
            await stop.wait()
        await client.close()

    async def work(worker: int) -> None:
        while not over.is_set():
            name = f"c-{worker}-{len(made)}"
            await balanced.next.resource(CONFIG_MAPS, "default").create(
                {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
            )
            made.append(name)
            await balanced.next.resource(CONFIG_MAPS, "default").get(name)

    async with asyncio.TaskGroup() as tasks:
        first, second, third = (asyncio.Event() for _ in range(3))
        stops = [asyncio.Event() for _ in range(3)]
        running = [tasks.create_task(serve(first, stops[0])), tasks.create_task(serve(second, stops[1]))]
        await first.wait()
        await second.wait()
        workers = [tasks.create_task(work(worker)) for worker in range(WORKERS)]
        stops[0].set()
        await running[0]
        running.append(tasks.create_task(serve(third, stops[2])))
        await third.wait()
        stops[1].set()
        await running[1]
        count = len(made)

        async def the_last_serves_all() -> bool:
            return len(made) >= count + WORKERS

        await eventually(the_last_serves_all)
        over.set()
        await asyncio.gather(*workers)
        stored = (await balanced.next.resource(CONFIG_MAPS, "default").list())["items"]
        assert {each["metadata"]["name"] for each in stored} >= set(made)
        stops[2].set()
