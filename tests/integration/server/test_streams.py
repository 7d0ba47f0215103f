"""Streams: sent as they come, ended once, and never held up by a client that doesn't read."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest

from localplane.apiserver.server.http.limits import ConnectionLimits
from localplane.apiserver.server.lifecycle import GenericServer
from localplane.apiserver.server.tls import ServingTLS
from tests.integration.server.toy import Stream, Toys, toy_server
from tests.integration.server.wire import Wire, eventually


@pytest.fixture(params=["plain", "tls"])
async def wire(
    request: pytest.FixtureRequest, toys: Toys, serving_tls: ServingTLS, client_tls: ssl.SSLContext
) -> AsyncIterator[Wire]:
    tls = request.param == "tls"
    async with (
        toy_server(toys, tls=serving_tls if tls else None) as server,
        await Wire.connect(server.port, tls=client_tls if tls else None) as wire,
    ):
        yield wire


async def left(stream: Stream) -> None:
    await asyncio.wait_for(stream.left.wait(), 30)


async def test_headers_come_before_the_first_piece(wire: Wire) -> None:
    wire.send("GET", "/stream")
    head = await wire.head()
    assert (head.status, head.headers["transfer-encoding"]) == (200, "chunked")
    assert "content-length" not in head.headers


async def test_each_piece_is_sent_when_it_comes(wire: Wire, toys: Toys) -> None:
    wire.send("GET", "/stream")
    await wire.head()
    stream = await toys.stream()
    for piece in (b"one\n", b"x" * 70_000, b"two\n"):
        stream.pieces.put_nowait(piece)
        assert await wire.chunk() == piece


async def test_an_empty_piece_does_not_end_the_stream(wire: Wire, toys: Toys) -> None:
    wire.send("GET", "/stream")
    await wire.head()
    stream = await toys.stream()
    stream.pieces.put_nowait(b"")
    stream.pieces.put_nowait(b"later")
    assert await wire.chunk() == b"later"


async def test_a_finished_stream_leaves_the_connection_open(wire: Wire, toys: Toys) -> None:
    wire.send("GET", "/stream")
    stream = await toys.stream()
    stream.pieces.put_nowait(b"all")
    stream.pieces.put_nowait(None)
    assert (await wire.reply()).body == b"all"
    assert stream.closed == 1
    assert (await wire.get("/small")).status == 200


async def test_head_of_a_stream_is_closed_without_being_read(wire: Wire, toys: Toys) -> None:
    wire.send("HEAD", "/stream")
    assert (await wire.head()).status == 200
    stream = await toys.stream()
    await left(stream)
    assert (stream.taken, stream.closed) == (0, 1)
    assert (await wire.get("/small")).status == 200


async def test_a_client_that_leaves_ends_its_stream_at_once(wire: Wire, toys: Toys) -> None:
    wire.send("GET", "/stream")
    await wire.head()
    stream = await toys.stream()
    wire.writer.transport.abort()
    await left(stream)
    assert stream.closed == 1


async def test_a_client_that_closes_properly_ends_its_stream_too(wire: Wire, toys: Toys) -> None:
    wire.send("GET", "/stream")
    await wire.head()
    stream = await toys.stream()
    wire.writer.close()
    await left(stream)
    assert stream.closed == 1


async def test_a_stream_that_fails_breaks_off(wire: Wire, toys: Toys) -> None:
    """The client must not take half a stream for a whole one."""
    wire.send("GET", "/stream")
    await wire.head()
    stream = await toys.stream()
    stream.pieces.put_nowait(b"first")
    assert await wire.chunk() == b"first"
    stream.pieces.put_nowait(RuntimeError("toy"))
    assert await wire.rest() == b""
    await left(stream)
    assert stream.closed == 1


async def test_streams_don_t_hold_up_each_other(server: GenericServer, toys: Toys) -> None:
    async def follow(wire: Wire, number: int) -> list[bytes]:
        return [await wire.chunk() for _ in range(number)]

    wires = [await Wire.connect(server.port) for _ in range(50)]
    for wire in wires:
        wire.send("GET", "/stream")
        await wire.head()
    followers = [asyncio.create_task(follow(wire, 20)) for wire in wires]
    await toys.stream(50)
    for step in range(20):
        for stream in toys.streams:
            stream.pieces.put_nowait(b"event %d\n" % step)
    expected = [b"event %d\n" % step for step in range(20)]
    assert await asyncio.gather(*followers) == [expected] * 50
    for wire in wires:
        wire.writer.transport.abort()


async def test_clients_that_all_leave_at_once_leave_nothing_behind(server: GenericServer, toys: Toys) -> None:
    async with await Wire.connect(server.port) as first:  # what the loop itself opens, it keeps
        assert (await first.get("/small")).status == 200
    await eventually(lambda: not server.http.connections)
    tasks, descriptors = len(asyncio.all_tasks()), len(list(Path("/proc/self/fd").iterdir()))
    wires = await asyncio.gather(*(Wire.connect(server.port) for _ in range(300)))
    for wire in wires:
        wire.send("GET", "/stream")
    await asyncio.gather(*(wire.head() for wire in wires))
    assert len(server.http.streams) == 300
    for wire in wires:
        wire.writer.transport.abort()
    await eventually(lambda: not server.http.connections and len(asyncio.all_tasks()) == tasks)
    await eventually(lambda: len(list(Path("/proc/self/fd").iterdir())) <= descriptors)
    assert len(server.http.streams) == 0
    assert {stream.closed for stream in toys.streams} == {1}


STALLED = 20


async def stalled_client(port: int, *, path: str = "/stream", receive_buffer: int = 4096) -> socket.socket:
    """Asks for a stream, and never reads a byte of it."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    client.settimeout(0)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(client, ("127.0.0.1", port))
    await loop.sock_sendall(client, f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    return client


async def test_clients_that_stop_reading_are_cut_and_nobody_else_notices(toys: Toys) -> None:
    limits = ConnectionLimits(stalled=timedelta(seconds=0.3), write_buffer_bytes=16 * 1024)
    async with toy_server(toys, limits=limits) as server:
        stalled = [await stalled_client(server.port) for _ in range(STALLED)]
        await toys.stream(STALLED)
        async with await Wire.connect(server.port) as reader:
            reader.send("GET", "/stream")
            await reader.head()
            reading = await toys.stream(STALLED + 1)
            piece = b"x" * 100_000
            for _ in range(200):
                for stream in toys.streams[:STALLED]:
                    stream.pieces.put_nowait(piece)
            reading.pieces.put_nowait(b"still here")
            assert await reader.chunk() == b"still here"
            await asyncio.gather(*(left(stream) for stream in toys.streams[:STALLED]))
            assert [stream.closed for stream in toys.streams[:STALLED]] == [1] * STALLED
            # No more was taken than the sockets and one buffer could hold: the rest was never pulled.
            assert max(stream.taken for stream in toys.streams[:STALLED]) < 100
            assert reading.closed == 0
        for client in stalled:
            client.close()


@pytest.mark.parametrize("protocol", ["plain", "tls"])
async def test_a_client_that_stopped_reading_does_not_hold_the_stop(
    toys: Toys, serving_tls: ServingTLS, client_tls: ssl.SSLContext, protocol: str
) -> None:
    tls = protocol == "tls"
    server = toy_server(toys, tls=serving_tls if tls else None)
    await server.start()
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    async with await Wire.connect(server.port, tls=client_tls if tls else None) as wire:
        wire.send("GET", "/stream")
        await wire.head()
        cast(asyncio.ReadTransport, wire.writer.transport).pause_reading()
        stream = await toys.stream()
        for _ in range(200):
            stream.pieces.put_nowait(b"x" * 100_000)
        await eventually(lambda: stream.taken > 1)
        await asyncio.wait_for(server.stop(), 30)
        assert stream.closed == 1
    await eventually(lambda: len(list(Path("/proc/self/fd").iterdir())) < descriptors)


async def test_a_large_answer_to_a_client_that_stops_reading_is_given_up(toys: Toys) -> None:
    limits = ConnectionLimits(stalled=timedelta(seconds=0.3))
    async with toy_server(toys, limits=limits) as server:
        client = await stalled_client(server.port)
        await toys.stream(1)
        toys.streams[0].pieces.put_nowait(None)
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(client, b"GET /large/50000000 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await eventually(lambda: toys.seen[-1].path == "/large/50000000")
        await eventually(lambda: not server.http.connections)
        assert server.http.active["readOnly"] == 0
        client.close()


async def test_a_slow_client_is_not_a_stalled_one(toys: Toys) -> None:
    """It reads less than it could, but it reads: the stream goes on for longer than a stall may last."""
    limits = ConnectionLimits(stalled=timedelta(seconds=3), least_progress_bytes=1, write_buffer_bytes=16 * 1024)
    async with toy_server(toys, limits=limits) as server:
        client = await stalled_client(server.port, receive_buffer=1 << 18)
        stream = await toys.stream(1)
        for _ in range(300):
            stream.pieces.put_nowait(b"x" * 100_000)
        stream.pieces.put_nowait(None)
        loop = asyncio.get_running_loop()
        received, started = 0, loop.time()
        while received < 30_000_000:
            data = await asyncio.wait_for(loop.sock_recv(client, 200_000), 60)
            assert data, "the server cut a client that was reading"
            received += len(data)
            await asyncio.sleep(0.025)
        assert loop.time() - started > 3
        client.close()


async def test_who_reads_a_large_answer_a_byte_at_a_time_is_cut(toys: Toys) -> None:
    """That bytes do come is no excuse: at this rate it would take years, and hold the answer's memory all the while."""
    limits = ConnectionLimits(stalled=timedelta(seconds=0.3), write_buffer_bytes=16 * 1024)
    async with toy_server(toys, limits=limits) as server:
        client = await stalled_client(server.port, path="/made/3000000")
        await eventually(lambda: bool(toys.seen))
        async with asyncio.timeout(20):
            while server.http.connections:
                with contextlib.suppress(BlockingIOError, ConnectionError):
                    client.recv(1)
                await asyncio.sleep(0.02)
        assert server.http.active == {"readOnly": 0, "mutating": 0}
        client.close()
