"""What the proxy is told it does: held bytes are held, cut connections are cut, and nothing comes out of order."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from tests.faults.proxy import BOTH, PASSING, Direction, Link, Manner

HELD = Manner(held=True)


@dataclass
class Echo:
    """A server that says everything back; `heard` has what came, `left` is set when a connection has ended."""

    heard: bytearray = field(default_factory=bytearray)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                self.heard += data
                self.news.set()
                writer.write(data)
        except ConnectionError:
            pass
        finally:
            self.left.set()
            writer.close()

    async def hears(self, wanted: bytes) -> None:
        while bytes(self.heard) != wanted:
            self.news.clear()
            await self.news.wait()


@dataclass(frozen=True)
class Line:
    echo: Echo
    link: Link
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


@asynccontextmanager
async def _line() -> AsyncIterator[Line]:
    echo = Echo()
    server = await asyncio.start_server(echo.serve, "127.0.0.1", 0)
    async with Link("127.0.0.1", server.sockets[0].getsockname()[1]) as link:
        reader, writer = await asyncio.open_connection("127.0.0.1", link.port)
        try:
            writer.write(b"0")
            assert await reader.readexactly(1) == b"0"
            yield Line(echo, link, reader, writer)
        finally:
            writer.close()
            server.close()


async def test_bytes_pass_both_ways() -> None:
    async with _line() as line:
        line.writer.write(b"1" * 100_000)
        assert await line.reader.readexactly(100_000) == b"1" * 100_000


async def test_held_requests_do_not_arrive_until_they_are_released() -> None:
    async with _line() as line:
        line.link.change(HELD, (Direction.REQUESTS,))
        line.writer.write(b"1")
        other = await _through_another_connection(line.link)
        assert bytes(line.echo.heard) == b"0"
        line.link.change(PASSING)
        line.writer.write(b"2")
        assert await line.reader.readexactly(2) == b"12"
        other.close()


async def _through_another_connection(link: Link) -> asyncio.StreamWriter:
    """New connections are held, too: it stands, and says nothing."""
    _, writer = await asyncio.open_connection("127.0.0.1", link.port)
    return writer


async def test_held_answers_belong_to_requests_that_arrived() -> None:
    async with _line() as line:
        line.link.change(HELD, (Direction.ANSWERS,))
        line.writer.write(b"1")
        await line.echo.hears(b"01")
        line.link.change(PASSING)
        assert await line.reader.readexactly(1) == b"1"


@pytest.mark.parametrize("manner", [Manner(delay=0.05), Manner(drips=True)])
async def test_slow_bytes_come_in_order(manner: Manner) -> None:
    async with _line() as line:
        line.link.change(manner)
        sent = bytes(range(200)) * 3
        for begin in range(0, len(sent), 50):
            line.writer.write(sent[begin : begin + 50])
        assert await line.reader.readexactly(len(sent)) == sent


async def test_a_line_that_is_armed_is_cut_when_the_request_has_arrived() -> None:
    async with _line() as line:
        line.link.arm()
        line.writer.write(b"1")
        with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
            await line.reader.readexactly(1)
        assert bytes(line.echo.heard) == b"01"


async def test_a_client_does_not_hear_that_its_server_is_lost_until_the_line_is_cut() -> None:
    async with _line() as line:
        line.link.lose_servers()
        await line.echo.left.wait()
        line.writer.write(b"1")
        assert not line.reader.at_eof()
        line.link.cut(half_open_only=True)
        with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
            await line.reader.readexactly(1)
        assert bytes(line.echo.heard) == b"0"


async def test_a_server_does_not_hear_that_its_client_is_lost_until_the_line_is_cut() -> None:
    async with _line() as line:
        line.link.lose_clients()
        with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
            await line.reader.readexactly(1)
        assert not line.echo.left.is_set()
        line.link.cut(half_open_only=True)
        await line.echo.left.wait()


async def test_a_line_whose_server_is_not_there_is_cut() -> None:
    """Somebody has its port and does not listen: a port that nobody has might be the next one that the link gets."""
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        async with Link("127.0.0.1", deaf.getsockname()[1]) as link:
            reader, writer = await asyncio.open_connection("127.0.0.1", link.port)
            with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
                await reader.readexactly(1)
            writer.close()


async def test_an_end_passes_after_what_was_held() -> None:
    async with _line() as line:
        line.link.change(HELD, BOTH)
        line.writer.write(b"1")
        line.writer.close()
        line.link.change(PASSING)
        await line.echo.hears(b"01")
        await line.echo.left.wait()
