"""Servers on a prefix know of one another: for as long as they live, across their restarts, and no longer."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from localplane.apiserver.storage.etcd.backend import EtcdBackend
from localplane.apiserver.storage.etcd.client import EtcdClient
from localplane.apiserver.storage.etcd.registration import Registration, ServerReplaced
from tests.integration.etcd_client.server import EtcdServer, answering

SHORT = timedelta(seconds=2)


@pytest.fixture
async def client(shared_etcd: EtcdServer) -> AsyncIterator[EtcdClient]:
    client = EtcdClient([shared_etcd.listen])
    await answering(EtcdBackend(client, exclusive=False))
    yield client
    await client.close()


@contextlib.asynccontextmanager
async def kept(registration: Registration) -> AsyncIterator[asyncio.Task[None]]:
    task = asyncio.create_task(registration.keep())
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait([task])


async def registered(client: EtcdClient, prefix: str) -> list[str]:
    return [each.identity for each in await Registration(client, prefix, "somebody who looks").others()]


async def until_registered(client: EtcdClient, prefix: str, *identities: str) -> None:
    async with asyncio.timeout(60):
        while await registered(client, prefix) != list(identities):  # noqa: ASYNC110 - etcd tells nobody
            await asyncio.sleep(0.1)


async def test_servers_see_one_another_and_not_those_of_other_prefixes(client: EtcdClient, prefix: str) -> None:
    servers = [Registration(client, prefix, f"server-{number}") for number in range(5)]
    await asyncio.gather(*(server.take() for server in servers))
    await Registration(client, f"{prefix}other", "stranger").take()
    others = await servers[0].others()
    assert [each.identity for each in others] == [f"server-{number}" for number in range(1, 5)]
    assert str(others[0]) == f"process {os.getpid()} on {socket.gethostname()}"
    assert datetime.now(UTC) - datetime.fromisoformat(others[0].since) < timedelta(hours=1)
    await servers[1].release()
    assert len(await servers[0].others()) == 3


async def test_it_is_kept_for_longer_than_it_would_live(client: EtcdClient, prefix: str) -> None:
    registration = Registration(client, prefix, "one", lives=SHORT)
    await registration.take()
    async with kept(registration) as keeping:
        backend = EtcdBackend(client, exclusive=False)
        written = (await backend.get(f"{prefix}.localplane/servers/one")).kv
        await asyncio.sleep(3 * SHORT.total_seconds())
        assert not keeping.done()
        assert await registered(client, prefix) == ["one"]
        assert (await backend.get(f"{prefix}.localplane/servers/one")).kv == written, "nothing is written for it"


async def test_a_killed_servers_place_ends_by_itself(client: EtcdClient, prefix: str) -> None:
    await Registration(client, prefix, "one", lives=SHORT).take()
    await until_registered(client, prefix)


async def test_the_same_server_started_again_has_it_at_once_and_its_ghost_ends(client: EtcdClient, prefix: str) -> None:
    ghost, again = (Registration(client, prefix, "one", lives=SHORT) for _ in range(2))
    await ghost.take()
    await again.take()
    async with kept(again), kept(ghost) as haunting, asyncio.timeout(60):
        await asyncio.wait([haunting])
        assert isinstance(haunting.exception(), ServerReplaced)
        assert await registered(client, prefix) == ["one"]


async def test_one_that_stood_still_for_too_long_registers_again(etcd: EtcdServer) -> None:
    client = EtcdClient([etcd.listen])
    backend = EtcdBackend(client, exclusive=False)
    await answering(backend)
    registration = Registration(client, "/registry", "one", lives=SHORT)
    await registration.take()
    await until_registered(client, "/registry")
    async with kept(registration) as keeping:
        await until_registered(client, "/registry", "one")
        etcd.kill()
        await asyncio.sleep(2 * SHORT.total_seconds())
        etcd.start()
        await answering(backend)
        await until_registered(client, "/registry", "one")
        assert not keeping.done()
    await client.close()
