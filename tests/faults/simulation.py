"""Histories of a server that does everything right, and that loses some of its answers on the way.

Each operation takes effect at one random instant after its call. Clients overlap, expect stale versions, and give up
on some requests, which then take effect, take effect late, or never do.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from random import Random

from tests.faults.history import WRITES, Commit, Event, EventType, History, Kind, Operation, Outcome, Stream, Version
from tests.faults.truth import CommittedLog, below

NAMESPACES = ("/configmaps/one/", "/configmaps/two/")
EVERYTHING = "/configmaps/"
_KINDS = (Kind.UPDATE, Kind.GET, Kind.CREATE, Kind.LIST, Kind.DELETE)
_WEIGHTS = (40, 25, 15, 10, 10)


class ModelServer:
    """The model: one dictionary, one counter. It starts at 1, as every store does."""

    def __init__(self) -> None:
        self.revision = 1
        self.objects: dict[str, Version] = {}
        self.commits: list[Commit] = []

    def answer(self, request: Operation) -> Operation:
        current = self.objects.get(request.key)
        if request.kind is Kind.LIST:
            items = below(self.objects, request.key)
            return replace(request, outcome=Outcome.OK, revision=self.revision, items=items)
        if request.kind is Kind.CREATE:
            return self.write(request, None) if current is None else replace(request, outcome=Outcome.EXISTS)
        if current is None:
            return replace(request, outcome=Outcome.NOT_FOUND)
        if request.kind is Kind.GET:
            return replace(request, outcome=Outcome.OK, revision=current.revision, found=current.value)
        if request.expected != current.revision:
            return replace(request, outcome=Outcome.CONFLICT)
        return self.write(request, current)

    def write(self, request: Operation, current: Version | None) -> Operation:
        self.revision += 1
        self.commits.append(Commit(self.revision, request.key, request.value))
        if request.value is None:
            del self.objects[request.key]
        else:
            self.objects[request.key] = Version(self.revision, request.value)
        found = current.value if request.value is None and current else request.value
        return replace(request, outcome=Outcome.OK, revision=self.revision, found=found)


class Simulation:
    """A clock, and a heap of what happens next."""

    def __init__(self, random: Random, *, operations: int, keys: int = 0, server: ModelServer | None = None) -> None:
        self.server = server or ModelServer()
        self.operations: list[Operation] = []
        self.ids = count(1)
        self._random = random
        self._wanted = operations
        self._keys = [NAMESPACES[index % 2] + f"k{index}" for index in range(keys)]
        self._agenda: list[tuple[float, int, Callable[[float], None]]] = []
        self._ties = count()
        self._known: dict[tuple[int, str], int] = {}

    def run(self, clients: int) -> None:
        for client in range(clients):
            self._at(self._random.uniform(0.001, 0.02), self._caller(client))
        while self._agenda:
            moment, _, action = heapq.heappop(self._agenda)
            action(moment)

    def _at(self, moment: float, action: Callable[[float], None]) -> None:
        heapq.heappush(self._agenda, (moment, next(self._ties), action))

    def _caller(self, client: int) -> Callable[[float], None]:
        def call(now: float) -> None:
            request = self.request(client, now)
            if request.id > self._wanted:
                return
            if request.kind in WRITES and self._random.random() < 0.04:
                self._lose(request, now)
            else:
                self._at(now + self._random.uniform(0.001, 0.02), lambda at: self._answer(request, at))

        return call

    def _lose(self, request: Operation, now: float) -> None:
        self.operations.append(request)
        if self._random.random() < 0.6:
            self._at(now + self._random.uniform(0.001, 0.2), lambda _: self._effect_only(request))
        self._at(now + 0.05, self._caller(request.client))

    def _effect_only(self, request: Operation) -> None:
        self.server.answer(request)

    def _answer(self, request: Operation, at: float) -> None:
        returned = at + self._random.uniform(0.001, 0.02)
        answer = replace(self.server.answer(request), returned=returned)
        self.operations.append(answer)
        if answer.outcome is Outcome.OK and answer.kind is not Kind.LIST:
            self._known[answer.client, answer.key] = answer.revision
        self._at(returned + 0.0005, self._caller(answer.client))

    def request(self, client: int, now: float) -> Operation:
        """What a client asks for next."""
        number = next(self.ids)
        kind = self._random.choices(_KINDS, _WEIGHTS)[0]
        key = self._random.choice(self._keys)
        if kind is Kind.LIST:
            return Operation(number, client, kind, self._random.choice((EVERYTHING, *NAMESPACES)), now)
        value = f"v{number}" if kind in (Kind.CREATE, Kind.UPDATE) else None
        expected = self._expectation(client, key) if kind in (Kind.UPDATE, Kind.DELETE) else None
        return Operation(number, client, kind, key, now, value=value, expected=expected)

    def _expectation(self, client: int, key: str) -> int:
        current = self.server.objects.get(key)
        if current is not None and self._random.random() < 0.7:
            return current.revision
        return self._known.get((client, key), 1)


def correct_history(*, seed: int, operations: int = 500, clients: int = 6, keys: int = 6) -> History:
    random = Random(seed)
    simulation = Simulation(random, operations=operations, keys=keys)
    return finished(simulation, clients, random)


def finished(simulation: Simulation, clients: int, random: Random) -> History:
    """Run it, and watch what was committed."""
    simulation.run(clients)
    log = CommittedLog(simulation.server.commits)
    end = max(operation.called for operation in simulation.operations) + 1
    streams = list(_streams(log, random, end)) if len(log.commits) > 20 else []
    return History(simulation.operations, streams, log.commits)


def _streams(log: CommittedLog, random: Random, end: float) -> Iterator[Stream]:
    """One watch of everything, one of a namespace, one in four pieces, one from a state, one that came too late."""
    revisions = [commit.revision for commit in log.commits]
    last = revisions[-1]
    yield Stream(1, EVERYTHING, 0, start=1, events=list(_events(log, EVERYTHING, 1, last)), live=True)
    yield Stream(2, NAMESPACES[0], 0, start=1, events=list(_events(log, NAMESPACES[0], 1, last)), live=True)
    cuts = [1, *sorted(random.sample(revisions[5:-5], 3)), last]
    for piece in range(4):
        events = list(_events(log, EVERYTHING, cuts[piece], cuts[piece + 1]))
        resumes = 2 + piece if piece else None
        yield Stream(3 + piece, EVERYTHING, 0, cuts[piece], resumes, events, live=piece == 3)
    base = revisions[len(revisions) // 3]
    yield Stream(7, EVERYTHING, 0, events=[*_initial(log, base), *_events(log, EVERYTHING, base, last)], live=True)
    yield Stream(8, EVERYTHING, end, start=revisions[0], expired=True, served_since=end)


def _initial(log: CommittedLog, base: int) -> Iterator[Event]:
    for key, version in sorted(log.state(base, EVERYTHING).items()):
        yield Event(EventType.ADDED, version.revision, key, version.value, initial=True)
    yield Event(EventType.BOOKMARK, base, initial_end=True)


def _events(log: CommittedLog, prefix: str, after: int, upto: int) -> Iterator[Event]:
    for commit in log.between(after, upto, prefix):
        replaced = log.replaced(commit)
        if commit.value is None:
            yield Event(EventType.DELETED, commit.revision, commit.key, replaced.value if replaced else None)
        else:
            there = EventType.MODIFIED if replaced else EventType.ADDED
            yield Event(there, commit.revision, commit.key, commit.value)
        if commit.revision % 20 == 0:
            yield Event(EventType.BOOKMARK, commit.revision)
