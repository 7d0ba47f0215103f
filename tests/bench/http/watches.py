"""One writer and many watches: what does an event cost that many get, and do all get all of them?"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise

from tests.bench.http.connection import Connection, connections
from tests.bench.http.load import Sample, Scenario, metered
from tests.bench.http.serving import Served
from tests.bench.http.sizes import Sizes
from tests.bench.http.subjects import creation, path, request, resource_version_in
from tests.bench.http.watcher import LAST, Watcher

_PATIENCE_SECONDS = 60.0


def scenarios(sizes: Sizes) -> list[Scenario]:
    return [Scenario(f"watch-burst-{watchers}", _burst(watchers, events)) for watchers, events in sizes.watchers]


def _burst(watchers: int, events: int) -> Callable[[Served, int], Awaitable[Sample]]:
    async def run(served: Served, number: int) -> Sample:
        namespace = f"watched-{watchers}-{number}"
        names = [*(f"event-{index:06}" for index in range(events)), LAST]
        requests = [creation(namespace, name) for name in names]
        async with (
            connections(served.place, 1, Connection) as (writer,),
            connections(served.place, watchers, Watcher) as audience,
        ):
            listed = await writer.ask(request("GET", path(namespace)))
            query = f"watch=1&resourceVersion={resource_version_in(listed).decode()}"
            await asyncio.gather(*(each.ask(request("GET", path(namespace, query=query))) for each in audience))
            returned: dict[bytes, float] = {}
            with metered(served) as cost:
                for name, asked in zip(names, requests, strict=True):
                    await writer.ask(asked)
                    returned[name.encode()] = time.perf_counter()
                await _all_have_the_last(audience)
        # An event may come before the answer to its write; then nobody had to wait after it.
        latencies = [max(0.0, at - returned[name]) for each in audience for name, at in each.seen]
        faults = sum(count_faults(list(returned), [name for name, _ in each.seen]) for each in audience)
        return Sample(len(latencies), latencies, cost, faults)

    return run


async def _all_have_the_last(audience: Sequence[Watcher]) -> None:
    """Or have had time enough: what is missing is counted later."""
    waiting = [asyncio.ensure_future(each.has_last.wait()) for each in audience]
    _, late = await asyncio.wait(waiting, timeout=_PATIENCE_SECONDS)
    for each in late:
        each.cancel()


def count_faults(expected: Sequence[bytes], seen: Sequence[bytes]) -> int:
    """Events that were lost, those that came twice, and those that came after a later one."""
    place = {name: index for index, name in enumerate(expected)}
    places = [place[name] for name in seen]
    lost = len(place) - len(set(places))
    twice = len(places) - len(set(places))
    out_of_order = sum(later < earlier for earlier, later in pairwise(places))
    return lost + twice + out_of_order
