"""The server that is held up: a cluster with many objects, and a meter that tells how long its loop was held.

`python -m tests.bench.stalls.plane STORE DIRECTORY OBJECTS`; `tests.bench.http.serving` starts this.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from pathlib import Path

import uvloop

from localplane.apiserver.long_work import THREAD_SWITCH_SECONDS
from localplane.apiserver.request import Answer, Request, Response
from localplane.apiserver.server.monitoring.garbage import ShortWalks
from localplane.apiserver.server.options import ServerOptions
from localplane.apiserver.server.signals import stop_on_signals
from localplane.compose.cluster import open_cluster
from localplane.compose.options import ClusterOptions, StorageKind, StorageOptions
from localplane.compose.server import Plane

HELD_PATH = "/bench/held"
_BEAT_SECONDS = 0.001
_AT_ONCE = 64
_SECRETS_FOR_EACH = 10  # config maps


class Meter:
    """Beats every millisecond. The CPU time that the loop's thread took between two beats is what nobody else had.
    How much of it was one walk of the garbage collector is told beside it: that is due to all that there is."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._last = time.thread_time()
        self._longest = 0.0
        self._walk_began = self._longest_walk = 0.0
        gc.callbacks.append(self._on_walk)

    def _on_walk(self, phase: str, _: dict[str, int]) -> None:
        now = time.thread_time()
        if phase == "start":
            self._walk_began = now
        else:
            self._longest_walk = max(self._longest_walk, now - self._walk_began)

    def beat(self) -> None:
        now = time.thread_time()
        self._longest = max(self._longest, now - self._last)
        self._last = now
        self._loop.call_later(_BEAT_SECONDS, self.beat)

    async def route(self, request: Request) -> Answer | None:
        """The longest since somebody last asked."""
        if request.path != HELD_PATH:
            return None
        told = {"seconds": self._longest, "garbage": self._longest_walk}
        self._longest = self._longest_walk = 0.0
        return Response(200, json.dumps(told).encode())


async def serve(kind: StorageKind, directory: Path, objects: int) -> None:
    storage = StorageOptions(kind=kind, data_dir=None if kind is StorageKind.MEMORY else directory / "data")
    stop = asyncio.Event()
    meter = Meter()
    gc.disable()  # until it is ready, as `kctl up` does
    with stop_on_signals(stop.set):
        async with open_cluster(ClusterOptions(storage=storage, server=ServerOptions(port=0))) as plane:
            ShortWalks().start()
            plane.server.add_router(meter.route)
            await seed(plane, objects)
            meter.beat()
            print(json.dumps({"kubeconfig": str(plane.kubeconfig), "store_pid": plane.storage.etcd_pid}), flush=True)
            await stop.wait()


async def seed(plane: Plane, objects: int) -> None:
    """Straight into the store: fifty thousand requests would take minutes."""
    config_maps = plane.storage.cacher.resource("/configmaps/")
    secrets = plane.storage.cacher.resource("/secrets/")

    async def write(numbers: range) -> None:
        for number in numbers:
            name = f"seeded-{number:06}"
            await config_maps.create(f"/configmaps/default/{name}", config_map(name, number))
            if number % _SECRETS_FOR_EACH == 0:
                await secrets.create(f"/secrets/default/{name}", secret(name, number))

    await asyncio.gather(*(write(range(first, objects, _AT_ONCE)) for first in range(_AT_ONCE)))


def metadata(name: str, number: int) -> dict[str, object]:
    fields = {"f:data": {".": {}, "f:a": {}, "f:b": {}}, "f:metadata": {"f:labels": {".": {}, "f:app": {}}}}
    return {
        "name": name,
        "namespace": "default",
        "uid": f"00000000-0000-4000-8000-{number:012}",
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "labels": {"app": f"app-{number % 100}"},
        "managedFields": [
            {
                "manager": "bench",
                "operation": "Update",
                "apiVersion": "v1",
                "time": "2026-01-01T00:00:00Z",
                "fieldsType": "FieldsV1",
                "fieldsV1": fields,
            }
        ],
    }


def config_map(name: str, number: int) -> dict[str, object]:
    """About 750 bytes."""
    data = {"a": f"{number:0150}", "b": f"key: value {number}\n" * 6}
    return {"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata(name, number), "data": data}


def secret(name: str, number: int) -> dict[str, object]:
    told = {"kind": "Secret", "apiVersion": "v1", "metadata": metadata(name, number), "data": {"a": "YWJj"}}
    return {**told, "type": "Opaque" if number % 100 else "example.com/rare"}


if __name__ == "__main__":
    store, directory, objects = sys.argv[1:]
    Path(directory).mkdir(parents=True, exist_ok=True)
    sys.setswitchinterval(THREAD_SWITCH_SECONDS)
    uvloop.run(serve(StorageKind(store), Path(directory), int(objects)))
