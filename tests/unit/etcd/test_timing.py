"""Deadlines and keep-alive, in virtual time."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from itertools import pairwise

import pytest

from localplane.apiserver.storage.etcd.client import KeepAliveTimes, frames
from localplane.apiserver.storage.etcd.client.failures import Broken, DeadlineExceeded
from tests.unit.etcd.peer import answer
from tests.unit.etcd.wire import Wire
from tests.unit.storage.virtual_time import now, settle, virtual_time

DAY = timedelta(days=1)
BANDWIDTH = bytes((2, 4, 16, 16, 9, 14, 7, 7))  # with which gRPC measures it
PONG = frames.frame(frames.PING, frames.ACK, 0, b"kctlping")
UNHEARD = frames.frame(frames.PING, frames.ACK, 0, b"whatever")  # a sign of life


def call(wire: Wire, *, within: timedelta) -> asyncio.Task[bytes | memoryview]:
    return asyncio.create_task(wire.connection.unary("/path", b"message", within=within))


@virtual_time
async def test_each_call_has_its_own_deadline() -> None:
    wire = Wire(KeepAliveTimes(interval=DAY, patience=DAY))
    ends = {}

    async def timed(seconds: int) -> None:
        with pytest.raises(DeadlineExceeded):
            await wire.connection.unary("/path", b"", within=timedelta(seconds=seconds))
        ends[seconds] = now()

    async with asyncio.TaskGroup() as group:
        for seconds in (10, 3, 7, 10):
            group.create_task(timed(seconds))
        await settle()
        for seconds in range(1, 20):  # somebody else's answers: the connection lives
            asyncio.get_running_loop().call_at(seconds - 0.5, wire.connection.data_received, UNHEARD)

    assert ends == pytest.approx({3: 3, 7: 7, 10: 10}, abs=0.01)
    assert not wire.aborted
    wire.connection.close("done")


@virtual_time
async def test_an_answered_call_is_not_expired_later() -> None:
    wire = Wire(KeepAliveTimes(interval=DAY, patience=DAY))
    early = call(wire, within=timedelta(seconds=5))
    await settle()
    wire.connection.data_received(answer(1, b"response"))
    assert bytes(await early) == b"response"

    await asyncio.sleep(60)

    assert frames.RST_STREAM not in wire.kinds()
    wire.connection.close("done")


@virtual_time
async def test_a_silent_peer_is_asked_for_a_sign_of_life_and_then_given_up() -> None:
    wire = Wire(KeepAliveTimes(interval=timedelta(seconds=6), patience=timedelta(seconds=4)))
    waiting = call(wire, within=DAY)

    with pytest.raises(Broken, match="does not answer keep-alive pings"):
        await waiting

    assert now() == pytest.approx(10, abs=0.01)
    assert wire.kinds() == [frames.HEADERS, frames.PING]
    assert wire.aborted


@virtual_time
async def test_a_peer_that_answers_pings_is_kept_and_not_asked_more_often_than_allowed() -> None:
    wire = Wire(KeepAliveTimes(interval=timedelta(seconds=6), patience=timedelta(seconds=4)))
    waiting = call(wire, within=DAY)
    await settle()
    loop = asyncio.get_running_loop()
    asked: list[float] = []
    while len(asked) < 5:
        wire.written.clear()
        await asyncio.sleep(0.1)
        if wire.written:
            asked.append(now())
            loop.call_later(0.2, wire.connection.data_received, PONG)

    assert min(later - earlier for earlier, later in pairwise(asked)) > 5
    assert not waiting.done()
    waiting.cancel()
    await settle()
    wire.connection.close("done")


@virtual_time
async def test_a_peer_that_talks_is_not_asked() -> None:
    wire = Wire(KeepAliveTimes(interval=timedelta(seconds=6), patience=timedelta(seconds=4)))
    waiting = call(wire, within=DAY)
    for _ in range(20):
        await asyncio.sleep(5)
        wire.connection.data_received(UNHEARD)

    assert wire.kinds() == [frames.HEADERS]
    waiting.cancel()
    await settle()
    wire.connection.close("done")


@virtual_time
async def test_nobody_is_asked_while_no_call_is_open() -> None:
    wire = Wire(KeepAliveTimes(interval=timedelta(seconds=6), patience=timedelta(seconds=4)))
    await asyncio.sleep(600)

    assert wire.written == []
    wire.connection.close("done")


@virtual_time
async def test_a_unary_request_is_one_write() -> None:
    wire = Wire()
    waiting = call(wire, within=DAY)
    await settle()

    assert len(wire.written) == 1
    assert wire.written[0].endswith(b"\0\0\0\0\x07message")
    wire.connection.data_received(answer(1, b"response"))
    await waiting
    assert len(wire.written) == 1
    wire.connection.close("done")


def ping(payload: bytes) -> bytes:
    return frames.frame(frames.PING, 0, 0, payload)


def pong(payload: bytes) -> bytes:
    return frames.frame(frames.PING, frames.ACK, 0, payload)


@virtual_time
async def test_a_measurement_of_bandwidth_is_answered_later_and_anything_else_at_once() -> None:
    wire = Wire(KeepAliveTimes(interval=DAY, patience=DAY))
    wire.connection.data_received(ping(BANDWIDTH))
    wire.connection.data_received(ping(bytes(8)))
    assert wire.written == [pong(bytes(8))]
    await asyncio.sleep(0.06)
    assert wire.written == [pong(bytes(8)), pong(BANDWIDTH)]
    wire.connection.data_received(ping(BANDWIDTH))
    await asyncio.sleep(0.06)
    assert wire.written[2:] == [pong(BANDWIDTH)]
    wire.connection.close("done")


@virtual_time
async def test_every_ping_has_its_answer_even_if_the_peer_does_not_wait_for_it() -> None:
    wire = Wire(KeepAliveTimes(interval=DAY, patience=DAY))
    for _ in range(3):
        wire.connection.data_received(ping(BANDWIDTH))
    await asyncio.sleep(0.06)
    assert wire.written == [pong(BANDWIDTH)] * 3
    wire.connection.close("done")


@virtual_time
async def test_a_peer_that_goes_away_gets_its_answers_at_once_and_a_closed_one_none() -> None:
    wire = Wire(KeepAliveTimes(interval=DAY, patience=DAY))
    waiting = call(wire, within=DAY)
    await settle()
    wire.written.clear()
    wire.connection.data_received(frames.goaway(1, frames.NO_ERROR) + ping(BANDWIDTH))
    assert wire.written == [pong(BANDWIDTH)]
    wire.connection.data_received(answer(1, b"response"))
    await waiting

    other = Wire(KeepAliveTimes(interval=DAY, patience=DAY))
    other.connection.data_received(ping(BANDWIDTH))
    other.connection.close("done")
    other.written.clear()
    await asyncio.sleep(1)
    assert not other.written
