"""The same creates through the cache on etcd and on SQLite, side by side: what does each cost in all?"""

from __future__ import annotations

from pathlib import Path

from localplane.compose.options import StorageKind
from localplane.compose.storage import OpenStorage
from tests.bench.figures import Aim, Comparison, Table
from tests.bench.load import Samples, add_load_figures, sample
from tests.bench.sizes import Sizes
from tests.bench.subjects import storage
from tests.bench.writes import creates, warm_up

_KINDS = (StorageKind.ETCD, StorageKind.SQLITE)
_AIM = Aim(at_least=2.0)


async def measure(sizes: Sizes, directory: Path) -> list[Table]:
    loads = {1: sizes.one_at_a_time, sizes.concurrency: sizes.at_once // sizes.concurrency}
    samples: dict[int, Samples] = {workers: {kind.value: [] for kind in _KINDS} for workers in loads}
    for number in range(sizes.rounds):
        async with (
            storage(StorageKind.ETCD, directory / f"etcd-{number}") as etcd,
            storage(StorageKind.SQLITE, directory / f"sqlite-{number}") as sqlite,
        ):
            sides = [etcd, sqlite]
            for opened in sides:
                await warm_up(opened, sizes)
            for workers, turns in loads.items():
                for opened in reversed(sides) if number % 2 else sides:
                    await _create(opened, samples[workers], workers, turns)
    return [_table(workers, samples[workers]) for workers in loads]


async def _create(opened: OpenStorage, samples: Samples, workers: int, turns: int) -> None:
    operation = (await creates(opened, f"by-{workers}", workers, turns))["cached"]
    samples[opened.backend.name].append(
        await sample(operation, workers=workers, turns=turns, store_pid=opened.etcd_pid, settle=opened.cacher.catch_up)
    )


def _table(workers: int, samples: Samples) -> Table:
    how = "one at a time" if workers == 1 else f"{workers} at once"
    table = Table(f"create on each store, {how}", ("etcd", "sqlite"), Comparison("etcd", "sqlite"))
    add_load_figures(table, samples, cpu_aim=_AIM)
    return table
