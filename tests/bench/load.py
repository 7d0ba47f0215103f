"""Operations at some concurrency: how long each took, and what all of them cost in processor time."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from statistics import quantiles

from tests.bench.figures import Aim, Table
from tests.bench.processes import cpu_seconds

Operation = Callable[[int, int], Awaitable[object]]
"""One operation, given the number of the worker and of its turn: no two workers get in each other's way."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What one side did in one round. All times are seconds."""

    operations: int
    wall: float
    latencies: list[float]
    own_cpu: float
    store_cpu: float

    def per_thousand(self, seconds: float) -> float:
        return seconds / self.operations * 1000

    def percentile(self, percent: int) -> float:
        return quantiles(self.latencies, n=100, method="inclusive")[percent - 1]


async def _nothing() -> None:
    """What a side does that has nothing left to do when its last operation has returned."""


async def sample(
    operation: Operation,
    *,
    workers: int,
    turns: int,
    store_pid: int | None,
    settle: Callable[[], Awaitable[None]] = _nothing,
) -> Sample:
    """Run it. `settle` waits for work that goes on after the answer: not in the wall time, but in the cost."""
    latencies: list[float] = []

    async def work(worker: int) -> None:
        for turn in range(turns):
            begun = time.perf_counter()
            await operation(worker, turn)
            latencies.append(time.perf_counter() - begun)

    gc.collect()  # garbage of whoever ran before is not ours to pay for
    store_cpu, own_cpu, begun = cpu_seconds(store_pid), time.process_time(), time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for worker in range(workers):
            group.create_task(work(worker))
    wall = time.perf_counter() - begun
    await settle()
    own_cpu, store_cpu = time.process_time() - own_cpu, cpu_seconds(store_pid) - store_cpu
    return Sample(len(latencies), wall, latencies, own_cpu, store_cpu)


Samples = dict[str, list[Sample]]
"""Each side's samples, one for every round."""


def add_load_figures(
    table: Table, samples: Samples, *, time_aim: Aim | None = None, cpu_aim: Aim | None = None
) -> None:
    """The figures that every load has."""

    def add(name: str, unit: str, value: Callable[[Sample], float], aim: Aim | None = None) -> None:
        table.add(name, unit, {side: [value(each) for each in rounds] for side, rounds in samples.items()}, aim=aim)

    add("time", "µs each", lambda each: each.wall / each.operations * 1e6, time_aim)
    add("throughput", "/s", lambda each: each.operations / each.wall)
    add("latency p50", "ms", lambda each: each.percentile(50) * 1e3)
    add("latency p99", "ms", lambda each: each.percentile(99) * 1e3)
    add("CPU, this process", "s/1000", lambda each: each.per_thousand(each.own_cpu))
    add("CPU, etcd", "s/1000", lambda each: each.per_thousand(each.store_cpu))
    add("CPU, both", "s/1000", lambda each: each.per_thousand(each.own_cpu + each.store_cpu), cpu_aim)
