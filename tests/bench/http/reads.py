"""GET of one object, and LIST of a namespace: whole, packed, and page by page."""

from __future__ import annotations

import gzip
from collections.abc import Awaitable, Callable

import orjson

from tests.bench.figures import Aim
from tests.bench.http.connection import Connection, UnexpectedAnswer
from tests.bench.http.load import Sample, Scenario, sample
from tests.bench.http.serving import Served
from tests.bench.http.sizes import Sizes
from tests.bench.http.subjects import FEW, MANY, path, request, seeded_name

_GET_AIM = Aim(at_least=2.0)
_LIST_AIM = Aim(at_least=5.0)
_STRIDE = 31  # workers ask for different objects, and each for one after the other


def scenarios(sizes: Sizes) -> list[Scenario]:
    many, few = sizes.objects, sizes.few_objects
    whole, short = request("GET", path(MANY)), request("GET", path(FEW))
    packed = request("GET", path(MANY), gzip=True)
    return [
        Scenario("get-c1", _gets(sizes, 1, sizes.gets), _GET_AIM),
        Scenario("get-c16", _gets(sizes, 16, max(2, sizes.gets * sizes.at_once // 16)), _GET_AIM),
        Scenario(f"list-{few}-c1", _lists(short, few, 1, sizes.short_lists)),
        Scenario(f"list-{many}-c1", _lists(whole, many, 1, sizes.lists), _LIST_AIM),
        Scenario(f"list-{many}-c4", _lists(whole, many, 4, max(2, sizes.lists // 2)), _LIST_AIM),
        Scenario(f"list-{many}-gzip-c1", _lists(packed, many, 1, max(2, sizes.lists // 4))),
        Scenario(f"list-{many}-page{sizes.page}-c1", _sweeps(sizes)),
    ]


def _gets(sizes: Sizes, workers: int, turns: int) -> Callable[[Served, int], Awaitable[Sample]]:
    requests = [request("GET", path(MANY, seeded_name(number))) for number in range(sizes.objects)]

    async def get(connection: Connection, worker: int, turn: int) -> None:
        body = await connection.ask(requests[(worker * _STRIDE + turn) % len(requests)])
        if not body:
            raise UnexpectedAnswer("an object has no bytes")

    async def run(served: Served, number: int) -> Sample:
        return await sample(served, get, workers=workers, turns=turns)

    return run


def _lists(asked: bytes, objects: int, workers: int, turns: int) -> Callable[[Served, int], Awaitable[Sample]]:
    """The first answer is read and its items are counted; the others have to be as long."""

    async def run(served: Served, number: int) -> Sample:
        expected = 0

        async def check(connection: Connection, worker: int, turn: int) -> None:
            nonlocal expected
            body = await connection.ask(asked, keep=True)
            if b"gzip" in asked and not body.startswith(b"{"):
                body = gzip.decompress(body)
            found = len(orjson.loads(body)["items"])
            if found != objects:
                raise UnexpectedAnswer(f"a list has {found} of {objects} items")
            expected = connection.size

        async def again(connection: Connection, worker: int, turn: int) -> None:
            await connection.ask(asked)
            if connection.size < expected * 0.9:
                raise UnexpectedAnswer(f"a list has {connection.size} bytes where {expected} were before")

        await sample(served, check, workers=1, turns=1)
        return await sample(served, again, workers=workers, turns=turns)

    return run


def _sweeps(sizes: Sizes) -> Callable[[Served, int], Awaitable[Sample]]:
    """One operation is the whole list, page after page."""
    pages = -(-sizes.objects // sizes.page)

    async def sweep(connection: Connection, worker: int, turn: int) -> None:
        token, seen = "", 0
        while True:
            query = f"limit={sizes.page}" + (f"&continue={token}" if token else "")
            seen += 1
            token = _continue(await connection.ask(request("GET", path(MANY, query=query)), keep=True))
            if not token:
                break
        if seen != pages:
            raise UnexpectedAnswer(f"{seen} pages where {pages} were expected")

    async def run(served: Served, number: int) -> Sample:
        return await sample(served, sweep, workers=1, turns=max(2, sizes.lists // 2))

    return run


def _continue(page: bytes) -> str:
    """From the list's metadata, which stands before the items."""
    head = page[: page.index(b'"items"')]
    at = head.find(b'"continue":"')
    return "" if at < 0 else head[at + 12 : head.index(b'"', at + 12)].decode()
