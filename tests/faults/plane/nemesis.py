"""Everything that is done to a plane: kills, stops, and links that fail in all the ways a network does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from tests.faults.hosts import freeze, kill_process, thaw
from tests.faults.nemesis import Struck
from tests.faults.plane.processes import PlaneProcess
from tests.faults.proxy import BOTH, PASSING, Direction, Link, Manner
from tests.faults.recorder import Recorder

_SHORT = 0.2, 1.5
_OVER_THE_TIME_LIMIT = 11.5
"""Longer than the ten seconds that the server waits for etcd: then it has to answer what it does not know."""
_LATENCY = 5.0


@dataclass(frozen=True, slots=True)
class Fault:
    """`strike` begins it and ends it; if it `lasts`, the way back is counted from its end and not its beginning."""

    name: str
    strike: Callable[[Random], Awaitable[None]]
    lasts: bool = True


@dataclass(frozen=True, slots=True)
class Store:
    """The etcd that a plane uses. Without `kill_it` and `start` it has a supervisor, who starts it again."""

    pid: Callable[[], int | None]
    kill_it: Callable[[], Awaitable[None]] | None = None
    start: Callable[[], Awaitable[None]] | None = None

    async def kill(self) -> None:
        pid = self.pid()
        if self.kill_it is not None:
            await self.kill_it()
        elif pid is not None:
            await kill_process(pid)

    async def revive(self, random: Random) -> None:
        if self.start is not None:
            await asyncio.sleep(random.uniform(*_SHORT) / 2)
            await self.start()


class PlaneNemesis:
    """Deals the faults out in turn, each as often as the others, in an order of its own."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self._faults = faults
        self._turn: list[Fault] = []

    async def strike(self, random: Random) -> Struck:
        if not self._turn:
            self._turn = random.sample(self._faults, len(self._faults))
        fault = self._turn.pop()
        await fault.strike(random)
        now = Recorder.now()
        return Struck(fault.name, now, now if fault.lasts else None)


@dataclass(frozen=True, slots=True)
class Blows:
    """What can be done to the processes of a plane.

    `came_back` is called when the server has been started again: its keys may be others. `long` allows what outlasts
    the server's own time limit.
    """

    plane: PlaneProcess
    store: Store | None
    came_back: Callable[[], None]
    long: bool = False

    def faults(self) -> Iterator[Fault]:
        yield Fault("kill server", self._kill_server, lasts=False)
        yield Fault("stop server", self._stop_server)
        if self.store is not None:
            yield Fault("kill etcd", self._kill_store, lasts=False)
            yield Fault("kill both", self._kill_both, lasts=False)
            yield Fault("stop etcd", self._stop_store)
            yield Fault("stop both", self._stop_both)

    async def _kill_server(self, _random: Random) -> None:
        await self.plane.kill()
        await self.start()

    async def _kill_store(self, random: Random) -> None:
        assert self.store is not None
        await self.store.kill()
        await self.store.revive(random)

    async def _kill_both(self, random: Random) -> None:
        assert self.store is not None
        deaths = [self.plane.kill(), self.store.kill()]
        random.shuffle(deaths)
        await asyncio.gather(*deaths)
        await self.store.revive(random)
        await self.start()

    async def start(self) -> None:
        await self.plane.start()
        self.came_back()

    async def _stop_server(self, random: Random) -> None:
        await _stopped([self.plane.pid], random.uniform(*_SHORT))

    async def _stop_store(self, random: Random) -> None:
        assert self.store is not None
        await _stopped([self.store.pid()], duration(random, long=self.long))

    async def _stop_both(self, random: Random) -> None:
        assert self.store is not None
        await _stopped([self.store.pid(), self.plane.pid], random.uniform(*_SHORT))


@dataclass(frozen=True, slots=True)
class Forgetting:
    """The history is compacted while the server is not there to see it, so that some watches can't go on."""

    blows: Blows
    link: Link
    compact: Callable[[], Awaitable[None]]

    def faults(self) -> Iterator[Fault]:
        yield Fault("kill server, compact", self._kill_and_compact, lasts=False)
        yield Fault("etcd link: compact while cut", self._compact_while_cut)

    async def _kill_and_compact(self, _random: Random) -> None:
        await self.blows.plane.kill()
        await self.compact()
        await self.blows.start()

    async def _compact_while_cut(self, random: Random) -> None:
        """What the server asked for last is done, and answered to nobody."""
        self.link.change(Manner(held=True), (Direction.ANSWERS,))
        await asyncio.sleep(random.uniform(*_SHORT) / 2)
        self.link.change(Manner(held=True))
        self.link.cut()
        await self.compact()
        self.link.change(PASSING)


@dataclass(frozen=True, slots=True)
class Trips:
    """What can be done to a link."""

    name: str
    link: Link
    long: bool = False

    def faults(self) -> Iterator[Fault]:
        yield Fault(f"{self.name}: cut after the request", self._cut_after_the_request)
        yield Fault(f"{self.name}: black hole", self._black_hole)
        yield Fault(f"{self.name}: one direction", self._one_direction)
        yield Fault(f"{self.name}: half-open", self._half_open)
        yield Fault(f"{self.name}: latency", self._latency)
        yield Fault(f"{self.name}: slow drip", self._drip)

    async def _cut_after_the_request(self, random: Random) -> None:
        for _ in range(random.randint(1, 3)):
            self.link.arm()
            await asyncio.sleep(random.uniform(0.02, 0.2))

    async def _black_hole(self, random: Random) -> None:
        await self._for_a_while(random, Manner(held=True), BOTH)

    async def _one_direction(self, random: Random) -> None:
        await self._for_a_while(random, Manner(held=True), (random.choice(BOTH),))

    async def _half_open(self, random: Random) -> None:
        """One side is gone and the other one does not know; in the end it is told."""
        random.choice((self.link.lose_clients, self.link.lose_servers))()
        await asyncio.sleep(duration(random, long=self.long))
        self.link.cut(half_open_only=True)

    async def _latency(self, random: Random) -> None:
        direction = random.choice((Direction.REQUESTS, Direction.ANSWERS))
        self.link.change(Manner(delay=_LATENCY), (direction,))
        await asyncio.sleep(_LATENCY + random.uniform(*_SHORT))
        self.link.change(PASSING)

    async def _drip(self, random: Random) -> None:
        await self._for_a_while(random, Manner(drips=True), BOTH)

    async def _for_a_while(self, random: Random, manner: Manner, directions: Sequence[Direction]) -> None:
        """What was held back comes through in the end, or never."""
        self.link.change(manner, directions)
        await asyncio.sleep(duration(random, long=self.long))
        if random.random() < 0.5:
            self.link.cut()
        self.link.change(PASSING)


def duration(random: Random, *, long: bool) -> float:
    return _OVER_THE_TIME_LIMIT if long and random.random() < 0.25 else random.uniform(*_SHORT)


async def _stopped(pids: Sequence[int | None], seconds: float) -> None:
    there = [pid for pid in pids if pid is not None]
    for pid in there:
        freeze(pid)
    try:
        await asyncio.sleep(seconds)
    finally:
        for pid in there:
            thaw(pid)
