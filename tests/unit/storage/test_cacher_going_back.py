"""A store is replaced under a running server, by an older copy or another one: everybody is told, and nothing lies."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count

import pytest

from localplane.apiserver.storage.cacher import Cacher
from localplane.apiserver.storage.errors import NotReady, ResourceVersionTooOld, StorageError
from localplane.apiserver.storage.interface import EventType, ListOptions, Watch, WatchOptions
from localplane.apiserver.storage.memory import MemoryBackend
from tests.unit.storage.faulty import FaultyBackend, caching
from tests.unit.storage.samples import PREFIX, absolute, config_map, encoded, key_of
from tests.unit.storage.virtual_time import settle, until, virtual_time
from tests.unit.storage.writers import Writer

_writes = count()


class Replaceable(FaultyBackend):
    """A store that others write to, too, and that can be put back to what it was."""

    def __init__(self) -> None:
        super().__init__(exclusive=False)

    def copy(self) -> MemoryBackend:
        store = MemoryBackend()
        store._state = self.inner._state.copy()
        store._changes = list(self.inner._changes)
        store._revision, store._compacted = self.inner._revision, self.inner._compacted
        store._identity = self.inner._identity
        return store

    async def restore(self, store: MemoryBackend) -> None:
        """As a restart on other files looks from outside: connections break, then something answers."""
        await self.fail()
        self.inner = store
        self.down = False


async def write(store: MemoryBackend, *names: str) -> int:
    revision = 0
    for name in names:
        current = (await store.get(absolute(name))).kv
        value = encoded(name, data=str(next(_writes)))
        revision = await store.put(absolute(name), value, expected=current.revision if current else 0)
    return revision


async def truth(backend: Replaceable) -> list[tuple[str, int]]:
    return [(kv.key, kv.revision) for kv in (await backend.inner.range("/registry/", "/registry0")).kvs]


async def listed(cacher: Cacher) -> list[tuple[str, int]]:
    return [(obj.key, obj.revision) for obj in (await cacher.resource(PREFIX).list(PREFIX, ListOptions())).items]


async def last_event(watch: Watch) -> StorageError | None:
    async with asyncio.timeout(30):
        events = [event async for event in watch]
    assert events[-1].type is EventType.ERROR
    return events[-1].error


@asynccontextmanager
async def gone_back() -> AsyncIterator[tuple[Replaceable, Cacher, Watch, int]]:
    """A cacher that has seen more than its store now has, a watch on it, and how far it had come."""
    backend = Replaceable()
    await write(backend.inner, "a", "b")
    older = backend.copy()
    async with caching(backend) as cacher:
        seen = await write(backend.inner, "b", "c", "d")
        watch = await cacher.resource(PREFIX).watch(PREFIX, WatchOptions(resource_version=str(seen)))
        await cacher.freshness.reach(seen)
        await backend.restore(older)
        yield backend, cacher, watch, seen


@virtual_time
async def test_the_next_read_notices_and_is_put_off() -> None:
    backend = Replaceable()
    older = backend.copy()
    async with caching(backend) as cacher:
        seen = await write(backend.inner, "a")
        await cacher.freshness.reach(seen)
        backend.inner = older  # the feed has not noticed anything yet
        with pytest.raises(NotReady):
            await cacher.resource(PREFIX).get(key_of("a"))
        assert not cacher.ready
        assert cacher.why_not_ready == (
            "the store went back in time: it had reached revision 2 and now stands at 1: the cache is being filled anew"
        )
        await until(lambda: cacher.ready)
        assert await listed(cacher) == []
        assert cacher.discontinuities == 1


@virtual_time
async def test_watches_end_with_an_error_that_says_list_again() -> None:
    async with gone_back() as (_, cacher, watch, _):
        error = await last_event(watch)
        assert isinstance(error, ResourceVersionTooOld)
        await until(lambda: cacher.ready)
        assert len(cacher.watchers) == 0


@virtual_time
async def test_what_is_served_afterwards_is_what_the_store_holds() -> None:
    async with gone_back() as (backend, cacher, _, _):
        await until(lambda: cacher.discontinuities > 0 and cacher.ready)
        assert await listed(cacher) == await truth(backend)
        assert cacher.revision == backend.inner.observed_revision


@virtual_time
async def test_what_is_acknowledged_afterwards_is_there_to_stay() -> None:
    async with gone_back() as (backend, cacher, _, _):
        storage = cacher.resource(PREFIX)
        created = await storage.create(key_of("new"), config_map("new"))  # before anybody has noticed anything
        await until(lambda: cacher.discontinuities > 0 and cacher.ready)
        later = await storage.create(key_of("later"), config_map("later"))
        for obj in (created, later):
            assert (await storage.get(obj.key.removeprefix("/registry"))).revision == obj.revision
        assert await listed(cacher) == await truth(backend)


@virtual_time
async def test_revisions_of_the_lost_past_are_too_old_and_not_waited_for() -> None:
    async with gone_back() as (backend, cacher, _, seen):
        storage = cacher.resource(PREFIX)
        await until(lambda: cacher.discontinuities > 0 and cacher.ready)
        base = cacher.window.base
        for revision in (1, base - 1, base + 1, seen):
            refused = await storage.watch(PREFIX, WatchOptions(resource_version=str(revision)))
            assert isinstance(await last_event(refused), ResourceVersionTooOld)
        resumed = await storage.watch(PREFIX, WatchOptions(resource_version=str(base)))
        written = await write(backend.inner, "e")
        assert [event.revision for event in await resumed.take()] == [written]


@virtual_time
async def test_a_list_that_began_in_the_lost_past_is_told_to_begin_again() -> None:
    backend = Replaceable()
    older = backend.copy()
    async with caching(backend) as cacher:
        storage = cacher.resource(PREFIX)
        await cacher.freshness.reach(await write(backend.inner, "a", "b", "c"))
        page = await storage.list(PREFIX, ListOptions(limit=1))
        await backend.restore(older)
        await until(lambda: cacher.discontinuities > 0 and cacher.ready)
        with pytest.raises(ResourceVersionTooOld):
            await storage.list(PREFIX, ListOptions(limit=1, continue_token=page.continue_token))


@pytest.mark.parametrize("last", ["update", "delete", "fill"])
def test_a_store_that_others_have_written_past_our_revision_is_noticed_when_the_feed_resumes(last: str) -> None:
    """By then no number is lower than one that was seen: only history itself can tell."""

    @virtual_time
    async def story() -> None:
        backend = Replaceable()
        await write(backend.inner, "a", "b")
        older = backend.copy()
        if last == "fill":
            await write(backend.inner, "a")
        async with caching(backend) as cacher:
            if last != "fill":
                seen = await write(backend.inner, "c", "a")
            if last == "delete":
                seen = await backend.inner.delete(absolute("a"), expected=seen)
            if last != "fill":
                await cacher.freshness.reach(seen)
            await write(older, *["b"] * 20)
            await backend.restore(older)
            await until(lambda: cacher.discontinuities > 0 and cacher.ready)
            assert "history is not what it was" in cacher.why_not_ready
            before = await cacher.resource(PREFIX).watch(PREFIX, WatchOptions(resource_version="2"))
            assert isinstance(await last_event(before), ResourceVersionTooOld)
            assert await listed(cacher) == await truth(backend)

    story()


@virtual_time
async def test_a_restart_of_the_same_store_is_no_reason_for_doubt() -> None:
    backend = Replaceable()
    writer = Writer(backend.inner, random.Random(1))
    async with caching(backend) as cacher:
        watch = await cacher.resource(PREFIX).watch(PREFIX, WatchOptions(resource_version="1"))
        for _ in range(20):
            await writer.write()
            await backend.restore(backend.inner)
            await writer.write()
            await until(lambda: cacher.revision == backend.inner.observed_revision)
        assert cacher.discontinuities == 0
        assert not watch.ended
        assert cacher.ready


@virtual_time
async def test_a_compaction_that_took_our_place_in_history_is_no_reason_for_doubt() -> None:
    backend = Replaceable()
    async with caching(backend) as cacher:
        await cacher.freshness.reach(await write(backend.inner, "a"))
        await backend.fail()
        await backend.inner.compact(await write(backend.inner, "a", "b", "c"))
        backend.down = False
        await until(lambda: cacher.revision == backend.inner.observed_revision)
        assert cacher.discontinuities == 0
        assert await listed(cacher) == await truth(backend)


@virtual_time
async def test_a_store_that_is_replaced_while_it_is_read_is_read_again() -> None:
    backend = Replaceable()
    async with caching(backend) as cacher:
        await cacher.freshness.reach(await write(backend.inner, "a", "b"))
        cacher.start_over("somebody said so")
        await settle()
        filling = asyncio.create_task(until(lambda: cacher.ready))
        cacher.start_over("and again")
        await filling
        assert await listed(cacher) == await truth(backend)
        seen = await write(backend.inner, "c")
        async with asyncio.timeout(5):
            await cacher.freshness.reach(seen)


@virtual_time
async def test_doubt_that_arises_while_the_store_is_asked_is_not_told_twice() -> None:
    backend = Replaceable()
    older = backend.copy()
    async with caching(backend) as cacher:
        await cacher.freshness.reach(await write(backend.inner, "a"))
        await backend.fail()
        await asyncio.sleep(1)  # it now asks before it resumes

        async def said_by_another_answer() -> None:
            if not cacher.discontinuities:
                cacher.start_over("somebody else has noticed")

        backend.before_revision = said_by_another_answer
        backend.inner = older
        backend.down = False
        await until(lambda: cacher.discontinuities > 0 and cacher.ready)
        assert cacher.discontinuities == 1
        assert await listed(cacher) == []


@virtual_time
async def test_an_exclusive_store_is_never_asked_for_its_past() -> None:
    """Whoever keeps others out also checks the store when it is started again, and refuses it."""
    backend = FaultyBackend()
    async with caching(backend) as cacher:
        await cacher.freshness.reach(await write(backend.inner, "a"))
        asked = backend.revision_questions
        for _ in range(3):
            await backend.cut()
            await cacher.freshness.reach(await write(backend.inner, "a"))
        await listed(cacher)
        assert backend.revision_questions == asked


@pytest.mark.parametrize("seed", range(30))
def test_whatever_is_restored_whenever_the_cache_ends_up_with_the_truth(seed: int) -> None:
    """Copies are taken, others write, old copies come back, all by chance; a client follows with lists and watches."""

    @virtual_time
    async def story() -> None:
        chance = random.Random(seed)
        backend = Replaceable()
        copies = [backend.copy()]
        async with caching(backend) as cacher:
            for _ in range(40):
                step = chance.random()
                if step < 0.6:
                    await write(backend.inner, *chance.choices("abcdef", k=chance.randint(1, 4)))
                elif step < 0.75:
                    copies.append(backend.copy())
                elif step < 0.9:
                    await backend.restore(chance.choice(copies))
                    copies = [backend.copy()]
                    await write(backend.inner, *chance.choices("abcdef", k=chance.randint(0, 6)))
                else:
                    await settle()
                if chance.random() < 0.5:
                    await asyncio.sleep(chance.random() * 2)
            # What nobody reads is noticed when the feed resumes, at the latest when somebody reads.
            async with asyncio.timeout(60):
                while True:
                    try:
                        if await listed(cacher) == await truth(backend):
                            break
                    except StorageError:
                        pass
                    await asyncio.sleep(0.1)

    story()


@virtual_time
async def test_the_feed_of_an_idle_registry_keeps_up_with_a_busy_store() -> None:
    """Or the compaction of somebody else would overtake it, and all watches would have to begin anew."""
    backend = FaultyBackend(exclusive=False)
    writer = Writer(backend.inner, random.Random(1))
    async with caching(backend) as cacher:
        watch = await cacher.resource(PREFIX).watch(PREFIX, WatchOptions(resource_version="1"))
        for _ in range(10):
            elsewhere = await writer.write_elsewhere(times=50)
            await asyncio.sleep(60)
            assert cacher.revision == elsewhere
            await backend.inner.compact(elsewhere)
        await backend.cut()
        await asyncio.sleep(5)
        assert cacher.ready
        assert not watch.ended
