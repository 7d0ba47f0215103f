"""The committed log, read straight from the store: from SQLite's file, or from etcd by a watch from the beginning.

Neither way leads through the storage under test. etcd's client is ours, but a client that left something out here
would be accused of losing it, not excused.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from localplane.apiserver.storage.backend import prefix_end
from localplane.apiserver.storage.etcd.client import EtcdClient, messages
from localplane.apiserver.storage.etcd.client.methods import RANGE, WATCH
from localplane.apiserver.storage.keys import DEFAULT_ROOT
from tests.faults.history import Commit

_READ_WITHIN = 10.0
_OBJECTS = "/configmaps/"
# The storage notes things of its own beside the objects.
_CHANGES = "SELECT revision, key, value FROM changes WHERE key GLOB ? ORDER BY revision"


def read_sqlite(database: Path) -> list[Commit]:
    """Opened read-only, while the host that wrote it may still run."""
    with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        rows = connection.execute(_CHANGES, (f"{DEFAULT_ROOT}{_OBJECTS}*",)).fetchall()
    return [Commit(revision, key.removeprefix(DEFAULT_ROOT), _value(value)) for revision, key, value in rows]


async def read_etcd(client: EtcdClient, *, root: str = DEFAULT_ROOT) -> list[Commit]:
    """Everything up to where etcd stands now, which must not move meanwhile."""
    prefix = f"{root}{_OBJECTS}"
    start, end = prefix.encode(), prefix_end(prefix).encode()
    now = (await client.call(RANGE, messages.RangeRequest(key=start, range_end=end, count_only=True))).header.revision
    stream = await client.open(WATCH)
    create = messages.WatchCreateRequest(key=start, range_end=end, start_revision=1)
    stream.send(messages.WatchRequest(create_request=create))
    commits: list[Commit] = []
    try:
        async with asyncio.timeout(_READ_WITHIN):
            while not commits or commits[-1].revision < now:
                response = await stream.receive()
                assert not response.canceled, f"etcd will not show its log: {response.cancel_reason}"
                commits.extend(_commits(response, root))
    finally:
        stream.close()
    return commits


def _commits(response: messages.WatchResponse, root: str) -> Iterator[Commit]:
    for event in response.events:
        deleted = event.type == messages.EVENT_DELETE
        key = event.kv.key.decode().removeprefix(root)
        yield Commit(event.kv.mod_revision, key, None if deleted else _value(event.kv.value))


def _value(stored: bytes | None) -> str | None:
    """What the writer put inside; a delete has none."""
    if stored is None:
        return None
    value: str = json.loads(stored)["data"]["value"]
    return value
