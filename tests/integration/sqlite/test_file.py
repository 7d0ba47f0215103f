"""Which files are taken, which are refused, and what they look like from outside."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from localplane.apiserver.storage.errors import StorageError, Unavailable
from localplane.apiserver.storage.sqlite import schema
from localplane.apiserver.storage.sqlite.backend import SQLiteBackend
from localplane.apiserver.storage.sqlite.errors import UnusableDatabase


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def a_store(path: Path, keys: int = 1) -> None:
    store = await SQLiteBackend.open(path)
    await asyncio.gather(*(store.put(f"/{n}", bytes(1000), expected=0) for n in range(keys)))
    await store.close()


async def refused(path: Path) -> str:
    before = path.read_bytes()
    with pytest.raises(UnusableDatabase) as caught:
        await SQLiteBackend.open(path)
    assert isinstance(caught.value, StorageError)
    assert path.read_bytes() == before
    assert str(path) in str(caught.value)
    return str(caught.value)


async def test_all_files_are_private_whatever_the_umask(path: Path) -> None:
    umask = os.umask(0)
    try:
        store = await SQLiteBackend.open(path)
        await store.put("/a", b"v", expected=0)
        names = sorted(file.name for file in path.parent.iterdir())
        assert names == ["store.db", "store.db-shm", "store.db-wal", "store.db.lock"]
        assert {mode(file) for file in path.parent.iterdir()} == {0o600}
        await store.close()
    finally:
        os.umask(umask)


async def test_a_file_that_others_could_read_is_made_private(path: Path) -> None:
    await a_store(path)
    path.chmod(0o644)
    await a_store(path.with_name("other.db"))
    store = await SQLiteBackend.open(path)
    assert mode(path) == 0o600
    assert {mode(file) for file in path.parent.iterdir()} == {0o600}
    await store.close()


async def test_closing_leaves_one_file_and_its_lock(path: Path) -> None:
    await a_store(path)
    assert sorted(file.name for file in path.parent.iterdir()) == ["store.db", "store.db.lock"]


async def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    path.write_text("my diary, more than a hundred bytes of it" * 10)
    assert "is not a SQLite database" in await refused(path)
    path.write_bytes(b"")
    assert "is not a SQLite database" in await refused(path)


async def test_the_database_of_another_program_is_refused(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE bookmarks (url)")
    connection.close()
    assert "of another program" in await refused(path)


async def test_a_newer_schema_is_refused_with_both_versions_named(path: Path) -> None:
    await a_store(path)
    newer = schema.SCHEMA_VERSION + 41
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version={newer}")
    connection.close()
    said = await refused(path)
    assert f"schema version {newer}" in said
    assert f"up to {schema.SCHEMA_VERSION}" in said


async def test_a_truncated_file_is_refused(path: Path) -> None:
    await a_store(path, keys=100)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)
    assert "is damaged" in await refused(path)


async def test_a_damaged_page_is_refused(path: Path) -> None:
    await a_store(path, keys=100)
    with path.open("r+b") as file:
        file.seek(5 * 4096)
        file.write(b"\xff" * 4096)
    assert "is damaged" in await refused(path)


async def test_a_log_without_its_database_is_refused(path: Path) -> None:
    path.with_name("store.db-wal").write_bytes(b"left behind")
    with pytest.raises(UnusableDatabase, match="is missing, but its log"):
        await SQLiteBackend.open(path)
    assert not path.exists()


async def test_what_an_interrupted_creation_left_is_no_obstacle(path: Path) -> None:
    path.with_name("store.db.new").write_bytes(b"half a database")
    await a_store(path)
    assert sorted(file.name for file in path.parent.iterdir()) == ["store.db", "store.db.lock"]


async def test_a_second_process_is_kept_out(path: Path, tools: Any) -> None:
    store = await SQLiteBackend.open(path)
    script = (
        "import sys; from pathlib import Path\n"
        "from localplane.apiserver.storage.sqlite.schema import open_database\n"
        "open_database(Path(sys.argv[1]))"
    )
    other = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, str(path), stderr=asyncio.subprocess.PIPE, env=tools.python()
    )
    _, said = await other.communicate()
    assert other.returncode == 1
    assert b"is in use by another process" in said
    with pytest.raises(UnusableDatabase, match="in use"):
        await SQLiteBackend.open(path)
    assert await store.put("/a", b"v", expected=0) == 2
    await store.close()
    await a_store(path.with_name("free.db"))


async def test_a_write_is_refused_with_the_reason_while_someone_else_locks_the_file(
    path: Path, store: SQLiteBackend
) -> None:
    await store._writer.run(lambda writer: writer.connection.execute("PRAGMA busy_timeout=0").close())
    intruder = sqlite3.connect(path, isolation_level=None)
    intruder.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable, match="database is locked") as caught:
        await store.put("/a", b"v", expected=0)
    assert not caught.value.may_have_happened
    assert (await store.get("/a")).kv is None
    intruder.close()
    assert await store.put("/a", b"v", expected=0) == 2


async def test_a_refused_file_is_not_kept_locked(path: Path) -> None:
    path.write_text("x" * 200)
    await refused(path)
    path.unlink()
    await a_store(path)


async def test_the_status_says_what_it_is(path: Path, store: SQLiteBackend) -> None:
    await store.put("/a", bytes(100_000), expected=0)
    status = await store.status()
    assert status.version == f"sqlite {sqlite3.sqlite_version}"
    assert status.revision == 2
    assert status.alarms == ()
    assert status.size_bytes > 100_000
    assert (store.name, store.exclusive) == ("sqlite", True)
