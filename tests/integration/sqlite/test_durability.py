from __future__ import annotations

import asyncio
import random
import sys
from pathlib import Path
from typing import Any

from localplane.apiserver.storage.sqlite.backend import SQLiteBackend

SCRIPT = Path(__file__).with_name("acknowledge_until_killed.py")
ROUNDS = 4


async def acknowledged_until_killed(path: Path, name: str, lines: int, tools: Any) -> dict[int, tuple[str, str]]:
    """Kill a writing process after it has printed `lines`; everything it printed, by revision."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(SCRIPT), str(path), name, stdout=asyncio.subprocess.PIPE, env=tools.python()
    )
    assert process.stdout is not None
    out = b""
    while out.count(b"\n") < lines:
        part = await process.stdout.read(65536)
        assert part, "the writing process ended by itself"
        out += part
    process.kill()
    out += await process.stdout.read()
    await process.wait()
    told: dict[int, tuple[str, str]] = {}
    for line in out.decode().splitlines():
        revision, key, value = line.split(" ")
        assert int(revision) not in told
        told[int(revision)] = (key, value)
    return told


def waits_for_the_disk(store: SQLiteBackend) -> bool:
    asked = [store._writer.connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("synchronous", "fullfsync")]
    return asked == [2, 1]


async def test_every_commit_waits_for_the_disk_also_after_a_compaction(store: SQLiteBackend) -> None:
    assert store._writer.connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert waits_for_the_disk(store)
    revision = await store.put("/a", b"1", expected=0)
    await store.compact(await store.put("/a", b"2", expected=revision))
    assert waits_for_the_disk(store)


async def test_no_acknowledged_write_is_lost_when_the_process_is_killed(path: Path, tools: Any) -> None:
    told: dict[int, tuple[str, str]] = {}
    for number in range(ROUNDS):
        new = await acknowledged_until_killed(path, f"r{number}", random.randint(300, 1500), tools)
        assert not told or min(new) > max(told), "a revision was used twice"
        told |= new
        store = await SQLiteBackend.open(path)
        top = await store.current_revision()
        assert top >= max(told)
        watch = store.watch("/", "0", after=1)
        log: dict[int, tuple[str, str]] = {}
        while max(log, default=1) < top:
            for change in (await anext(watch)).changes:
                log[change.revision] = (change.key, (change.value or b"").decode())
        assert list(log) == list(range(2, top + 1))
        assert {revision: log[revision] for revision in told} == told
        await watch.close()
        await store.close()
