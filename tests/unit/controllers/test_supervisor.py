"""A controller that dies is started again; the others don't notice."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from localplane.client import Client, GroupVersionResource, SharedInformerFactory
from localplane.client.transport.interface import BufferedResponse, Pairs
from localplane.client.workqueue.rate_limiters import BackoffPolicy
from localplane.controllers import ControllerContext, ControllerSpec, Wake, run
from localplane.controllers.supervisor import Start

AT_ONCE = BackoffPolicy(initial=timedelta(0), maximum=timedelta(0))


class NoServer:
    async def request(
        self, method: str, path: str, *, query: Pairs = (), headers: Pairs = (), body: bytes | None = None
    ) -> BufferedResponse:
        raise AssertionError("nobody should ask")

    async def close(self) -> None:
        """Nothing is open."""


def context() -> ControllerContext:
    client = Client(NoServer())
    return ControllerContext(client, SharedInformerFactory(client))


async def test_whatever_one_dies_of_the_others_run_on(caplog: pytest.LogCaptureFixture) -> None:
    starts, third_start, steady_ends = [], asyncio.Event(), asyncio.Event()

    async def crashing(_: ControllerContext) -> None:
        starts.append(1)
        if len(starts) == 1:
            raise ZeroDivisionError
        if len(starts) == 2:
            raise asyncio.CancelledError
        third_start.set()
        await asyncio.Event().wait()

    async def steady(_: ControllerContext) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            steady_ends.set()

    starts_of = {"crashing": crashing, "steady": steady}

    async def load(spec: ControllerSpec) -> Start:
        return starts_of[spec.module]

    specs = [ControllerSpec(name, (), name) for name in starts_of]
    supervisor = asyncio.create_task(run(specs, context(), restart=AT_ONCE, load=load))
    async with asyncio.timeout(30):
        await third_start.wait()
    assert not steady_ends.is_set()
    assert "crashing ended and is started again" in caplog.text
    assert "ZeroDivisionError" in caplog.text
    supervisor.cancel()
    with pytest.raises(asyncio.CancelledError):
        await supervisor
    assert steady_ends.is_set(), "cancelling the supervisor ends its controllers"


async def test_a_controller_is_loaded_when_the_first_object_comes() -> None:
    jobs, pods = (Wake(GroupVersionResource("", "v1", name)) for name in ("jobs", "pods"))
    comes = {jobs: asyncio.Event(), pods: asyncio.Event()}
    started = asyncio.Event()
    loaded: list[str] = []

    async def start(_: ControllerContext) -> None:
        started.set()
        await asyncio.Event().wait()

    async def load(spec: ControllerSpec) -> Start:
        loaded.append(spec.module)
        return start

    async def awakened(wake: Wake) -> None:
        await comes[wake].wait()

    specs = [ControllerSpec("sleepy", (), "sleepy", (jobs, pods)), ControllerSpec("asleep", (), "asleep", (jobs,))]
    supervisor = asyncio.create_task(run(specs, replace(context(), awakened=awakened), load=load))
    await asyncio.sleep(0)
    assert loaded == []
    comes[pods].set()
    async with asyncio.timeout(30):
        await started.wait()
    assert loaded == ["sleepy"]
    supervisor.cancel()
    with pytest.raises(asyncio.CancelledError):
        await supervisor
