"""`python -m tests.bench.snapshots`: what it costs to take a snapshot of 10,000 objects and to restore one.

CPU time of this process beside the time on the clock, the least of several trials: on a busy machine only the first
says something. All objects differ, which is the most that a restore can have to do. The chronicle's share is its append
against all that the cache does for an event.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import orjson

from localplane.apiserver.storage.backend import KeyValue
from localplane.apiserver.storage.cacher.chronicle import Chronicle
from localplane.apiserver.storage.snapshot import Header, Snapshot, decode, encode
from localplane.compose.archives import stored_archive
from localplane.compose.options import StorageKind, StorageOptions
from localplane.compose.storage import OpenStorage, open_storage


@dataclass(frozen=True, slots=True)
class Cost:
    """In milliseconds."""

    cpu: float
    clock: float

    def __str__(self) -> str:
        return f"{self.cpu:6.0f} ms CPU {self.clock:6.0f} ms"


def snapshot(count: int, letter: str) -> Snapshot:
    kvs = []
    for number in range(count):
        metadata = {"name": f"object-{number:06}", "namespace": "default", "uid": f"{number:032x}"}
        obj = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata, "data": {"text": letter * 700}}
        kvs.append(KeyValue(f"/configmaps/default/{metadata['name']}", orjson.dumps(obj), 1))
    return Snapshot(Header(1, count), kvs)


async def _timed(work: Callable[[], Awaitable[Any]]) -> Cost:
    cpu, clock = process_time(), perf_counter()
    await work()
    return Cost((process_time() - cpu) * 1000, (perf_counter() - clock) * 1000)


async def measure(kind: StorageKind, directory: Path, *, count: int, trials: int) -> dict[str, Cost]:
    """By what was done: the least of its trials."""
    data_dir = None if kind is StorageKind.MEMORY else directory / kind.value
    costs: dict[str, list[Cost]] = {}
    async with open_storage(StorageOptions(kind=kind, data_dir=data_dir)) as storage:
        archive = stored_archive(storage.cacher)
        for trial in range(trials):
            wanted = snapshot(count, "abcdefgh"[trial % 8])

            async def take() -> bytes:
                taken = await archive.take()
                return b"".join(encode(Header(taken.revision, len(taken.objects)), taken.objects))

            async def restore(wanted: Snapshot = wanted) -> None:
                await archive.restore(wanted)

            costs.setdefault("restore, until it can be read", []).append(await _timed(restore))
            costs.setdefault("take", []).append(await _timed(take))
            costs.setdefault("read the file", []).append(await _timed(partial(_read, await take())))
        costs["chronicle, for all events"] = [await _timed(partial(_append_again, storage))]
    return {name: min(several, key=lambda cost: cost.cpu) for name, several in costs.items()}


async def _read(data: bytes) -> None:
    await asyncio.to_thread(decode, data)


async def _append_again(storage: OpenStorage) -> None:
    chronicle = Chronicle(most_bytes=1 << 40)
    for event in storage.cacher.chronicle.after(0):
        chronicle.append(event)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.snapshots", description=__doc__)
    parser.add_argument("--objects", type=int, default=10_000)
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--store", choices=tuple(StorageKind), type=StorageKind, action="append")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        for kind in arguments.store or tuple(StorageKind):
            measured = measure(kind, Path(directory), count=arguments.objects, trials=arguments.trials)
            for name, cost in asyncio.run(measured).items():
                print(f"{kind.value:7} {name:32} {cost}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
