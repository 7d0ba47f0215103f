"""A fake API server for each test, and a client that does not dawdle."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping

import pytest
import pytest_asyncio
import uvloop

from localplane.client.kubeconfig import ClientConfig
from localplane.client.rest.client import Client
from localplane.client.transport.aiohttp_transport import HTTPTransport
from tests.integration.client.fake_api import FakeAPI


@pytest.hookimpl(optionalhook=True)
def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"uvloop": uvloop.new_event_loop, "asyncio": asyncio.new_event_loop}


@pytest_asyncio.fixture
async def api() -> AsyncIterator[FakeAPI]:
    fake = FakeAPI()
    await fake.start()
    yield fake
    await fake.stop()


@pytest_asyncio.fixture
async def client(api: FakeAPI) -> AsyncIterator[Client]:
    async def hurry(_: float) -> None:
        await asyncio.sleep(0.001)

    async with Client(HTTPTransport(ClientConfig(server=api.url)), sleep=hurry) as connected:
        yield connected
