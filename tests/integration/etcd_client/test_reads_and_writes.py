"""What a backend promises, kept by a real etcd."""

from __future__ import annotations

import asyncio

import pytest

from localplane.apiserver.storage.backend import KeyValue, Page, prefix_end
from localplane.apiserver.storage.errors import (
    CompareFailed,
    RequestTooLarge,
    ResourceVersionTooLarge,
    ResourceVersionTooOld,
)
from localplane.apiserver.storage.etcd.backend import EtcdBackend
from localplane.apiserver.storage.etcd.client import EtcdClient
from tests.integration.etcd_client.server import EtcdServer


async def test_a_key_is_created_once(backend: EtcdBackend, prefix: str) -> None:
    revision = await backend.put(prefix + "a", b"first", expected=0)

    with pytest.raises(CompareFailed) as raised:
        await backend.put(prefix + "a", b"second", expected=0)

    there = KeyValue(prefix + "a", b"first", revision)
    assert raised.value.current == there
    assert (await backend.get(prefix + "a")).kv == there


async def test_a_key_is_updated_at_the_expected_revision_only(backend: EtcdBackend, prefix: str) -> None:
    first = await backend.put(prefix + "a", b"1", expected=0)
    second = await backend.put(prefix + "a", b"2", expected=first)
    assert second == first + 1

    with pytest.raises(CompareFailed) as raised:
        await backend.put(prefix + "a", b"3", expected=first)
    assert raised.value.current == KeyValue(prefix + "a", b"2", second)


async def test_updating_what_is_not_there_finds_nothing(backend: EtcdBackend, prefix: str) -> None:
    with pytest.raises(CompareFailed) as raised:
        await backend.put(prefix + "a", b"1", expected=5)
    assert raised.value.current is None


async def test_a_key_is_deleted_at_the_expected_revision_only(backend: EtcdBackend, prefix: str) -> None:
    revision = await backend.put(prefix + "a", b"1", expected=0)
    with pytest.raises(CompareFailed) as raised:
        await backend.delete(prefix + "a", expected=revision - 1)
    assert raised.value.current == KeyValue(prefix + "a", b"1", revision)

    assert await backend.delete(prefix + "a", expected=revision) == revision + 1
    assert (await backend.get(prefix + "a")).kv is None


@pytest.mark.parametrize("expected", [0, 7])
async def test_deleting_what_is_not_there_finds_nothing(backend: EtcdBackend, prefix: str, expected: int) -> None:
    with pytest.raises(CompareFailed) as raised:
        await backend.delete(prefix + "a", expected=expected)
    assert raised.value.current is None


async def test_an_empty_value_is_a_value(backend: EtcdBackend, prefix: str) -> None:
    revision = await backend.put(prefix + "a", b"", expected=0)
    assert (await backend.get(prefix + "a")).kv == KeyValue(prefix + "a", b"", revision)


async def test_a_key_can_be_read_as_it_was(backend: EtcdBackend, prefix: str) -> None:
    first = await backend.put(prefix + "a", b"1", expected=0)
    second = await backend.put(prefix + "a", b"2", expected=first)
    await backend.delete(prefix + "a", expected=second)

    assert (await backend.get(prefix + "a", revision=first)).kv == KeyValue(prefix + "a", b"1", first)
    assert (await backend.get(prefix + "a", revision=second)).kv == KeyValue(prefix + "a", b"2", second)
    assert (await backend.get(prefix + "a")).kv is None


async def test_the_future_can_not_be_read(backend: EtcdBackend, prefix: str) -> None:
    now = await backend.current_revision()
    with pytest.raises(ResourceVersionTooLarge) as raised:
        await backend.get(prefix + "a", revision=now + 1000)
    assert (raised.value.requested, raised.value.current) == (now + 1000, now)


