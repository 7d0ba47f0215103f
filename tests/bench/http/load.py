"""Closed-loop workers, each with a connection of its own, and what the server's process costs meanwhile."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import quantiles

from tests.bench.figures import Aim, Range, Table
from tests.bench.http import kube
from tests.bench.http.connection import Connection, connections
from tests.bench.http.serving import Served
from tests.bench.processes import cpu_seconds, resident_bytes

MEGABYTE = 1e6


@dataclass(slots=True)
class Cost:
    """Seconds of processor time, in each process, and of the clock on the wall."""

    server: float = 0.0
    store: float = 0.0
    client: float = 0.0
    wall: float = 0.0
    resident: float = 0.0


@dataclass(frozen=True, slots=True)
class Sample:
    """What came of a scenario in one round. Latencies are seconds; `faults` counts what watchers should not see."""

    operations: int
    latencies: list[float]
    cost: Cost
    faults: int | None = None

    def per_thousand(self, seconds: float) -> float:
        return seconds / self.operations * 1000

    def percentile(self, percent: int) -> float:
        return quantiles(self.latencies, n=100, method="inclusive")[percent - 1]


@dataclass(frozen=True, slots=True)
class Scenario:
    """`run` is given the number of the round: no two rounds write the same objects."""

    name: str
    run: Callable[[Served, int], Awaitable[Sample]]
    aim: Aim | None = None
    samples: list[Sample] = field(default_factory=list)


@contextmanager
def metered(served: Served) -> Iterator[Cost]:
    """Filled in when the block is left."""
    gc.collect()  # the client must not stop to tidy up after an earlier scenario
    cost = Cost()
    server, store = cpu_seconds(served.pid), cpu_seconds(served.store_pid)
    client, wall = time.process_time(), time.perf_counter()
    yield cost
    cost.wall, cost.client = time.perf_counter() - wall, time.process_time() - client
    cost.server, cost.store = cpu_seconds(served.pid) - server, cpu_seconds(served.store_pid) - store
    cost.resident = resident_bytes(served.pid)


Operation = Callable[[Connection, int, int], Awaitable[object]]
"""One operation on a worker's connection, given the number of the worker and of its turn."""


async def sample(served: Served, operation: Operation, *, workers: int, turns: int) -> Sample:
    latencies: list[float] = []

    async def work(connection: Connection, worker: int) -> None:
        for turn in range(turns):
            begun = time.perf_counter()
            await operation(connection, worker, turn)
            latencies.append(time.perf_counter() - begun)

    async with connections(served.place, workers, Connection) as opened:
        with metered(served) as cost:
            async with asyncio.TaskGroup() as group:
                for worker, connection in enumerate(opened):
                    group.create_task(work(connection, worker))
    return Sample(len(latencies), latencies, cost)


def table_of(scenario: Scenario, known: kube.Load | None = None) -> Table:
    """The figures that every load has."""
    table = kube.table(scenario.name)
    known = known or kube.LOADS.get(scenario.name, kube.NOTHING_KNOWN)
    samples = scenario.samples

    def add(name: str, unit: str, value: Callable[[Sample], float], other: float | None) -> None:
        beside = None if other is None else Range.between(other, other)
        kube.add(table, name, unit, [value(each) for each in samples], known=beside)

    add("throughput", "/s", lambda each: each.operations / each.cost.wall, known.throughput)
    add("latency p50", "ms", lambda each: each.percentile(50) * 1e3, known.p50)
    add("latency p99", "ms", lambda each: each.percentile(99) * 1e3, known.p99)
    kube.add(
        table,
        "CPU, server",
        "s/1000",
        [each.per_thousand(each.cost.server) for each in samples],
        known=Range.between(*known.cpu) if known.cpu else None,
        compared=True,
        aim=scenario.aim,
    )
    add("CPU, etcd", "s/1000", lambda each: each.per_thousand(each.cost.store), known.store_cpu)
    add("CPU, this client", "s/1000", lambda each: each.per_thousand(each.cost.client), None)
    add("memory, server", "MB", lambda each: each.cost.resident / MEGABYTE, known.resident)
    faults = [each.faults for each in samples if each.faults is not None]
    if faults:
        kube.add(table, "lost, twice, out of order", "events", faults, aim=Aim(at_most=0, of=kube.OURS))
    return table
