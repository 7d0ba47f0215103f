"""What the server's process holds, seen from outside and by its own metrics."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from localplane.client.rest.client import Client
from tests.bench.processes import cpu_seconds, resident_bytes

_TASKS = re.compile(rb"^asyncio_tasks (\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Holding:
    resident: int
    descriptors: int
    threads: int
    tasks: int
    cpu: float


async def holding(pid: int, client: Client) -> Holding:
    metrics = (await client.request("GET", "/metrics")).body
    found = _TASKS.search(metrics)
    assert found is not None, "the server does not tell how many tasks it has"
    return Holding(
        resident=resident_bytes(pid),
        descriptors=sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir()),
        threads=sum(1 for _ in Path(f"/proc/{pid}/task").iterdir()),
        tasks=int(found[1]),
        cpu=cpu_seconds(pid),
    )
