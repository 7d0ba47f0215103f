"""Keys with a ttl."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from localplane.apiserver.storage.backend import Change, KeyValue, prefix_end
from localplane.apiserver.storage.etcd.backend import EtcdBackend
from localplane.apiserver.storage.etcd.client import EtcdClient
from localplane.apiserver.storage.etcd.client.messages import LeaseRevokeRequest
from localplane.apiserver.storage.etcd.client.methods import LEASE_REVOKE
from tests.integration.etcd_client.server import EtcdServer, answering

HOUR = timedelta(hours=1)


@pytest.fixture
async def client(shared_etcd: EtcdServer) -> AsyncIterator[EtcdClient]:
    client = EtcdClient([shared_etcd.listen])
    await answering(EtcdBackend(client, exclusive=False))
    yield client
    await client.close()


async def expire(client: EtcdClient, backend: EtcdBackend) -> None:
    """What etcd does to the lease in an hour, now."""
    await client.call(LEASE_REVOKE, LeaseRevokeRequest(ID=await backend._leases.lease_for(HOUR)))


async def test_a_key_vanishes_after_its_time(client: EtcdClient, prefix: str) -> None:
    backend = EtcdBackend(client, exclusive=False)
    revision = await backend.put(prefix + "a", b"v", expected=0, ttl=timedelta(seconds=1))
    watch = backend.watch(prefix, prefix_end(prefix), after=revision)

    async with asyncio.timeout(20):
        batch = await anext(watch)

    assert batch.changes == [Change(prefix + "a", None, batch.revision, KeyValue(prefix + "a", b"v", revision))]
    assert (await backend.get(prefix + "a")).kv is None
    await watch.close()


async def test_a_write_without_a_ttl_makes_a_key_stay(client: EtcdClient, prefix: str) -> None:
    backend = EtcdBackend(client, exclusive=False)
    stays = await backend.put(prefix + "stays", b"v", expected=0, ttl=HOUR)
    await backend.put(prefix + "goes", b"v", expected=0, ttl=HOUR)
    await backend.put(prefix + "stays", b"w", expected=stays)

    await expire(client, backend)

    assert (await backend.get(prefix + "stays")).kv is not None
    assert (await backend.get(prefix + "goes")).kv is None


async def test_a_lease_that_is_gone_too_early_is_replaced(client: EtcdClient, prefix: str) -> None:
    backend = EtcdBackend(client, exclusive=False)
    await backend.put(prefix + "a", b"v", expected=0, ttl=HOUR)
    await expire(client, backend)

    await backend.put(prefix + "b", b"v", expected=0, ttl=HOUR)

    assert (await backend.get(prefix + "b")).kv is not None
