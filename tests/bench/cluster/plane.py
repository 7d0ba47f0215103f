"""A server that is measured, told to standard output once it serves: `tests.bench.http.serving` starts this."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import uvloop

from localplane.apiserver.server.options import ServerOptions
from localplane.apiserver.server.signals import stop_on_signals
from localplane.compose.cluster import open_cluster
from localplane.compose.options import ClusterOptions, StorageKind, StorageOptions
from tests.bench.cluster.meter import forget_field_management, meter_field_management

METER = "field-management"
"""The file beside its data in which a server counts."""

UNMANAGED = "unmanaged"


async def serve(kind: StorageKind, directory: Path) -> None:
    """Until a signal comes: all built-in kinds and the plugins that everybody gets. Controllers would write too, and
    nobody could tell whose time it was."""
    storage = StorageOptions(kind=kind, data_dir=None if kind is StorageKind.MEMORY else directory / "data")
    options = ClusterOptions(storage=storage, server=ServerOptions(port=0), controllers=("none",))
    stop = asyncio.Event()
    with stop_on_signals(stop.set):
        async with open_cluster(options) as plane:
            told = {"kubeconfig": str(plane.kubeconfig), "store_pid": plane.storage.etcd_pid}
            print(json.dumps(told), flush=True)
            await stop.wait()


if __name__ == "__main__":
    kind, directory, *rest = sys.argv[1:]
    Path(directory).mkdir(parents=True, exist_ok=True)
    if UNMANAGED in rest:
        forget_field_management()
    else:
        meter_field_management(Path(directory) / METER)
    uvloop.run(serve(StorageKind(kind), Path(directory)))
