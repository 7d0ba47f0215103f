"""One event to many watchers, against one event to one bare watch on etcd."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path

from localplane.apiserver.storage.backend import BackendWatch, prefix_end
from localplane.apiserver.storage.interface import Watch, WatchOptions
from localplane.apiserver.storage.objects import encode
from localplane.compose.options import StorageKind
from localplane.compose.storage import OpenStorage
from tests.bench.figures import Comparison, Table
from tests.bench.sizes import Sizes
from tests.bench.subjects import BARE_ROOT, PREFIX, config_map, config_maps, key_of, storage

_WARM_UP = 3


@dataclass(frozen=True, slots=True)
class _Delivery:
    """Seconds until the last watcher had one event: from the write's call, from its return, and of our CPU."""

    from_call: float
    from_return: float
    cpu: float


class _Audience:
    """Watchers that do nothing but count."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._missing = 0
        self._all_have_it = asyncio.Event()
        self._at = 0.0

    def expect(self) -> None:
        self._missing = self._size
        self._all_have_it.clear()

    async def all_have_it(self) -> float:
        """When the last one had it."""
        await self._all_have_it.wait()
        return self._at

    async def follow(self, watch: Watch) -> None:
        async for _ in watch:
            self._one_has_it()

    async def follow_bare(self, watch: BackendWatch) -> None:
        async for batch in watch:
            if batch.changes:
                self._one_has_it()

    def _one_has_it(self) -> None:
        self._missing -= 1
        if not self._missing:
            self._at = time.perf_counter()
            self._all_have_it.set()


async def measure(sizes: Sizes, directory: Path) -> list[Table]:
    many = f"{sizes.watchers:,} cached"
    rounds: dict[str, list[_Delivery]] = {"1 bare": [], many: []}
    async with storage(StorageKind.ETCD, directory) as opened:
        for number in range(sizes.rounds):
            sides = ["1 bare", many]
            for side in reversed(sides) if number % 2 else sides:
                deliver = _to_bare if side == "1 bare" else _to_cached
                rounds[side] += await deliver(opened, sizes, f"round-{number}")
    return [_table(rounds, {"1 bare": 1, many: sizes.watchers})]


def _table(rounds: dict[str, list[_Delivery]], watchers: dict[str, int]) -> Table:
    bare, many = watchers
    table = Table("one event to all watchers", (bare, many), Comparison(many, bare))
    called = {side: [each.from_call * 1e3 for each in all_] for side, all_ in rounds.items()}
    returned = {side: [each.from_return * 1e3 for each in all_] for side, all_ in rounds.items()}
    cpu = {side: [each.cpu * 1e6 / watchers[side] for each in all_] for side, all_ in rounds.items()}
    table.add("from the write's call", "ms", called)
    table.add("from its return", "ms", returned, compared=False)  # often before it: then there is nothing to divide by
    table.add("CPU, write included", "µs/delivery", cpu)
    return table


async def _to_cached(opened: OpenStorage, sizes: Sizes, name: str) -> list[_Delivery]:
    target = config_maps(opened)
    audience = _Audience(sizes.watchers)
    revision = str(await target.current_revision())
    options = WatchOptions(resource_version=revision)
    watches = [await target.watch(PREFIX, options) for _ in range(sizes.watchers)]
    tasks = [asyncio.create_task(audience.follow(watch)) for watch in watches]
    deliveries = [
        await _deliver(opened, audience, f"{name}-{number}", bare=False) for number in range(_WARM_UP + sizes.events)
    ]
    for watch in watches:
        await watch.stop()
    await asyncio.gather(*tasks)
    return deliveries[_WARM_UP:]


async def _to_bare(opened: OpenStorage, sizes: Sizes, name: str) -> list[_Delivery]:
    audience = _Audience(1)
    after = await opened.backend.current_revision()
    start = BARE_ROOT + PREFIX
    watch = opened.backend.watch(start, prefix_end(start), after=after)
    task = asyncio.create_task(audience.follow_bare(watch))
    deliveries = [
        await _deliver(opened, audience, f"{name}-{number}", bare=True) for number in range(_WARM_UP + sizes.events)
    ]
    await watch.close()
    await task
    return deliveries[_WARM_UP:]


async def _deliver(opened: OpenStorage, audience: _Audience, name: str, *, bare: bool) -> _Delivery:
    obj = config_map(name)
    key, value, target = key_of(name), encode(obj), config_maps(opened)
    audience.expect()
    cpu, called = time.process_time(), time.perf_counter()
    if bare:
        await opened.backend.put(BARE_ROOT + key, value, expected=0)
    else:
        await target.create(key, obj)
    returned = time.perf_counter()
    last = await audience.all_have_it()
    cpu = time.process_time() - cpu
    # The event may come before the answer; then nobody had to wait after it.
    return _Delivery(last - called, max(last - returned, 0.0), cpu)
