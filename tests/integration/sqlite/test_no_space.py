from __future__ import annotations

import asyncio
from functools import partial

import pytest

from localplane.apiserver.storage.errors import NoSpace
from localplane.apiserver.storage.sqlite.backend import SQLiteBackend
from localplane.apiserver.storage.sqlite.writer import Writer


def limit_pages(writer: Writer, *, spare: int | None) -> None:
    """SQLite refuses to grow past this as it does on a full disk."""
    (pages,) = writer.connection.execute("PRAGMA page_count").fetchone()
    limit = 1 << 30 if spare is None else pages + spare
    writer.connection.execute(f"PRAGMA max_page_count={limit}").fetchone()


async def test_a_full_disk_refuses_writes_whole_and_recovers(store: SQLiteBackend) -> None:
    await store.put("/a", b"before", expected=0)
    await store._writer.run(partial(limit_pages, spare=2))
    with pytest.raises(NoSpace, match="no space left for the store"):
        await store.put("/a", bytes(100_000), expected=2)
    found = await store.get("/a")
    assert found.kv is not None
    assert (found.kv.value, found.revision) == (b"before", 2)
    assert (await store.status()).alarms != ()
    await store._writer.run(partial(limit_pages, spare=None))
    assert (await store.status()).alarms == ()
    assert await store.put("/a", bytes(100_000), expected=2) == 3


async def test_a_write_that_does_not_fit_takes_no_neighbour_with_it(store: SQLiteBackend, tools: object) -> None:
    created = await store.put("/gone", b"v", expected=0)
    await store._writer.run(partial(limit_pages, spare=3))
    watch = store.watch("/", "0", after=created)
    outcomes = await asyncio.gather(
        store.put("/small", b"v", expected=0),
        store.put("/large", bytes(100_000), expected=0),
        store.delete("/gone", expected=created),
        return_exceptions=True,
    )
    assert [out if isinstance(out, int) else type(out) for out in outcomes] == [3, NoSpace, 4]
    seen: list[int] = []
    while len(seen) < 2:
        seen += [change.revision for change in (await anext(watch)).changes]
    assert seen == [3, 4]
    await watch.close()


async def test_deleting_and_compacting_make_room_again(store: SQLiteBackend) -> None:
    revisions = [await store.put(f"/{n}", bytes(50_000), expected=0) for n in range(10)]
    await store._writer.run(partial(limit_pages, spare=1))
    with pytest.raises(NoSpace):
        await store.put("/more", bytes(50_000), expected=0)
    for number, revision in enumerate(revisions):
        await store.delete(f"/{number}", expected=revision)
    await store.put("/last", b"v", expected=0)
    await store.compact(await store.current_revision())
    assert await store.put("/more", bytes(50_000), expected=0)
