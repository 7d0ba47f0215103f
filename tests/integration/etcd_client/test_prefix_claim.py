"""A prefix is one server's: for as long as it lives, across its restarts, and never two's at once."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from localplane.apiserver.storage.etcd.backend import EtcdBackend
from localplane.apiserver.storage.etcd.client import EtcdClient
from localplane.apiserver.storage.etcd.prefix_claim import PrefixClaim, PrefixInUse
from tests.integration.etcd_client.server import EtcdServer, answering

SHORT = timedelta(seconds=2)


@pytest.fixture
async def client(shared_etcd: EtcdServer) -> AsyncIterator[EtcdClient]:
    client = EtcdClient([shared_etcd.listen])
    await answering(EtcdBackend(client, exclusive=False))
    yield client
    await client.close()


@contextlib.asynccontextmanager
async def kept(claim: PrefixClaim) -> AsyncIterator[asyncio.Task[None]]:
    task = asyncio.create_task(claim.keep())
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait([task])


async def holder(backend: EtcdBackend, prefix: str) -> str:
    found = (await backend.get(f"{prefix}/localplane-server")).kv
    return str(json.loads(found.value)["identity"]) if found else ""


async def until_held_by(identity: str, backend: EtcdBackend, prefix: str) -> None:
    async with asyncio.timeout(60):
        while await holder(backend, prefix) != identity:  # noqa: ASYNC110 - etcd tells nobody
            await asyncio.sleep(0.1)


async def test_the_first_has_it_and_others_are_told_whose_it_is(client: EtcdClient, prefix: str) -> None:
    first, second = PrefixClaim(client, prefix, "one"), PrefixClaim(client, prefix, "two")
    await first.take()
    with pytest.raises(
        PrefixInUse, match=rf"^the prefix {prefix} of this etcd cluster .* \(process \d+ on .*, since 2"
    ):
        await second.take()
    await PrefixClaim(client, f"{prefix}other", "two").take()
    await first.release()
    await second.take()


async def test_of_many_at_once_one_gets_it(client: EtcdClient, prefix: str) -> None:
    claims = [PrefixClaim(client, prefix, f"server {number}") for number in range(12)]
    outcomes = await asyncio.gather(*(claim.take() for claim in claims), return_exceptions=True)
    assert sorted(type(each).__name__ for each in outcomes) == ["NoneType"] + ["PrefixInUse"] * 11


async def test_it_is_kept_for_longer_than_it_would_live(client: EtcdClient, prefix: str) -> None:
    claim = PrefixClaim(client, prefix, "one", lives=SHORT)
    await claim.take()
    async with kept(claim) as keeping:
        await asyncio.sleep(3 * SHORT.total_seconds())
        assert not keeping.done()
        with pytest.raises(PrefixInUse):
            await PrefixClaim(client, prefix, "two").take()


async def test_a_killed_servers_claim_ends_by_itself(client: EtcdClient, prefix: str) -> None:
    await PrefixClaim(client, prefix, "one", lives=SHORT).take()
    async with asyncio.timeout(60):
        while True:
            with contextlib.suppress(PrefixInUse):
                await PrefixClaim(client, prefix, "two").take()
                return
            await asyncio.sleep(0.1)


async def test_the_same_server_started_again_has_it_at_once_and_its_ghost_ends(client: EtcdClient, prefix: str) -> None:
    ghost, again = (PrefixClaim(client, prefix, "one", lives=SHORT) for _ in range(2))
    await ghost.take()
    await again.take()
    async with kept(again), kept(ghost) as haunting, asyncio.timeout(60):
        await asyncio.wait([haunting])
        assert isinstance(haunting.exception(), PrefixInUse)


async def test_one_that_stood_still_for_too_long_takes_it_again(etcd: EtcdServer) -> None:
    client = EtcdClient([etcd.listen])
    backend = EtcdBackend(client, exclusive=False)
    await answering(backend)
    claim = PrefixClaim(client, "/registry", "one", lives=SHORT)
    await claim.take()
    await until_held_by("", backend, "/registry")
    async with kept(claim) as keeping:
        await until_held_by("one", backend, "/registry")
        etcd.kill()
        await asyncio.sleep(2 * SHORT.total_seconds())
        etcd.start()
        await answering(backend)
        await until_held_by("one", backend, "/registry")
        assert not keeping.done()
    await client.close()


async def test_one_that_stood_still_while_another_came_ends(client: EtcdClient, prefix: str) -> None:
    backend = EtcdBackend(client, exclusive=False)
    slow = PrefixClaim(client, prefix, "one", lives=SHORT)
    await slow.take()
    await until_held_by("", backend, prefix)
    await PrefixClaim(client, prefix, "two").take()
    async with asyncio.timeout(60):
        with pytest.raises(PrefixInUse):
            await slow.keep()
    assert await holder(backend, prefix) == "two"
