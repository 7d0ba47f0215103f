"""`kctl up` from nothing to ready, as people run it, and what a cluster holds that nobody asks for anything."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from localplane.compose.storage import StorageKind
from tests.bench.figures import Aim, Table
from tests.bench.http import kube
from tests.bench.http.load import MEGABYTE
from tests.bench.processes import cpu_seconds, resident_bytes

from .sizes import Sizes

_TREE = Path(__file__).resolve().parents[3]
_NAME = "bench"
_READY_AIM = Aim(at_most=0.6, of=kube.OURS)
_MEMORY_AIM = Aim(at_most=80.0, of=kube.OURS)


@dataclass(frozen=True, slots=True)
class Started:
    """Seconds, and the process that goes on. `cpu` is what it had used when it was ready."""

    ready_after: float
    cpu: float
    pid: int


async def measure(sizes: Sizes, kind: StorageKind, directory: Path) -> Table:
    """Each start has a state directory of its own, and all controllers."""
    starts, resident, idle = [], [], 0.0
    for number in range(sizes.starts):
        async with started(kind, directory / f"start-{number}") as each:
            await asyncio.sleep(sizes.settled.total_seconds())
            starts.append(each)
            resident.append(resident_bytes(each.pid) / MEGABYTE)
            if number == sizes.starts - 1:
                before = cpu_seconds(each.pid)
                await asyncio.sleep(sizes.idle.total_seconds())
                idle = (cpu_seconds(each.pid) - before) / sizes.idle.total_seconds() * 100
    table = kube.table(f"kctl up -d --ephemeral --storage {kind.value}")
    ready = [each.ready_after for each in starts]
    kube.add(table, "start to ready", "s", ready, known=kube.START_SECONDS, compared=True, aim=_READY_AIM)
    kube.add(table, "CPU until ready", "s", [each.cpu for each in starts])
    kube.add(table, "memory, server", "MB", resident, known=kube.IDLE_RESIDENT, compared=True, aim=_MEMORY_AIM)
    kube.add(table, "CPU, idle", "%", [idle], known=kube.IDLE_CPU_PERCENT, compared=True)
    return table


@asynccontextmanager
async def started(kind: StorageKind, directory: Path) -> AsyncIterator[Started]:
    home = directory / "home"
    home.mkdir(parents=True)
    environment = {
        **os.environ,
        "HOME": str(home),
        "XDG_STATE_HOME": str(directory),
        "KUBECONFIG": str(home / "config"),
    }
    begun = time.perf_counter()
    await _kctl("up", "-d", "--ephemeral", "--name", _NAME, "--storage", kind.value, environment=environment)
    ready_after = time.perf_counter() - begun
    pid = json.loads((directory / "kctl" / ".planes" / _NAME / "run.json").read_bytes())["pid"]
    try:
        yield Started(ready_after, cpu_seconds(pid), pid)
    finally:
        await _kctl("down", "--name", _NAME, environment=environment)


async def _kctl(*arguments: str, environment: dict[str, str]) -> None:
    """What it says goes to a file: a pipe would not end before the plane does, which inherits it."""
    with tempfile.TemporaryFile() as output:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "kctl", *arguments), cwd=_TREE, env=environment, stdout=output, stderr=output
        )
        if await process.wait():
            output.seek(0)
            said = output.read().decode()
            raise RuntimeError(f"kctl {' '.join(arguments)} ended with {process.returncode}: {said}")
