"""Lists of the past are made by undoing events: they must be what the store itself would answer."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apiserver.storage.cacher import Cacher
from localplane.apiserver.storage.cacher.window import EventWindow
from localplane.apiserver.storage.errors import ResourceVersionTooOld
from localplane.apiserver.storage.interface import ListOptions, Match, ObjectList, Storage
from localplane.apiserver.storage.keys import KeySchema
from localplane.apiserver.storage.store import Store
from tests.unit.storage.faulty import FaultyBackend, caching
from tests.unit.storage.samples import PREFIX, ROOT, absolute, config_map, has_app, key_of
from tests.unit.storage.virtual_time import settle, virtual_time
from tests.unit.storage.writers import Writer

PLACES = ["/configmaps", "/configmaps/default", "/configmaps/other/", "/configmaps/nowhere"]


def answer(listed: ObjectList) -> tuple[list[bytes], int, str, int | None]:
    return [obj.data for obj in listed.items], listed.revision, listed.continue_token, listed.remaining


async def pages(storage: Storage, place: str, options: ListOptions) -> list[ObjectList]:
    """The list and all its continuations."""
    found = [await storage.list(place, options)]
    while found[-1].continue_token:
        following = ListOptions(
            limit=options.limit, predicate=options.predicate, continue_token=found[-1].continue_token
        )
        found.append(await storage.list(place, following))
    return found


def exactly(revision: int, *, limit: int = 0) -> ListOptions:
    return ListOptions(resource_version=str(revision), match=Match.EXACT, limit=limit)


@given(st.integers(), st.integers(0, 25), st.integers(0, 4))
@virtual_time
async def test_every_past_state_is_the_one_that_the_store_remembers(seed: int, writes: int, limit: int) -> None:
    backend = FaultyBackend()
    writer = Writer(backend.inner, random.Random(seed), names=3)
    store = Store(backend.inner, KeySchema(ROOT, PREFIX))
    async with caching(backend) as cacher:
        cached = cacher.resource(PREFIX)
        for number in range(writes):
            await (writer.write_elsewhere() if number % 5 == 4 else writer.write())
        await cacher.catch_up()
        filled = backend.ranges
        for revision in range(1, backend.inner.observed_revision + 1):
            for place in PLACES:
                options = exactly(revision, limit=limit)
                expected = await pages(store, place, options)
                assert [answer(page) for page in await pages(cached, place, options)] == [answer(p) for p in expected]
            one = ListOptions(resource_version=str(revision), match=Match.EXACT, recursive=False)
            key = key_of("object-1")
            assert answer(await cached.list(key, one)) == answer(await store.list(key, one))
        assert backend.ranges == filled, "the store was asked although the window reached far enough"


@given(st.integers(), st.integers(1, 25), st.integers(1, 4))
@virtual_time
async def test_pages_of_a_selection_hold_all_of_it_once(seed: int, writes: int, limit: int) -> None:
    backend = FaultyBackend()
    writer = Writer(backend.inner, random.Random(seed))
    async with caching(backend) as cacher:
        cached = cacher.resource(PREFIX)
        for _ in range(writes):
            await writer.write()
        await cacher.catch_up()
        whole = await cached.list(PREFIX, ListOptions(predicate=has_app))
        found = [await cached.list(PREFIX, ListOptions(predicate=has_app, limit=limit))]
        while found[-1].continue_token:
            await writer.write()
            await cacher.catch_up()
            options = ListOptions(predicate=has_app, limit=limit, continue_token=found[-1].continue_token)
            found.append(await cached.list(PREFIX, options))
        assert [obj.data for page in found for obj in page.items] == [obj.data for obj in whole.items]
        assert {page.revision for page in found} == {whole.revision}
        assert all(page.remaining is None for page in found)
        assert all(len(page.items) <= limit for page in found)


@virtual_time
async def test_a_past_that_the_window_has_forgotten_is_asked_of_the_store() -> None:
    backend = FaultyBackend()
    writer = Writer(backend.inner, random.Random(1))
    store = Store(backend.inner, KeySchema(ROOT, PREFIX))
    cacher = Cacher(backend, window=EventWindow(smallest=4, largest=4))
    await cacher.start()
    for _ in range(20):
        await writer.write()
    await cacher.catch_up()
    for revision in range(1, backend.inner.observed_revision + 1):
        before = backend.ranges
        answered = answer(await cacher.resource(PREFIX).list(PREFIX, exactly(revision)))
        assert answered == answer(await store.list(PREFIX, exactly(revision)))
        assert (backend.ranges > before) is (revision < cacher.window.base)
    await cacher.close()


@virtual_time
async def test_a_compacted_past_is_refused_even_if_the_window_still_has_it() -> None:
    backend = FaultyBackend()
    async with caching(backend) as cacher:
        cached = cacher.resource(PREFIX)
        for name in ("a", "b", "c"):
            await cached.create(key_of(name), config_map(name))
        await settle()
        page = await cached.list(PREFIX, ListOptions(limit=1))
        await cached.create(key_of("d"), config_map("d"))
        await backend.inner.compact(backend.inner.observed_revision)
        with pytest.raises(ResourceVersionTooOld) as refused:
            await cached.list(PREFIX, exactly(page.revision))
        assert refused.value.continue_token == ""
        with pytest.raises(ResourceVersionTooOld) as refused:
            await cached.list(PREFIX, ListOptions(limit=1, continue_token=page.continue_token))
        rest = await cached.list(PREFIX, ListOptions(continue_token=refused.value.continue_token))
        assert [obj.key[-1] for obj in rest.items] == ["b", "c", "d"]


@virtual_time
async def test_lists_of_namespaces_that_do_not_exist_cost_no_memory() -> None:
    async with caching(FaultyBackend()) as cacher:
        storage = cacher.resource(PREFIX)
        for number in range(2000):
            await storage.list(f"/configmaps/nowhere-{number}", ListOptions())
        assert not cacher.index._listings


@virtual_time
async def test_lists_of_many_namespaces_are_not_all_kept() -> None:
    async with caching(FaultyBackend()) as cacher:
        storage = cacher.resource(PREFIX)
        for number in range(1200):
            await storage.create(key_of("a", namespace=str(number)), config_map("a", namespace=str(number)))
        for _ in range(2):
            for number in range(1200):
                listed = await storage.list(f"/configmaps/{number}", ListOptions())
                assert [obj.key for obj in listed.items] == [absolute("a", namespace=str(number))]
        assert len(cacher.index._listings) == 1000


@virtual_time
async def test_a_list_that_is_kept_is_dropped_when_something_in_it_changes() -> None:
    async with caching(FaultyBackend()) as cacher:
        storage = cacher.resource(PREFIX)
        for name in ("a", "b"):
            await storage.create(key_of(name), config_map(name))
            listed = await storage.list("/configmaps/default", ListOptions())
            again = await storage.list("/configmaps/default", ListOptions())
            everywhere = await storage.list(PREFIX, ListOptions())
            assert [obj.key[-1] for obj in listed.items][-1] == name
            assert [*map(id, listed.items)] == [*map(id, again.items)] == [*map(id, everywhere.items)]
            assert listed.items is not again.items, "a reader may do what it likes with its list"
