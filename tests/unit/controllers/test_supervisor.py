"""A controller that dies is started again; the others don't notice."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from localplane.client import Client, SharedInformerFactory
from localplane.client.backoff import BackoffPolicy
from localplane.client.transport import BufferedResponse, Pairs
from localplane.controllers import ControllerContext, ControllerSpec, run

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

    specs = [ControllerSpec("crashing", (), crashing), ControllerSpec("steady", (), steady)]
    supervisor = asyncio.create_task(run(specs, context(), restart=AT_ONCE))
    async with asyncio.timeout(30):
        await third_start.wait()
    assert not steady_ends.is_set()
    assert "crashing ended and is started again" in caplog.text
    assert "ZeroDivisionError" in caplog.text
    supervisor.cancel()
    with pytest.raises(asyncio.CancelledError):
        await supervisor
    assert steady_ends.is_set(), "cancelling the supervisor ends its controllers"
