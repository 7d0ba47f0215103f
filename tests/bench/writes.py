"""Create and update through the cache, against the same bytes put into the same etcd by the same client."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.storage.objects import encode
from localplane.compose.options import StorageKind
from localplane.compose.storage import OpenStorage
from tests.bench.figures import Aim, Comparison, Table
from tests.bench.load import Operation, Sample, Samples, add_load_figures, sample
from tests.bench.sizes import Sizes
from tests.bench.subjects import BARE_ROOT, config_map, config_maps, key_of, storage

_SIDES = ("bare", "cached")
_AIM = Aim(at_most=1.3)

# Few enough to be made quickly; enough that the cache has heard of an update before the same object's next one.
_OBJECTS_OF_A_WORKER = 8

Prepare = Callable[[OpenStorage, str, int, int], Awaitable[dict[str, Operation]]]
"""Makes each side's operation for a load of so many workers and turns; everything that is not the store's work is
done here. The text tells its keys from those of other loads."""


class _Load:
    def __init__(self, title: str, prepare: Prepare, *, workers: int, turns: int, aim: Aim | None) -> None:
        self.title = title
        self.prepare = prepare
        self.workers = workers
        self.turns = turns
        self.aim = aim
        self.samples: Samples = {side: [] for side in _SIDES}

    async def run(self, opened: OpenStorage, name: str, *, turned_round: bool) -> None:
        operations = await self.prepare(opened, name, self.workers, self.turns)
        for side in reversed(_SIDES) if turned_round else _SIDES:
            self.samples[side].append(await self._sample(opened, side, operations[side]))

    async def _sample(self, opened: OpenStorage, side: str, operation: Operation) -> Sample:
        pid = opened.etcd_pid
        if side == "bare":
            return await sample(operation, workers=self.workers, turns=self.turns, store_pid=pid)
        return await sample(
            operation, workers=self.workers, turns=self.turns, store_pid=pid, settle=opened.cacher.catch_up
        )

    def table(self) -> Table:
        table = Table(self.title, _SIDES, Comparison("cached", "bare"))
        add_load_figures(table, self.samples, time_aim=self.aim)
        return table


async def measure(sizes: Sizes, directory: Path) -> list[Table]:
    """Every round has an etcd of its own, so that none finds what an earlier one has left."""
    many, turns = sizes.concurrency, sizes.at_once // sizes.concurrency
    loads = [
        _Load("create, one at a time", creates, workers=1, turns=sizes.one_at_a_time, aim=_AIM),
        _Load(f"create, {many} at once", creates, workers=many, turns=turns, aim=_AIM),
        _Load("update, one at a time", updates, workers=1, turns=sizes.one_at_a_time, aim=None),
        _Load(f"update, {many} at once", updates, workers=many, turns=turns, aim=None),
        _Load("update, the same object over and over", repeats, workers=1, turns=sizes.one_at_a_time, aim=None),
    ]
    for number in range(sizes.rounds):
        async with storage(StorageKind.ETCD, directory / f"writes-{number}") as opened:
            await warm_up(opened, sizes)
            for position, load in enumerate(loads):
                await load.run(opened, f"load-{position}", turned_round=bool(number % 2))
    return [load.table() for load in loads]


async def warm_up(opened: OpenStorage, sizes: Sizes) -> None:
    """Connect, and let the first calls of everything be over."""
    for operation in (await creates(opened, "warm-up", 1, sizes.warm_up)).values():
        await sample(operation, workers=1, turns=sizes.warm_up, store_pid=None)


async def creates(opened: OpenStorage, load: str, workers: int, turns: int) -> dict[str, Operation]:
    target, backend = config_maps(opened), opened.backend
    names = [[f"{load}-{worker:03}-{turn:06}" for turn in range(turns)] for worker in range(workers)]
    objects = [[config_map(name) for name in row] for row in names]
    values = [[encode(each) for each in row] for row in objects]
    keys = [[key_of(name) for name in row] for row in names]

    async def bare(worker: int, turn: int) -> None:
        await backend.put(BARE_ROOT + keys[worker][turn], values[worker][turn], expected=0)

    async def cached(worker: int, turn: int) -> None:
        await target.create(keys[worker][turn], objects[worker][turn])

    return {"bare": bare, "cached": cached}


async def updates(opened: OpenStorage, load: str, workers: int, turns: int) -> dict[str, Operation]:
    return await _updates(opened, load, workers, turns, objects=_OBJECTS_OF_A_WORKER)


async def repeats(opened: OpenStorage, load: str, workers: int, turns: int) -> dict[str, Operation]:
    """The next update begins before the cache can have heard of the last one from the store."""
    return await _updates(opened, load, workers, turns, objects=1)


async def _updates(opened: OpenStorage, load: str, workers: int, turns: int, *, objects: int) -> dict[str, Operation]:
    target, backend = config_maps(opened), opened.backend
    names = [[f"{load}-{worker:03}-{number}" for number in range(objects)] for worker in range(workers)]
    keys = [[key_of(name) for name in row] for row in names]
    values = [[_at_turn(row[turn % objects], turn) for turn in range(turns)] for row in names]
    revisions: dict[str, int] = {}

    async def begin(row: list[str]) -> None:
        for name in row:
            await target.create(key_of(name), config_map(name))
            revisions[key_of(name)] = await backend.put(BARE_ROOT + key_of(name), b"", expected=0)

    async with asyncio.TaskGroup() as group:
        for row in names:
            group.create_task(begin(row))

    async def bare(worker: int, turn: int) -> None:
        key = keys[worker][turn % objects]
        revisions[key] = await backend.put(BARE_ROOT + key, values[worker][turn], expected=revisions[key])

    async def cached(worker: int, turn: int) -> None:
        async def change(obj: JSONObject) -> JSONObject:
            obj["data"]["turn"] = f"{turn + 1}"
            return obj

        await target.guaranteed_update(keys[worker][turn % objects], change)

    return {"bare": bare, "cached": cached}


def _at_turn(name: str, turn: int) -> bytes:
    obj = config_map(name)
    obj["data"]["turn"] = f"{turn + 1}"
    return encode(obj)