async def test_compacted_history_can_not_be_read_and_compacting_again_is_no_error(
    backend: EtcdBackend, prefix: str
) -> None:
    first = await backend.put(prefix + "a", b"1", expected=0)
    second = await backend.put(prefix + "a", b"2", expected=first)
    await backend.compact(second)
    await backend.compact(second)
    assert backend.compacted_revision == second

    with pytest.raises(ResourceVersionTooOld):
        await backend.get(prefix + "a", revision=first)
    with pytest.raises(ResourceVersionTooOld):
        await backend.range(prefix, prefix_end(prefix), revision=first)
    assert (await backend.get(prefix + "a", revision=second)).kv == KeyValue(prefix + "a", b"2", second)


async def test_somebody_elses_compaction_is_noticed(backend: EtcdBackend, prefix: str, shared_etcd: EtcdServer) -> None:
    other = EtcdBackend(EtcdClient([shared_etcd.listen]), exclusive=False)
    first = await backend.put(prefix + "a", b"1", expected=0)
    second = await backend.put(prefix + "a", b"2", expected=first)
    await other.compact(second)
    await other.close()
    with pytest.raises(ResourceVersionTooOld):
        await backend.get(prefix + "a", revision=first)

    assert first < backend.compacted_revision <= second


async def test_a_range_is_in_byte_order_and_counts_everything(backend: EtcdBackend, prefix: str) -> None:
    for name in ("b", "a", "a/x", "é", "B"):
        await backend.put(prefix + name, name.encode(), expected=0)

    page = await backend.range(prefix, prefix_end(prefix), limit=3)

    assert [kv.key.removeprefix(prefix) for kv in page.kvs] == ["B", "a", "a/x"]
    assert page.count == 5
    assert await backend.count(prefix, prefix_end(prefix)) == 5
    everything = await backend.range(prefix, prefix_end(prefix))
    assert [kv.value.decode() for kv in everything.kvs] == ["B", "a", "a/x", "b", "é"]


async def test_pages_at_one_revision_do_not_see_later_writes(backend: EtcdBackend, prefix: str) -> None:
    for name in "abcd":
        await backend.put(prefix + name, b"old", expected=0)
    first = await backend.range(prefix, prefix_end(prefix), limit=2)
    await backend.put(prefix + "cc", b"new", expected=0)
    await backend.delete(prefix + "d", expected=first.revision)

    second = await backend.range(first.kvs[-1].key + "\0", prefix_end(prefix), limit=9, revision=first.revision)

    assert [kv.key.removeprefix(prefix) for kv in (*first.kvs, *second.kvs)] == list("abcd")


@pytest.mark.parametrize("size", [99, 100, 101, 250])
async def test_an_unlimited_range_is_whole_whatever_the_page_size(backend: EtcdBackend, prefix: str, size: int) -> None:
    await fill(backend, prefix, size, b"x")

    page = await backend.range(prefix, prefix_end(prefix))

    assert [kv.key for kv in page.kvs] == [f"{prefix}{number:05}" for number in range(size)]
    assert page.count == size
    assert page.revision == backend.observed_revision


async def test_an_unlimited_range_survives_a_compaction_between_its_pages(
    backend: EtcdBackend, prefix: str, shared_etcd: EtcdServer
) -> None:
    await fill(backend, prefix, 150, b"x")
    hasty = CompactingBackend(EtcdClient([shared_etcd.listen]), exclusive=False, page_size=100)
    try:
        page = await hasty.range(prefix, prefix_end(prefix))
    finally:
        await hasty.close()

    assert len(page.kvs) == 151
    assert hasty.compacted_revision


class CompactingBackend(EtcdBackend):
    """Writes and compacts after every page."""

    async def _page(self, start: str, end: str, limit: int, revision: int) -> Page:
        page = await super()._page(start, end, limit, revision)
        if not self.compacted_revision:
            await self.compact(await self.put(end[:-1] + "/zzz", b"", expected=0))
        return page


async def test_ten_thousand_keys_in_one_range(shared_etcd: EtcdServer, backend: EtcdBackend, prefix: str) -> None:
    value = bytes(range(256)) * 4
    await fill(backend, prefix, 10_000, value)
    whole = EtcdBackend(EtcdClient([shared_etcd.listen]), exclusive=False)
    page = await whole.range(prefix, prefix_end(prefix))
    await whole.close()

    assert len(page.kvs) == page.count == 10_000
    assert {kv.value for kv in page.kvs} == {value}


