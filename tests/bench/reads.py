"""Get and list from the cache, both linearizable, against the same questions put to etcd."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from localplane.apiserver.storage.backend import prefix_end
from localplane.apiserver.storage.interface import ListOptions, ObjectList
from localplane.apiserver.storage.keys import DEFAULT_ROOT, KeySchema
from localplane.apiserver.storage.store import Store
from localplane.compose.options import StorageKind
from localplane.compose.storage import OpenStorage
from tests.bench.figures import Aim, Comparison, Table
from tests.bench.load import Operation, Samples, add_load_figures, sample
from tests.bench.sizes import Sizes
from tests.bench.subjects import PREFIX, config_map, config_maps, key_of, storage

_SIDES = ("bare", "cached")
_LIST_SIDES = ("bare", "store", "cached")
_BODY_AIM = 10.0

# The cache answers so much faster that with as many questions its time could not be told from noise.
_CACHED_GETS_FOR_ONE = 10


async def measure(sizes: Sizes, seeded: Path) -> list[Table]:
    """`seeded` is an etcd's directory with `sizes.objects` objects."""
    async with storage(StorageKind.ETCD, seeded) as opened:
        gets = [
            await _gets(opened, sizes, workers=1, turns=sizes.one_at_a_time),
            await _gets(
                opened, sizes, workers=sizes.concurrency, turns=max(1, sizes.at_once // sizes.concurrency // 2)
            ),
        ]
        return [*gets, await _lists(opened, sizes)]


async def _gets(opened: OpenStorage, sizes: Sizes, *, workers: int, turns: int) -> Table:
    samples: Samples = {side: [] for side in _SIDES}
    operations = get_operations(opened, sizes.objects)
    await opened.cacher.catch_up()
    for number in range(sizes.rounds):
        for side in reversed(_SIDES) if number % 2 else _SIDES:
            factor = _CACHED_GETS_FOR_ONE if side == "cached" else 1
            samples[side].append(
                await sample(operations[side], workers=workers, turns=turns * factor, store_pid=opened.etcd_pid)
            )
    table = Table(
        "get, one at a time" if workers == 1 else f"get, {workers} at once", _SIDES, Comparison("cached", "bare")
    )
    add_load_figures(table, samples)
    return table


def get_operations(opened: OpenStorage, objects: int) -> dict[str, Operation]:
    target, backend = config_maps(opened), opened.backend
    keys = [key_of(f"seeded-{number:06}") for number in range(objects)]
    absolute = [DEFAULT_ROOT + key for key in keys]

    async def bare(worker: int, turn: int) -> None:
        found = await backend.get(absolute[(worker * 31 + turn) % objects])
        assert found.kv is not None

    async def cached(worker: int, turn: int) -> None:
        await target.get(keys[(worker * 31 + turn) % objects])

    return {"bare": bare, "cached": cached}


async def _lists(opened: OpenStorage, sizes: Sizes) -> Table:
    target, backend = config_maps(opened), opened.backend
    store = Store(backend, KeySchema(DEFAULT_ROOT, PREFIX))
    start, written = DEFAULT_ROOT + PREFIX, iter(range(sizes.rounds * sizes.lists))

    async def bare() -> None:
        page = await backend.range(start, prefix_end(start))
        assert len(page.kvs) >= sizes.objects

    async def from_store() -> None:
        assert list_body(await store.list(PREFIX, ListOptions()))

    async def cached() -> None:
        assert list_body(await target.list(PREFIX, ListOptions()))

    async def write() -> None:
        name = f"late-{next(written):06}"
        await target.create(key_of(name), config_map(name))
        await opened.cacher.catch_up()

    kept: list[float] = []
    times: dict[str, list[float]] = {side: [] for side in _LIST_SIDES}
    for number in range(sizes.rounds * sizes.lists):
        await write()
        times["cached"].append(await _milliseconds(cached))
        kept.append(await _milliseconds(cached))
        others = [("bare", bare), ("store", from_store)]
        for side, question in reversed(others) if number % 2 else others:
            times[side].append(await _milliseconds(question))
    table = Table(f"list of {sizes.objects:,} objects of 1 KB", _LIST_SIDES, Comparison("cached", "bare"))
    aim = Aim(at_most=_BODY_AIM, of="cached")
    table.add("body, first after a write", "ms", times, aim=aim)
    table.add("body, nothing has changed", "ms", times | {"cached": kept}, aim=aim)
    return table


async def _milliseconds(question: Callable[[], Awaitable[None]]) -> float:
    begun = time.perf_counter()
    await question()
    return (time.perf_counter() - begun) * 1e3


def list_body(listed: ObjectList) -> bytes:
    """What a list request answers: finished objects, joined. The envelope goes into the same join, since putting it
    round the joined bytes would copy all of them again."""
    head = b'{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[' % listed.revision
    if not listed.items:
        return head + b"]}"
    parts = [item.data for item in listed.items]
    parts[0] = head + parts[0]
    parts[-1] += b"]}"
    return b",".join(parts)
