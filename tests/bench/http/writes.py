"""POST, PUT, PATCH and DELETE, by one worker and by several; every one changes something."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from tests.bench.http.connection import Connection, UnexpectedAnswer, connections
from tests.bench.http.load import Sample, Scenario, sample
from tests.bench.http.serving import Served
from tests.bench.http.sizes import Sizes
from tests.bench.http.subjects import (
    FEW,
    MANY,
    WRITTEN,
    Updates,
    creation,
    path,
    request,
    resource_version_in,
    seeded_name,
)

_MERGE_PATCH = "application/merge-patch+json"
_SEEDERS = 32

Run = Callable[[Served, int], Awaitable[Sample]]


async def seed(served: Served, sizes: Sizes) -> None:
    """The objects that are read."""
    wanted = iter(
        [
            creation(namespace, seeded_name(number))
            for namespace, objects in ((MANY, sizes.objects), (FEW, sizes.few_objects))
            for number in range(objects)
        ]
    )

    async def create_all(connection: Connection, worker: int, turn: int) -> None:
        for each in wanted:
            await connection.ask(each)

    await sample(served, create_all, workers=_SEEDERS, turns=1)


def scenarios(sizes: Sizes) -> list[Scenario]:
    """In this order: what is deleted was created before."""
    alone, together = sizes.writes, sizes.writes * sizes.at_once
    return [
        Scenario("create-c1", _creates(1, alone)),
        Scenario("create-c32", _creates(32, together)),
        Scenario("put-c1", _puts(1, alone)),
        Scenario("put-c16", _puts(16, together)),
        Scenario("mergepatch-c1", _patches(1, alone)),
        Scenario("mergepatch-c16", _patches(16, together)),
        Scenario("delete-c1", _deletes(1, _names(1, alone))),
        Scenario("delete-c16", _deletes(16, _names(32, together))),
    ]


def _names(workers: int, operations: int) -> Callable[[int], list[str]]:
    """Those that a round creates."""
    turns = operations // workers
    return lambda number: [f"c{workers}-{number}-{index:06}" for index in range(turns * workers)]


def _creates(workers: int, operations: int) -> Run:
    turns, names = operations // workers, _names(workers, operations)

    async def run(served: Served, number: int) -> Sample:
        requests = [creation(WRITTEN, name) for name in names(number)]

        async def create(connection: Connection, worker: int, turn: int) -> None:
            await connection.ask(requests[worker * turns + turn])

        return await sample(served, create, workers=workers, turns=turns)

    return run


def _deletes(workers: int, names: Callable[[int], list[str]]) -> Run:
    async def run(served: Served, number: int) -> Sample:
        requests = [request("DELETE", path(WRITTEN, name)) for name in names(number)]
        turns = len(requests) // workers

        async def delete(connection: Connection, worker: int, turn: int) -> None:
            await connection.ask(requests[worker * turns + turn])

        return await sample(served, delete, workers=workers, turns=turns)

    return run


def _puts(workers: int, operations: int) -> Run:
    async def run(served: Served, number: int) -> Sample:
        names = [f"put-c{workers}-{number}-{worker}" for worker in range(workers)]
        versions = await _created(served, names)
        updates = [Updates(WRITTEN, name) for name in names]

        async def put(connection: Connection, worker: int, turn: int) -> None:
            answer = await connection.ask(updates[worker].request(versions[worker], turn + 1))
            version = resource_version_in(answer)
            if version == versions[worker]:
                raise UnexpectedAnswer("a change has no version of its own")
            versions[worker] = version

        return await sample(served, put, workers=workers, turns=operations // workers)

    return run


def _patches(workers: int, operations: int) -> Run:
    async def run(served: Served, number: int) -> Sample:
        names = [f"patch-c{workers}-{number}-{worker}" for worker in range(workers)]
        await _created(served, names)
        turns = operations // workers
        changes = [b'{"data":{"turn":"%d"}}' % (turn + 1) for turn in range(turns)]
        requests = [
            [request("PATCH", path(WRITTEN, name), change, content_type=_MERGE_PATCH) for change in changes]
            for name in names
        ]

        async def patch(connection: Connection, worker: int, turn: int) -> None:
            answer = await connection.ask(requests[worker][turn])
            if b'"turn":"%d"' % (turn + 1) not in answer:
                raise UnexpectedAnswer("a patch has changed nothing")

        return await sample(served, patch, workers=workers, turns=turns)

    return run


async def _created(served: Served, names: list[str]) -> list[bytes]:
    """Their versions."""
    async with connections(served.place, 1, Connection) as (connection,):
        return [resource_version_in(await connection.ask(creation(WRITTEN, name))) for name in names]
