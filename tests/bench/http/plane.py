"""The server that is measured, told to standard output once it serves: `serving` starts this."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import uvloop

from localplane.apiserver.server.options import ServerOptions
from localplane.apiserver.server.signals import stop_on_signals
from localplane.library import PlaneOptions, StorageKind, StorageOptions, open_plane
from tests.bench.http.subjects import GROUPS


async def serve(kind: StorageKind, directory: Path) -> None:
    """Until a signal comes, with the defaults that everybody gets: TLS, client certificates, no audit."""
    options = PlaneOptions(storage=StorageOptions(kind=kind, data_dir=directory), server=ServerOptions(port=0))
    stop = asyncio.Event()
    with stop_on_signals(stop.set):
        async with open_plane(GROUPS, options) as plane:
            told = {"kubeconfig": str(plane.kubeconfig), "store_pid": plane.storage.etcd_pid}
            print(json.dumps(told), flush=True)
            await stop.wait()


if __name__ == "__main__":
    uvloop.run(serve(StorageKind(sys.argv[1]), Path(sys.argv[2])))
