"""Bytes that nobody can read, in the feed and in the store: they harm those who ask for them, and no others."""

from __future__ import annotations

import asyncio

import pytest

from localplane.apiserver.storage.errors import CorruptObject
from localplane.apiserver.storage.interface import EventType, ListOptions, WatchOptions
from tests.unit.storage.faulty import FaultyBackend, caching
from tests.unit.storage.samples import PREFIX, absolute, config_map, encoded, has_app, key_of
from tests.unit.storage.virtual_time import settle, virtual_time

GARBAGE = b"\x00 no object"


@virtual_time
async def test_an_event_that_cannot_be_read_ends_the_watches_of_its_place_only() -> None:
    backend = FaultyBackend()
    async with caching(backend) as cacher:
        storage, secrets = cacher.resource(PREFIX), cacher.resource("/secrets/")
        everywhere = await storage.watch(PREFIX, WatchOptions())
        selected = await storage.watch("/configmaps/default", WatchOptions(predicate=has_app))
        itself = await storage.watch(key_of("bad"), WatchOptions(recursive=False))
        neighbour = await storage.watch(key_of("good"), WatchOptions(recursive=False))
        other = await storage.watch("/configmaps/other", WatchOptions())
        foreign = await secrets.watch("/secrets/", WatchOptions())
        revision = await backend.inner.put(absolute("bad"), GARBAGE, expected=0)
        await backend.inner.put(absolute("good"), encoded("good"), expected=0)
        await backend.inner.put(absolute("good", namespace="other"), encoded("good"), expected=0)
        await backend.inner.put("/registry/secrets/default/a", encoded("a"), expected=0)
        await settle()
        for watch in (everywhere, selected, itself):
            events = [event async for event in watch]
            assert [(event.type, event.revision) for event in events] == [(EventType.ERROR, revision)]
            assert isinstance(events[0].error, CorruptObject)
        for healthy in (neighbour, other, foreign):
            assert [event.type for event in await healthy.take()] == [EventType.ADDED]
        assert len(cacher.watchers) == 3


@virtual_time
async def test_reads_of_it_fail_and_reads_beside_it_do_not() -> None:
    backend = FaultyBackend()
    await backend.inner.put(absolute("early"), GARBAGE, expected=0)
    async with caching(backend) as cacher:
        storage = cacher.resource(PREFIX)
        await backend.inner.put(absolute("late"), GARBAGE, expected=0)
        good = await storage.create(key_of("good", namespace="other"), config_map("good", namespace="other"))
        for name in ("early", "late"):
            with pytest.raises(CorruptObject) as raised:
                await storage.get(key_of(name))
            assert raised.value.key == absolute(name)
        for place in (PREFIX, "/configmaps/default"):
            with pytest.raises(CorruptObject):
                await storage.list(place, ListOptions())
            with pytest.raises(CorruptObject):
                await storage.watch(place, WatchOptions())
        assert (await storage.get(key_of("good", namespace="other"))).revision == good.revision
        assert len((await storage.list("/configmaps/other", ListOptions())).items) == 1
        assert len(cacher.watchers) == 0


@virtual_time
async def test_it_can_be_deleted_if_one_means_it_and_then_all_is_well() -> None:
    backend = FaultyBackend()
    await backend.inner.put(absolute("bad"), GARBAGE, expected=0)
    async with caching(backend) as cacher:
        storage = cacher.resource(PREFIX)
        with pytest.raises(CorruptObject):
            await storage.delete(key_of("bad"))
        watch = await storage.watch(PREFIX, WatchOptions(resource_version=str(cacher.revision)))
        deleted = await storage.delete(key_of("bad"), even_if_corrupt=True)
        assert [event.type async for event in watch] == [EventType.ERROR]
        assert (await storage.list(PREFIX, ListOptions())).items == []
        after = await storage.watch(PREFIX, WatchOptions(resource_version=str(deleted.revision)))
        await storage.create(key_of("bad"), config_map("bad"))
        assert [event.type for event in await after.take()] == [EventType.ADDED]


@virtual_time
async def test_an_error_among_the_missed_events_is_the_last_one_too() -> None:
    backend = FaultyBackend()
    async with caching(backend) as cacher:
        storage = cacher.resource(PREFIX)
        start = cacher.revision
        await storage.create(key_of("a"), config_map("a"))
        await backend.inner.put(absolute("bad"), GARBAGE, expected=0)
        await storage.create(key_of("z"), config_map("z"))
        await cacher.catch_up()
        watch = await storage.watch(PREFIX, WatchOptions(resource_version=str(start)))
        async with asyncio.timeout(30):
            assert [event.type async for event in watch] == [EventType.ADDED, EventType.ERROR]
        assert len(cacher.watchers) == 0


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(b'{"kind":null}', id="a kind that is null"),
        pytest.param(b'{"kind":"a\\\\b"}', id="a kind with an escape"),
        pytest.param(b'{"a":' * 300 + b"1" + b"}" * 300, id="many levels"),
    ],
)
def test_whatever_is_written_the_feed_goes_on(value: bytes) -> None:
    @virtual_time
    async def story() -> None:
        backend = FaultyBackend()
        async with caching(backend) as cacher:
            storage = cacher.resource(PREFIX)
            await backend.inner.put(absolute("odd"), value, expected=0)
            created = await storage.create(key_of("a"), config_map("a"))
            assert (await storage.get(key_of("a"))).revision == created.revision

    story()


@virtual_time
async def test_labels_of_another_type_do_not_stop_the_feed() -> None:
    backend = FaultyBackend()
    async with caching(backend) as cacher:
        storage = cacher.resource(PREFIX)
        watch = await storage.watch(PREFIX, WatchOptions(predicate=lambda obj: obj.labels.get("app") == "x"))
        odd = b'{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"odd","labels":5}}'
        await backend.inner.put(absolute("odd"), odd, expected=0)
        created = await storage.create(key_of("a"), config_map("a", app="x"))
        assert (await storage.get(key_of("a"))).revision == created.revision
        await watch.stop()
