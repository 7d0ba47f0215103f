"""One start in a process of its own, told to standard output: `starts` runs this for each of its samples."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import uvloop

from localplane.compose.options import StorageKind, StorageOptions
from localplane.compose.storage import open_storage
from tests.bench.processes import resident_bytes


async def start(kind: StorageKind, directory: Path, *, process_began: float) -> dict[str, float]:
    begun = time.monotonic()
    async with open_storage(StorageOptions(kind=kind, data_dir=directory)) as opened:
        ready = time.monotonic()
        pid = opened.etcd_pid
        return {
            "storage": ready - begun,
            "process": ready - process_began,
            "resident": resident_bytes(),
            "store_resident": 0 if pid is None else resident_bytes(pid),
            "objects": len(opened.cacher.index),
        }


if __name__ == "__main__":
    kind, directory, process_began = sys.argv[1:]
    print(json.dumps(uvloop.run(start(StorageKind(kind), Path(directory), process_began=float(process_began)))))
