"""The client does what client-go does: the faults it would make of a server's answers are the ones that count."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from tests.faults.plane.client import MOST_RETRIES, Client, Pool, Unanswered
from tests.faults.plane.connection import Answer, Broken, NothingSent, Place, Request

CREATE = Request("POST", "/objects", b"{}")
READ = Request("GET", "/objects/one")
BUSY = Answer(503, {"retry-after": "1"})


class Script:
    """Answers in order, the last one for ever; `asked` are the requests."""

    def __init__(self, *answers: Answer | Exception) -> None:
        self.asked: list[Request] = []
        self._answers = answers

    async def ask(self, request: Request) -> Answer:
        self.asked.append(request)
        answer = self._answers[min(len(self.asked), len(self._answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def watch(self, request: Request) -> AsyncGenerator[Answer | bytes, None]:
        raise NotImplementedError(request)


class Pauses(list[float]):
    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


def client_of(script: Script, pauses: Pauses) -> Client:
    return Client(script, within=60, sleep=pauses)


@pytest.mark.parametrize("status", [429, 500, 503, 504])
async def test_an_answer_with_retry_after_is_obeyed_for_a_write_too(status: int, pauses: Pauses) -> None:
    script = Script(Answer(status, {"retry-after": "3"}), Answer(201))
    reply = await client_of(script, pauses).ask(CREATE)
    assert (reply.answer.status, reply.tries, script.asked, pauses) == (201, 2, [CREATE, CREATE], [3.0])


@pytest.mark.parametrize("answer", [Answer(504), Answer(500), Answer(409, {"retry-after": "1"})])
async def test_an_answer_that_does_not_invite_another_try_is_the_last(answer: Answer, pauses: Pauses) -> None:
    script = Script(answer)
    reply = await client_of(script, pauses).ask(CREATE)
    assert (reply.answer, reply.tries, reply.invites_another_try) == (answer, 1, False)


async def test_ten_invitations_are_followed_and_no_more(pauses: Pauses) -> None:
    script = Script(BUSY)
    reply = await client_of(script, pauses).ask(CREATE)
    assert (reply.answer, reply.tries, len(pauses)) == (BUSY, MOST_RETRIES + 1, MOST_RETRIES)
    assert reply.invites_another_try


async def test_a_write_whose_connection_broke_is_not_sent_again(pauses: Pauses) -> None:
    script = Script(Broken("reset"), Answer(201))
    with pytest.raises(Unanswered) as unanswered:
        await client_of(script, pauses).ask(CREATE)
    assert (unanswered.value.sent, unanswered.value.tries, script.asked) == (True, 1, [CREATE])


async def test_a_read_whose_connection_broke_is_sent_again_after_a_second(pauses: Pauses) -> None:
    script = Script(Broken("reset"), Answer(200))
    reply = await client_of(script, pauses).ask(READ)
    assert (reply.answer.status, reply.tries, pauses) == (200, 2, [1.0])


async def test_what_could_not_be_sent_is_known_to_have_had_no_effect(pauses: Pauses) -> None:
    with pytest.raises(Unanswered) as unanswered:
        await client_of(Script(NothingSent("refused")), pauses).ask(CREATE)
    assert unanswered.value.sent is False


# On the wire.

_DONE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

Serve = Callable[[int, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def served(serve: Serve) -> AsyncIterator[Pool]:
    """A pool of connections to a server that serves each of them, by their number, until it returns."""
    connections = 0

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        try:
            await serve(connections, reader, writer)
        finally:
            writer.close()

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    pool = Pool(Place("127.0.0.1", server.sockets[0].getsockname()[1]))
    try:
        yield pool
    finally:
        pool.close()
        server.close()


async def request_came(reader: asyncio.StreamReader) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    length = head.partition(b"Content-Length: ")[2].partition(b"\r\n")[0]
    await reader.readexactly(int(length or b"0"))


@pytest.mark.parametrize("request_", [CREATE, READ], ids=["write", "read"])
async def test_a_connection_is_kept_for_the_next_request(request_: Request) -> None:
    connections = set()

    async def serve(number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.add(number)
        for _ in range(2):
            await request_came(reader)
            writer.write(_DONE)

    async with served(serve) as pool:
        assert (await pool.ask(request_)).body == b"{}"
        assert (await pool.ask(request_)).body == b"{}"
    assert connections == {1}


async def _answer_the_first_and_leave_at_the_second(
    number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    await request_came(reader)
    writer.write(_DONE)
    await request_came(reader)
    if number > 1:
        writer.write(_DONE)


async def test_a_read_on_a_kept_connection_that_breaks_goes_out_on_another() -> None:
    async with served(_answer_the_first_and_leave_at_the_second) as pool:
        await pool.ask(READ)
        assert (await pool.ask(READ)).status == 200


async def test_a_write_on_a_kept_connection_that_breaks_does_not() -> None:
    async with served(_answer_the_first_and_leave_at_the_second) as pool:
        await pool.ask(READ)
        with pytest.raises(Broken):
            await pool.ask(CREATE)


async def test_a_write_finds_another_connection_when_the_kept_one_had_ended_before() -> None:
    async def serve(_number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request_came(reader)
        writer.write(_DONE)

    async with served(serve) as pool:
        await pool.ask(READ)
        while not pool.idle[0].ended:  # noqa: ASYNC110 - a stream that ends sets no event
            await asyncio.sleep(0)
        assert (await pool.ask(CREATE)).status == 200


async def test_an_answer_that_breaks_off_is_no_answer() -> None:
    async def serve(_number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request_came(reader)
        writer.write(_DONE[:-1])

    async with served(serve) as pool:
        with pytest.raises(Broken):
            await pool.ask(CREATE)
