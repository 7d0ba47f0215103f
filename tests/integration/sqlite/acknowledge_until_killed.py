"""Run by test_durability in a process of its own: write as fast as possible, and print what was acknowledged."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from localplane.apiserver.storage.sqlite.backend import SQLiteBackend


async def client(store: SQLiteBackend, name: str) -> None:
    number = 0
    while True:
        key, value = f"/{name}/{number % 5}", f"{name}-{number}-{'x' * 300}"
        kv = (await store.get(key)).kv
        if number % 7 == 6 and kv is not None:
            revision, value = await store.delete(key, expected=kv.revision), ""
        else:
            revision = await store.put(key, value.encode(), expected=kv.revision if kv else 0)
        # In one call, so that the line is whole or not there when the process is killed.
        os.write(1, f"{revision} {key} {value}\n".encode())
        number += 1


async def main() -> None:
    store = await SQLiteBackend.open(Path(sys.argv[1]))
    await asyncio.gather(*(client(store, f"{sys.argv[2]}-{number}") for number in range(32)))


asyncio.run(main())