async def test_large_values_go_and_come(backend: EtcdBackend, prefix: str) -> None:
    value = bytes(range(256)) * 5600  # 1.4 MB
    revision = await backend.put(prefix + "a", value, expected=0)
    assert (await backend.get(prefix + "a")).kv == KeyValue(prefix + "a", value, revision)


async def test_many_large_values_at_once(backend: EtcdBackend, prefix: str) -> None:
    values = {f"{prefix}{number}": bytes((number,)) * 300_000 for number in range(20)}
    await asyncio.gather(*(backend.put(key, value, expected=0) for key, value in values.items()))

    found = await asyncio.gather(*(backend.get(key) for key in values))

    assert {answer.kv.key: answer.kv.value for answer in found if answer.kv} == values


@pytest.mark.parametrize("size", [1_600_000, 5_000_000])
async def test_values_that_etcd_refuses_are_too_large(backend: EtcdBackend, prefix: str, size: int) -> None:
    with pytest.raises(RequestTooLarge):
        await backend.put(prefix + "a", b"x" * size, expected=0)

    assert (await backend.get(prefix + "a")).kv is None


async def test_sixty_four_writers_at_once_all_get_their_own_revision(backend: EtcdBackend, prefix: str) -> None:
    async def write(writer: int) -> list[int]:
        return [await backend.put(f"{prefix}{writer}/{number}", b"v", expected=0) for number in range(20)]

    revisions = await asyncio.gather(*(write(writer) for writer in range(64)))

    assert len({revision for each in revisions for revision in each}) == 64 * 20
    assert all(each == sorted(each) for each in revisions)


async def test_of_many_writers_of_one_key_one_wins(backend: EtcdBackend, prefix: str) -> None:
    async def increment() -> None:
        while True:
            found = (await backend.get(prefix + "n")).kv
            value, revision = (found.value, found.revision) if found else (b"0", 0)
            try:
                await backend.put(prefix + "n", b"%d" % (int(value) + 1), expected=revision)
            except CompareFailed:
                continue
            return

    await asyncio.gather(*(increment() for _ in range(32)))

    found = (await backend.get(prefix + "n")).kv
    assert found is not None
    assert found.value == b"32"


async def test_a_cancelled_call_leaves_the_connection_whole(backend: EtcdBackend, prefix: str) -> None:
    for _ in range(50):
        call = asyncio.create_task(backend.put(prefix + "a", b"x" * 200_000, expected=0))
        await asyncio.sleep(0)
        call.cancel()
    await backend.put(prefix + "b", b"x", expected=0)
    assert (await backend.get(prefix + "b")).kv is not None


async def test_observed_revision_is_the_highest_that_was_shown(backend: EtcdBackend, prefix: str) -> None:
    revision = await backend.put(prefix + "a", b"", expected=0)
    assert backend.observed_revision == revision
    await backend.get(prefix + "a", revision=revision)
    assert backend.observed_revision == revision
    assert await backend.current_revision() == revision


async def test_revisions_can_be_skipped(backend: EtcdBackend, prefix: str) -> None:
    now = await backend.current_revision()

    assert await backend.advance_revision(now + 300) == now + 300
    assert await backend.advance_revision(now) == now + 300
    assert await backend.put(prefix + "a", b"", expected=0) == now + 301


async def test_status_and_identity(backend: EtcdBackend) -> None:
    status = await backend.status()
    assert status.version.startswith("3.")
    assert status.size_bytes > 0
    assert status.revision == backend.observed_revision
    assert status.alarms == ()
    identity = await backend.identity()
    assert int(identity, 16) > 0
    assert await backend.identity() == identity


async def fill(backend: EtcdBackend, prefix: str, keys: int, value: bytes) -> None:
    """`keys` keys, 64 writers at a time."""
    numbers = iter(range(keys))

    async def write() -> None:
        for number in numbers:
            await backend.put(f"{prefix}{number:05}", value, expected=0)

    await asyncio.gather(*(write() for _ in range(64)))
