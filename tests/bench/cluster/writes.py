"""Every way to write an object, by one worker and by several at once; each answer is looked at."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

from tests.bench.cluster.sizes import Sizes
from tests.bench.cluster.subjects import SUBJECTS, Subject, is_at
from tests.bench.http.connection import Connection, UnexpectedAnswer, connections
from tests.bench.http.load import Operation, Sample, sample
from tests.bench.http.serving import Served
from tests.bench.http.subjects import resource_version_in

TOGETHER = 16


@dataclass(frozen=True, slots=True)
class Load:
    """`number` is the round's: no two rounds write the same objects."""

    subject: Subject
    served: Served
    workers: int
    turns: int
    number: int

    def names(self, verb: str) -> list[str]:
        return [f"{verb}-c{self.workers}-{self.number}-{worker}" for worker in range(self.workers)]

    async def run(self, operation: Operation) -> Sample:
        return await sample(self.served, operation, workers=self.workers, turns=self.turns)


@dataclass(frozen=True, slots=True)
class Scenario:
    """`known_as` is what `tests.bench.http.kube` calls it. Without managedFields nothing can be applied."""

    name: str
    known_as: str
    needs_managers: bool
    load: Callable[[Served, int], Load]
    write: Callable[[Load], Awaitable[Sample]]

    async def run(self, served: Served, number: int) -> Sample:
        return await self.write(self.load(served, number))


def scenarios(sizes: Sizes) -> Iterator[Scenario]:
    for subject in SUBJECTS:
        for verb, write in _VERBS.items():
            for workers, operations in ((1, sizes.alone), (TOGETHER, sizes.at_once)):
                yield Scenario(
                    name=f"{verb} {subject.name} c{workers}",
                    known_as=f"{verb}-c{workers}" if subject.name == "configmap" else "",
                    needs_managers=write in (_apply, _apply_again),
                    load=_loads(subject, workers, operations // workers),
                    write=write,
                )


def _loads(subject: Subject, workers: int, turns: int) -> Callable[[Served, int], Load]:
    return lambda served, number: Load(subject, served, workers, turns, number)


async def _create(load: Load) -> Sample:
    names = load.names("create")
    requests = [[load.subject.creation(f"{name}-{turn}") for turn in range(load.turns)] for name in names]

    async def create(connection: Connection, worker: int, turn: int) -> None:
        _check(await connection.ask(requests[worker][turn]), 0)

    return await load.run(create)


async def _put(load: Load) -> Sample:
    names = load.names("put")
    answers = await _asked(load, [load.subject.creation(name) for name in names])

    async def put(connection: Connection, worker: int, turn: int) -> None:
        answers[worker] = await connection.ask(load.subject.put(names[worker], answers[worker], turn))
        _check(answers[worker], turn + 1)

    return await load.run(put)


async def _merge_patch(load: Load) -> Sample:
    return await _patches(load, load.names("merge"), load.subject.merge_patch)


async def _strategic_patch(load: Load) -> Sample:
    return await _patches(load, load.names("strategic"), load.subject.strategic_patch)


async def _patches(load: Load, names: list[str], make: Callable[[str, int], bytes]) -> Sample:
    await _asked(load, [load.subject.creation(name) for name in names])
    requests = [[make(name, turn) for turn in range(load.turns)] for name in names]

    async def patch(connection: Connection, worker: int, turn: int) -> None:
        _check(await connection.ask(requests[worker][turn]), turn + 1)

    return await load.run(patch)


async def _apply(load: Load) -> Sample:
    names = load.names("apply")
    await _asked(load, [load.subject.application(name, 0) for name in names])
    requests = [[load.subject.application(name, turn + 1) for turn in range(load.turns)] for name in names]

    async def apply(connection: Connection, worker: int, turn: int) -> None:
        _check(await connection.ask(requests[worker][turn]), turn + 1)

    return await load.run(apply)


async def _apply_again(load: Load) -> Sample:
    """What is there already: nothing may be written."""
    names = load.names("again")
    requests = [load.subject.application(name, 0) for name in names]
    versions = [resource_version_in(answer) for answer in await _asked(load, requests)]

    async def apply(connection: Connection, worker: int, turn: int) -> None:
        if resource_version_in(await connection.ask(requests[worker])) != versions[worker]:
            raise UnexpectedAnswer("applying what is there has written something")

    return await load.run(apply)


_VERBS: dict[str, Callable[[Load], Awaitable[Sample]]] = {
    "create": _create,
    "put": _put,
    "mergepatch": _merge_patch,
    "strategicpatch": _strategic_patch,
    "apply": _apply,
    "apply-unchanged": _apply_again,
}


async def _asked(load: Load, requests: list[bytes]) -> list[bytes]:
    """The answers."""
    async with connections(load.served.place, 1, Connection) as (connection,):
        return [await connection.ask(each) for each in requests]


def _check(answer: bytes, turn: int) -> None:
    if not is_at(answer, turn):
        raise UnexpectedAnswer("a write has changed nothing")
