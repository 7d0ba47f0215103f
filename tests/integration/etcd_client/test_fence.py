"""A create that comes late, after somebody has looked whether it was done."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator

import pytest

from localplane.apiserver.storage.errors import CompareFailed, Unavailable
from localplane.apiserver.storage.etcd.backend import EtcdBackend
from localplane.apiserver.storage.etcd.client import EtcdClient
from localplane.apiserver.storage.etcd.client.methods import TXN
from localplane.apiserver.storage.store import CertainWrites
from tests.contract.losing import Fate, losing
from tests.integration.etcd_client.server import EtcdServer, answering


@pytest.fixture
async def client(shared_etcd: EtcdServer) -> AsyncIterator[EtcdClient]:
    client = EtcdClient([shared_etcd.listen])
    yield client
    await client.close()


@pytest.fixture
async def backend(client: EtcdClient) -> EtcdBackend:
    backend = EtcdBackend(client, exclusive=False)
    await answering(backend)
    return backend


async def test_a_create_from_before_the_fence_was_moved_is_refused(
    backend: EtcdBackend, client: EtcdClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = client.call
    held: list[object] = []

    async def hold_first_create(method: object, request: object, **options: object) -> object:
        if method is TXN and not held:
            held.append(copy := type(request)())
            copy.CopyFrom(request)  # type: ignore[attr-defined]  # protobuf's
            raise Unavailable("cut", may_have_happened=True)
        return await call(method, request, **options)  # type: ignore[arg-type]  # as they came

    monkeypatch.setattr(client, "call", hold_first_create)
    with pytest.raises(Unavailable):
        await backend.put("/fence/late", b"1", expected=0)
    assert await backend.fence()
    assert not (await call(TXN, held[0])).succeeded
    assert (await backend.get("/fence/late")).kv is None
    revision = await backend.put("/fence/late", b"2", expected=0)
    await backend.delete("/fence/late", expected=revision)


async def test_what_is_there_is_still_in_the_way(backend: EtcdBackend) -> None:
    revision = await backend.put("/fence/a", b"1", expected=0)
    for _ in range(3):
        assert await backend.fence()
        with pytest.raises(CompareFailed) as raised:
            await backend.put("/fence/a", b"2", expected=0)
        assert raised.value.current is not None
        assert raised.value.current.value == b"1"
    await backend.delete("/fence/a", expected=revision)


async def test_creates_that_are_in_no_doubt_do_not_notice(backend: EtcdBackend) -> None:
    async def create(number: int) -> int:
        if number % 10 == 0:
            assert await backend.fence()
        return await backend.put(f"/fence/{number}", b"1", expected=0)

    revisions = await asyncio.gather(*(create(number) for number in range(100)))
    assert len(set(revisions)) == 100
    await asyncio.gather(
        *(backend.delete(f"/fence/{number}", expected=revision) for number, revision in enumerate(revisions))
    )


async def test_those_who_need_a_fence_at_once_share_it(backend: EtcdBackend) -> None:
    before = await backend.current_revision()
    assert all(await asyncio.gather(*(backend.fence() for _ in range(50))))
    assert await backend.current_revision() - before <= 3  # the first, the one for all who came meanwhile


async def test_a_fence_that_was_moved_without_our_hearing_of_it_is_found(
    backend: EtcdBackend, client: EtcdClient
) -> None:
    assert await backend.fence()
    backend._fence._revision = 0
    revision = await backend.put("/fence/b", b"1", expected=0)
    await backend.delete("/fence/b", expected=revision)


@pytest.mark.parametrize("fate", [Fate.DONE, Fate.NEVER, Fate.LATE])
async def test_whatever_is_lost_is_created_once(backend: EtcdBackend, fate: Fate) -> None:
    value = secrets.token_bytes()
    with losing(backend) as lost:
        lost.meet(fate)
        revision = await CertainWrites(backend, fence=backend.fence).put("/fence/c", value, expected=0)
        lost.meet()
    kv = (await backend.get("/fence/c")).kv
    assert kv is not None
    assert (kv.value, kv.revision) == (value, revision)
    await backend.delete("/fence/c", expected=revision)
