"""A scripted peer for every test that asks for one; each of those tests runs on both event loops."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping

import pytest
import uvloop

from tests.unit.etcd.peer import FakePeer


@pytest.hookimpl(optionalhook=True)
def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"uvloop": uvloop.new_event_loop, "asyncio": asyncio.new_event_loop}


@pytest.fixture
async def peer() -> AsyncIterator[FakePeer]:
    async with FakePeer() as peer:
        yield peer


@pytest.fixture
async def other_peer() -> AsyncIterator[FakePeer]:
    async with FakePeer() as peer:
        yield peer
