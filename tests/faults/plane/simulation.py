"""Histories of a plane that does everything right: counters, lists that are appended to, and names that it makes up."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.faults.history import History, Kind, Operation, Outcome
from tests.faults.simulation import NAMESPACES, ModelServer, Simulation, finished

_LONGEST_LIST = 6


class ModelPlane(ModelServer):
    """Appends, makes up names, and answers a delete without a revision."""

    def answer(self, request: Operation) -> Operation:
        if request.kind is Kind.APPEND:
            return self._append(request)
        if request.kind is Kind.CREATE and request.key.endswith("-"):
            request = replace(request, key=f"{request.key}{request.value}")
        answer = super().answer(request)
        if answer.kind is Kind.DELETE and answer.outcome is Outcome.OK:
            return replace(answer, revision=0, found=None)
        return answer

    def _append(self, request: Operation) -> Operation:
        current = self.objects.get(request.key)
        if current is None:
            return replace(request, outcome=Outcome.NOT_FOUND)
        answer = self.write(replace(request, value=f"{current.value},{request.value}"), current)
        return replace(answer, value=request.value)


class PlaneSimulation(Simulation):
    def __init__(self, random: Random, *, operations: int) -> None:
        super().__init__(random, operations=operations, server=ModelPlane())
        self._random = random

    def request(self, client: int, now: float) -> Operation:
        number = next(self.ids)
        key = f"{self._random.choice(NAMESPACES)}{self._random.choice(('counter', 'list', 'made'))}-"
        if key.endswith("/made-"):
            return self._made(Operation(number, client, Kind.CREATE, key, now, value=f"v{number}"))
        key += str(self._random.randrange(2))
        asked = Operation(number, client, Kind.GET, key, now)
        if self._random.random() < 0.15:
            return asked
        return self._count(asked) if "/counter-" in key else self._append(asked)

    def _made(self, create: Operation) -> Operation:
        there = [key for key in self.server.objects if key.startswith(create.key)]
        if len(there) < 3 or self._random.random() < 0.5:
            return create
        key = self._random.choice(there)
        expected = self.server.objects[key].revision
        return replace(create, kind=Kind.DELETE, key=key, value=None, expected=expected)

    def _count(self, asked: Operation) -> Operation:
        current = self.server.objects.get(asked.key)
        if current is None:
            return replace(asked, kind=Kind.CREATE, value=f"0:v{asked.id}")
        count = int(current.value.partition(":")[0]) + 1
        return replace(asked, kind=Kind.UPDATE, value=f"{count}:v{asked.id}", expected=current.revision)

    def _append(self, asked: Operation) -> Operation:
        current = self.server.objects.get(asked.key)
        if current is None:
            return replace(asked, kind=Kind.CREATE, value=f"v{asked.id}")
        if current.value.count(",") >= _LONGEST_LIST:
            return replace(asked, kind=Kind.DELETE, expected=current.revision)
        return replace(asked, kind=Kind.APPEND, value=f"v{asked.id}")


def correct_plane_history(*, seed: int, operations: int = 500, clients: int = 6) -> History:
    random = Random(seed)
    return finished(PlaneSimulation(random, operations=operations), clients, random)
