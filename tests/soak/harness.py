"""One run: the load, the looking, and what is said about it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

from localplane.client.kubeconfig import ClientConfig
from localplane.client.rest.client import Client
from tests.soak.load import Record, Watcher, Writer, prepare
from tests.soak.server import Holding, holding

WRITERS, WATCHERS = 12, 12


@dataclass(frozen=True, slots=True)
class Plan:
    """`settled` is when memory must have stopped growing; before that, caches fill."""

    seconds: float
    per_second: float = 450.0
    settled: float = 120.0
    every: float = 5.0
    most_megabytes: float = 180.0
    most_growth_megabytes: float = 6.0


@dataclass(slots=True)
class Soaked:
    plan: Plan
    before: Holding
    after: Holding
    record: Record
    samples: list[tuple[float, Holding]]
    complaints: list[str]

    @property
    def writes_per_second(self) -> float:
        return len(self.record.revisions) / self.plan.seconds

    def __str__(self) -> str:
        before, after, megabytes = self.before, self.after, [_megabytes(sample) for _, sample in self.samples]
        load = f"{len(self.record.revisions)} writes in {self.plan.seconds:.0f} s ({self.writes_per_second:.0f}/s)"
        lines = [
            f"{load}, {WATCHERS} watchers, {len(self.record.failures)} failures",
            f"memory: {_megabytes(before):.0f} MB before, {max(megabytes):.0f} at most, {_megabytes(after):.0f} after",
            "over time: " + " ".join(f"{at:.0f}s:{_megabytes(sample):.0f}" for at, sample in self.samples[::6]),
            f"descriptors {before.descriptors} -> {after.descriptors}, threads {before.threads} -> {after.threads}",
            f"tasks {before.tasks} -> {after.tasks}; {after.cpu - before.cpu:.1f} s of CPU",
            *(f"{verb}: {_latencies(seconds)}" for verb, seconds in sorted(self.record.seconds.items())),
        ]
        return "\n".join([*lines, *(f"FAILED: {complaint}" for complaint in self.complaints)])


async def soak(config: ClientConfig, pid: int, plan: Plan) -> Soaked:
    """The plane is new, and is there when it is over."""
    after = await prepare(config)
    record, watchers = Record(), [Watcher(config, after) for _ in range(WATCHERS)]
    async with Client.connect(config) as client:
        before = await _quiet(pid, client, None)
        sampling = _Sampling(pid, client, plan)
        await _under_load(watchers, sampling, record, config)
        left = await _quiet(pid, client, before)
    complaints = [
        *(f"a watcher: {complaint}" for one in watchers for complaint in one.complaints(record.revisions)),
        *_growth(plan, sampling.samples),
        *_leaks(before, left),
        *([f"{len(record.failures)} writes failed, the first: {record.failures[0]}"] if record.failures else []),
    ]
    return Soaked(plan, before, left, record, sampling.samples, complaints)


class _Sampling:
    def __init__(self, pid: int, client: Client, plan: Plan) -> None:
        self.plan = plan
        self.began = time.monotonic()
        self.samples: list[tuple[float, Holding]] = []
        self._pid = pid
        self._client = client

    async def run(self) -> None:
        while True:
            await asyncio.sleep(self.plan.every)
            self.samples.append((time.monotonic() - self.began, await holding(self._pid, self._client)))


async def _under_load(watchers: Sequence[Watcher], sampling: _Sampling, record: Record, config: ClientConfig) -> None:
    plan = sampling.plan
    async with asyncio.TaskGroup() as group:
        background = [group.create_task(run) for run in (*(one.run() for one in watchers), sampling.run())]
        async with asyncio.TaskGroup() as writing:
            for number in range(WRITERS):
                writer = Writer(number, record, per_second=plan.per_second / WRITERS)
                writing.create_task(writer.run(config, until=sampling.began + plan.seconds))
        await _seen_by_all(watchers, record)
        for task in background:
            task.cancel()


async def _seen_by_all(watchers: Sequence[Watcher], record: Record) -> None:
    """They may be a little behind; who has not come by then never will, and is told so."""
    last = max(record.revisions, default=0)
    give_up = time.monotonic() + 60
    while time.monotonic() < give_up and any(  # noqa: ASYNC110 - it is another process that is waited for
        not one.seen or one.seen[-1] < last for one in watchers
    ):
        await asyncio.sleep(0.05)


async def _quiet(pid: int, client: Client, before: Holding | None) -> Holding:
    """When connections that were closed are gone on the server's side too."""
    give_up = time.monotonic() + 30
    while True:
        now = await holding(pid, client)
        if before is None or time.monotonic() > give_up or not _leaks(before, now):
            return now
        await asyncio.sleep(0.2)


def _growth(plan: Plan, samples: Sequence[tuple[float, Holding]]) -> list[str]:
    settled = [_megabytes(sample) for at, sample in samples if at >= plan.settled]
    complaints = []
    if len(settled) >= 4:
        quarter = max(1, len(settled) // 4)
        growth = mean(settled[-quarter:]) - mean(settled[:quarter])
        if growth > plan.most_growth_megabytes:
            complaints.append(f"memory grew by {growth:.1f} MB after {plan.settled:.0f} s")
    peak = max((_megabytes(sample) for _, sample in samples), default=0.0)
    if peak > plan.most_megabytes:
        complaints.append(f"{peak:.0f} MB are more than {plan.most_megabytes:.0f}")
    return complaints


def _leaks(before: Holding, now: Holding) -> list[str]:
    """A few more are the caches and pools that the first requests made."""
    pairs = (
        ("descriptors", before.descriptors, now.descriptors, 4),
        ("threads", before.threads, now.threads, 4),
        ("tasks", before.tasks, now.tasks, 4),
    )
    return [f"{was} {name} before, {left} after" for name, was, left, more in pairs if left > was + more]


def _megabytes(sample: Holding) -> float:
    return sample.resident / (1024 * 1024)


def _latencies(seconds: Sequence[float]) -> str:
    ordered = sorted(seconds)
    middle, high = ordered[len(ordered) // 2], ordered[len(ordered) * 99 // 100]
    return f"{len(ordered)}, p50 {middle * 1e3:.1f} ms, p99 {high * 1e3:.1f} ms, longest {ordered[-1] * 1e3:.1f} ms"
