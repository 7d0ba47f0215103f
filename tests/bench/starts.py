"""From nothing to ready, and the memory it takes to hold the cache: each sample in a process of its own."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from localplane.compose.options import StorageKind
from tests.bench.figures import Table
from tests.bench.sizes import Sizes

_KINDS = (StorageKind.ETCD, StorageKind.SQLITE, StorageKind.MEMORY)
_TREE = Path(__file__).resolve().parents[2]

Starts = dict[str, list[dict[str, float]]]


async def measure(sizes: Sizes, directory: Path, seeded: Mapping[StorageKind, Path]) -> list[Table]:
    """`seeded` has a directory with `sizes.objects` objects for each kind that keeps any."""
    fresh: Starts = {kind.value: [] for kind in _KINDS}
    existing: Starts = {kind.value: [] for kind in seeded}
    for number in range(sizes.rounds):
        for kind in reversed(_KINDS) if number % 2 else _KINDS:
            fresh[kind].append(await _start(kind, directory / f"{kind}-{number}"))
            if kind in seeded:
                existing[kind].append(await _start(kind, seeded[kind], objects=sizes.objects))
    return [_times(sizes, fresh, existing), _memory(sizes, fresh, existing)]


async def _start(kind: StorageKind, directory: Path, *, objects: int = 0) -> dict[str, float]:
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.bench.start_once", kind.value, str(directory), str(time.monotonic())),
        cwd=_TREE,
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await child.communicate()
    if child.returncode:
        raise RuntimeError(f"a start on {kind.value} ended with exit code {child.returncode}")
    told: dict[str, float] = json.loads(output)
    if told["objects"] < objects:
        raise RuntimeError(f"{kind.value} started with {told['objects']} of {objects} objects")
    return told


def _times(sizes: Sizes, fresh: Starts, existing: Starts) -> Table:
    table = Table("start", tuple(fresh))
    held = f"on {sizes.objects:,} objects"
    for name, starts in (("with no data", fresh), (held, existing)):
        table.add(f"storage, {name}", "ms", _column(starts, "storage", 1e3))
        table.add(f"process, {name}", "ms", _column(starts, "process", 1e3))
    return table


def _memory(sizes: Sizes, fresh: Starts, existing: Starts) -> Table:
    table = Table(f"memory with {sizes.objects:,} objects of 1 KB in the cache", tuple(existing))
    mib = 1 / 2**20
    table.add("this process, no objects", "MiB", _column({kind: fresh[kind] for kind in existing}, "resident", mib))
    table.add("this process", "MiB", _column(existing, "resident", mib))
    table.add("etcd", "MiB", _column({"etcd": existing["etcd"]}, "store_resident", mib))
    return table


def _column(starts: Starts, what: str, factor: float) -> dict[str, list[float]]:
    return {kind: [each[what] * factor for each in rounds] for kind, rounds in starts.items()}
