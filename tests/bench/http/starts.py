"""From nothing to ready, and what a server costs that nobody asks for anything."""

from __future__ import annotations

import asyncio
from pathlib import Path

from localplane.library import StorageKind
from tests.bench.figures import Table
from tests.bench.http import kube
from tests.bench.http.load import MEGABYTE, Cost, metered
from tests.bench.http.serving import served
from tests.bench.http.sizes import Sizes
from tests.bench.processes import resident_bytes


async def measure(sizes: Sizes, kind: StorageKind, directory: Path) -> list[Table]:
    """Each start has a process and a directory of its own; the last one is then left alone for a while."""
    ready, resident, store_resident = [], [], []
    idle = Cost()
    for number in range(sizes.starts):
        async with served(kind, directory / f"start-{number}") as started:
            ready.append(started.ready_after)
            if number == sizes.starts - 1:
                with metered(started) as idle:
                    await asyncio.sleep(sizes.idle.total_seconds())
            resident.append(resident_bytes(started.pid) / MEGABYTE)
            if started.store_pid is not None:
                store_resident.append(resident_bytes(started.store_pid) / MEGABYTE)
    table = kube.table("start, and idle")
    kube.add(table, "start to ready", "s", ready, known=kube.START_SECONDS, compared=True)
    kube.add(table, "memory, server", "MB", resident, known=kube.IDLE_RESIDENT, compared=True)
    kube.add(table, "CPU, server", "%", [idle.server / idle.wall * 100], known=kube.IDLE_CPU_PERCENT, compared=True)
    if store_resident:
        kube.add(table, "memory, etcd", "MB", store_resident, known=kube.IDLE_STORE_RESIDENT)
        kube.add(table, "CPU, etcd", "%", [idle.store / idle.wall * 100], known=kube.IDLE_STORE_CPU_PERCENT)
    return [table]
