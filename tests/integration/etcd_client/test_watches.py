"""Watches on a real etcd: nothing lost, nothing twice, nothing promised too early."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from localplane.apiserver.storage.backend import BackendWatch, Batch, Change, KeyValue, prefix_end
from localplane.apiserver.storage.errors import ResourceVersionTooOld
from localplane.apiserver.storage.etcd.backend import EtcdBackend
from localplane.apiserver.storage.etcd.client import EtcdClient
from localplane.apiserver.storage.etcd.client.messages import LeaseRevokeRequest
from localplane.apiserver.storage.etcd.client.methods import LEASE_REVOKE
from tests.integration.etcd_client.server import EtcdServer

PATIENCE_SECONDS = 20


async def changes_of(watch: BackendWatch, number: int) -> list[Change]:
    changes: list[Change] = []
    async with asyncio.timeout(PATIENCE_SECONDS):
        while len(changes) < number:
            changes += (await anext(watch)).changes
    return changes


async def test_a_watch_shows_what_came_and_what_comes(backend: EtcdBackend, prefix: str) -> None:
    before = await backend.current_revision()
    created = await backend.put(prefix + "a", b"1", expected=0)
    watch = backend.watch(prefix, prefix_end(prefix), after=before)
    assert await changes_of(watch, 1) == [Change(prefix + "a", b"1", created, None)]

    updated = await backend.put(prefix + "a", b"2", expected=created)
    await backend.put(prefix[:-1] + "-elsewhere", b"", expected=0)
    deleted = await backend.delete(prefix + "a", expected=updated)

    assert await changes_of(watch, 2) == [
        Change(prefix + "a", b"2", updated, KeyValue(prefix + "a", b"1", created)),
        Change(prefix + "a", None, deleted, KeyValue(prefix + "a", b"2", updated)),
    ]
    await watch.close()


async def test_a_watch_without_previous_values_has_none(backend: EtcdBackend, prefix: str) -> None:
    first = await backend.put(prefix + "a", b"1", expected=0)
    watch = backend.watch(prefix, prefix_end(prefix), after=first, previous=False)
    second = await backend.put(prefix + "a", b"2", expected=first)

    assert await changes_of(watch, 1) == [Change(prefix + "a", b"2", second, None)]
    await watch.close()


async def test_a_watch_from_compacted_history_is_too_old(backend: EtcdBackend, prefix: str) -> None:
    first = await backend.put(prefix + "a", b"1", expected=0)
    second = await backend.put(prefix + "a", b"2", expected=first)
    await backend.compact(second)

    with pytest.raises(ResourceVersionTooOld):
        await changes_of(backend.watch(prefix, prefix_end(prefix), after=first - 2), 1)


async def test_a_watch_from_the_compaction_itself_misses_nothing(backend: EtcdBackend, prefix: str) -> None:
    first = await backend.put(prefix + "a", b"1", expected=0)
    deleted = await backend.delete(prefix + "a", expected=first)
    last = await backend.put(prefix + "b", b"1", expected=0)
    await backend.compact(deleted)

    watch = backend.watch(prefix, prefix_end(prefix), after=first, previous=False)
    changes = await changes_of(watch, 2)

    assert [(change.value, change.revision) for change in changes] == [(None, deleted), (b"1", last)]
    await watch.close()


@pytest.mark.parametrize("change", ["update", "delete"])
async def test_a_change_whose_previous_value_the_compaction_took_is_too_old_and_no_creation(
    backend: EtcdBackend, prefix: str, change: str
) -> None:
    """etcd sends it all the same, without a word about what is missing."""
    first = await backend.put(prefix + "a", b"1", expected=0)
    if change == "update":
        changed = await backend.put(prefix + "a", b"2", expected=first)
    else:
        changed = await backend.delete(prefix + "a", expected=first)
    await backend.compact(changed)

    with pytest.raises(ResourceVersionTooOld):
        await changes_of(backend.watch(prefix, prefix_end(prefix), after=first), 1)
    assert backend.compacted_revision == changed


async def test_a_creation_at_the_compaction_is_told_with_no_previous_value(backend: EtcdBackend, prefix: str) -> None:
    first = await backend.put(prefix + "a", b"1", expected=0)
    deleted = await backend.delete(prefix + "a", expected=first)
    again = await backend.put(prefix + "a", b"2", expected=0)
    await backend.compact(again)

    watch = backend.watch(prefix, prefix_end(prefix), after=deleted)
    (created,) = await changes_of(watch, 1)
    assert (created.value, created.previous, created.revision) == (b"2", None, again)
    await watch.close()


async def test_progress_comes_when_it_is_asked_for(backend: EtcdBackend, prefix: str) -> None:
    now = await backend.current_revision()
    watch = backend.watch(prefix, prefix_end(prefix), after=now)
    elsewhere = await backend.put(prefix[:-1] + "-elsewhere", b"", expected=0)
    await watch.request_progress()

    async with asyncio.timeout(PATIENCE_SECONDS):
        assert await anext(watch) == Batch([], elsewhere)
    await watch.close()


async def test_progress_is_never_ahead_of_changes(backend: EtcdBackend, prefix: str) -> None:
    start = await backend.current_revision()
    written: set[int] = set()

    async def write(writer: int) -> None:
        for number in range(100):
            written.add(await backend.put(f"{prefix}{writer}/{number}", b"v" * 100, expected=0))

    seen: list[int] = []
    progress = start
    watch = backend.watch(prefix, prefix_end(prefix), after=start)
    async with asyncio.timeout(PATIENCE_SECONDS), asyncio.TaskGroup() as group:
        for writer in range(8):
            group.create_task(write(writer))
        while len(written) < 800 or progress < max(written):
            await watch.request_progress()
            batch = await anext(watch)
            assert all(change.revision > progress for change in batch.changes)
            seen += [change.revision for change in batch.changes]
            progress = batch.revision
    await watch.close()

    assert seen == sorted(written)


async def test_all_changes_of_a_revision_come_together_however_large(
    shared_etcd: EtcdServer, prefix: str, backend: EtcdBackend
) -> None:
    """Expiry deletes all keys of a lease at one revision; with their old values that is more than etcd puts into
    one message."""
    client = EtcdClient([shared_etcd.listen])
    leasing = EtcdBackend(client, exclusive=False)
    keys = [f"{prefix}{number}" for number in range(4)]
    for key in keys:
        last = await leasing.put(key, key.encode() * 100_000, expected=0, ttl=timedelta(hours=1))
    watch = backend.watch(prefix, prefix_end(prefix), after=last)

    await client.call(LEASE_REVOKE, LeaseRevokeRequest(ID=await leasing._leases.lease_for(timedelta(hours=1))))
    async with asyncio.timeout(PATIENCE_SECONDS):
        batch = await anext(watch)

    assert sorted(change.key for change in batch.changes) == keys
    assert {change.revision for change in batch.changes} == {batch.revision}
    for change in batch.changes:
        assert change.previous is not None
        assert change.previous.value == change.key.encode() * 100_000
    await watch.close()
    await leasing.close()


async def test_many_watches_share_a_connection(backend: EtcdBackend, prefix: str) -> None:
    now = await backend.current_revision()
    watches = [backend.watch(f"{prefix}{number}/", f"{prefix}{number}0", after=now) for number in range(50)]
    for number in range(50):
        await backend.put(f"{prefix}{number}/a", b"", expected=0)

    seen = await asyncio.gather(*(changes_of(watch, 1) for watch in watches))

    assert [change.key for (change,) in seen] == [f"{prefix}{number}/a" for number in range(50)]
    for watch in watches:
        await watch.close()


async def test_a_reader_that_falls_behind_by_more_than_the_window_gets_everything(
    backend: EtcdBackend, prefix: str
) -> None:
    now = await backend.current_revision()
    watch = backend.watch(prefix, prefix_end(prefix), after=now)
    await watch.request_progress()
    await anext(watch)
    value = b"x" * 2**20
    revision = 0
    for _ in range(40):
        revision = await backend.put(prefix + "a", value, expected=revision)

    changes = await changes_of(watch, 40)

    assert [change.value for change in changes] == [value] * 40
    await watch.close()
