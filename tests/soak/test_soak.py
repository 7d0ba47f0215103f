"""A short soak: nobody misses an event, nothing is left behind, and a busy plane stops when it is told to."""

from __future__ import annotations

import asyncio
from pathlib import Path

from localplane.client.kubeconfig import load, resolve
from tests.bench.running_plane import running_plane
from tests.e2e.up.machine import WITHOUT_WORKLOADS, Machine
from tests.soak.harness import Plan, soak
from tests.soak.load import Record, Writer, prepare


def test_a_plane_under_load_loses_no_event_and_leaves_nothing_behind(tmp_path: Path) -> None:
    plan = Plan(seconds=12, per_second=150, every=1.0, settled=1000, most_megabytes=300)
    with running_plane(tmp_path, "--storage", "memory", *WITHOUT_WORKLOADS) as plane:
        soaked = asyncio.run(soak(resolve(load(tmp_path / "config")), plane.pid, plan))
    assert not soaked.complaints, str(soaked)
    assert len(soaked.record.revisions) > 50


async def test_a_busy_plane_stops_when_it_is_told_to(tmp_path: Path) -> None:
    here = Machine(tmp_path)
    here.up()
    config = resolve(load(here.kubeconfig))
    await prepare(config)
    record = Record()
    async with asyncio.TaskGroup() as group:
        runs = [Writer(number, record, per_second=1000).run(config, until=float("inf")) for number in range(3)]
        writers = [group.create_task(run) for run in runs]
        while len(record.revisions) < 50:  # noqa: ASYNC110 - it is another process that is waited for
            await asyncio.sleep(0.01)
        down = await asyncio.to_thread(here.kctl, "down", "--timeout", "60s")
        for writer in writers:
            writer.cancel()
    assert (down.code, down.stdout) == (0, "default has stopped.\n")
