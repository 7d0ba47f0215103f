from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

from localplane.apiserver.storage.sqlite.backend import SQLiteBackend
from localplane.apiserver.storage.sqlite.expiry import Clock

SOON = timedelta(milliseconds=50)


class MovedClock(Clock):
    def __init__(self, by: timedelta) -> None:
        super().__init__()
        self._by = round(by.total_seconds() * 1000)

    def now(self) -> int:
        return super().now() + self._by


async def test_a_key_is_deleted_when_its_time_is_over(store: SQLiteBackend, tools: Any) -> None:
    watch = store.watch("/", "0", after=1)
    created = await store.put("/a", b"v", expected=0, ttl=SOON)
    assert (await store.get("/a")).kv is not None
    _, deleted = await tools.read(watch, 2)
    assert (deleted.key, deleted.value, deleted.revision) == ("/a", None, created + 1)
    assert deleted.previous is not None
    assert deleted.previous.value == b"v"
    assert (await store.get("/a")).kv is None
    await watch.close()


async def test_a_shorter_time_is_not_held_up_by_a_longer_one(store: SQLiteBackend, tools: Any) -> None:
    watch = store.watch("/", "0", after=1)
    await store.put("/hour", b"v", expected=0, ttl=timedelta(hours=1))
    await store.put("/soon", b"v", expected=0, ttl=SOON)
    await store.put("/later", b"v", expected=0, ttl=2 * SOON)
    changes = await tools.read(watch, 5)
    assert [change.key for change in changes if change.value is None] == ["/soon", "/later"]
    await watch.close()


async def test_a_write_without_ttl_forgets_an_earlier_one(path: Path, tools: Any) -> None:
    store = await SQLiteBackend.open(path)
    first = await store.put("/stays", b"v", expected=0, ttl=timedelta(minutes=5))
    last = await store.put("/stays", b"w", expected=first)
    await store.put("/goes", b"v", expected=0, ttl=timedelta(minutes=6))
    await store.close()
    store = await SQLiteBackend.open(path, clock=MovedClock(timedelta(hours=1)))
    watch = store.watch("/", "0", after=last)
    changes = await tools.read(watch, 2)
    assert [change.key for change in changes if change.value is None] == ["/goes"]
    assert (await store.get("/stays")).kv is not None
    await watch.close()
    await store.close()


async def test_what_expired_while_the_store_was_closed_is_deleted_at_start(path: Path, tools: Any) -> None:
    store = await SQLiteBackend.open(path)
    for number in range(3):
        await store.put(f"/{number}", b"v", expected=0, ttl=timedelta(minutes=5 + number))
    await store.put("/day", b"v", expected=0, ttl=timedelta(days=1))
    await store.close()
    store = await SQLiteBackend.open(path, clock=MovedClock(timedelta(hours=1)))
    watch = store.watch("/", "0", after=5)
    changes = await tools.read(watch, 3)
    assert [(change.key, change.value, change.revision) for change in changes] == [
        ("/0", None, 6),
        ("/1", None, 7),
        ("/2", None, 8),
    ]
    assert [kv.key for kv in (await store.range("/", "0")).kvs] == ["/day"]
    await watch.close()
    await store.close()


async def test_a_caller_that_went_away_does_not_keep_its_key_alive(store: SQLiteBackend, tools: Any) -> None:
    watch = store.watch("/", "0", after=1)
    put = asyncio.create_task(store.put("/a", b"v", expected=0, ttl=SOON))
    await asyncio.sleep(0)
    put.cancel()
    created, deleted = await tools.read(watch, 2)
    assert (created.value, deleted.value) == (b"v", None)
    await watch.close()
