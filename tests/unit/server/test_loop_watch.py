"""Who holds the event loop is named, and how late it runs is told to /metrics."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable
from datetime import timedelta

import pytest

from localplane.apiserver.request import Request
from localplane.apiserver.server.monitoring.exposition import render
from localplane.apiserver.server.monitoring.loop_watch import LoopWatch
from tests.unit.server.asking import ask

TOLERATED = timedelta(milliseconds=60)
LONGEST = 20.0
"""Seconds that a test waits for a thread to have its turn."""


@pytest.fixture
async def watch() -> AsyncIterator[LoopWatch]:
    watch = LoopWatch(tolerated=TOLERATED)
    watch.start()
    yield watch
    watch.stop()


def hold(request: Request, watch: LoopWatch) -> None:
    """What a request must not do: it looks at nothing else until the watch has noticed it."""
    end = time.perf_counter() + LONGEST
    while not watch.has_noticed and time.perf_counter() < end:
        sum(range(1000))
    assert request.path


async def held_by(path: str, watch: LoopWatch) -> None:
    watch.note_request()
    hold(ask(path), watch)


async def reported(caplog: pytest.LogCaptureFixture) -> str:
    await until(lambda: bool(caplog.messages))
    return caplog.messages[0]


async def until(claim: Callable[[], bool]) -> None:
    async with asyncio.timeout(LONGEST):
        while True:
            if claim():
                return
            await asyncio.sleep(0.01)


async def test_the_log_names_the_request_that_held_the_loop(watch: LoopWatch, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        await held_by("/api/v1/configmaps", watch)
        told = await reported(caplog)
    assert told.startswith("the event loop was held for ")
    assert "by GET /api/v1/configmaps, in " in told
    assert "tests/unit/server/test_loop_watch.py" in told


async def test_what_is_no_request_is_told_by_its_place(watch: LoopWatch, caplog: pytest.LogCaptureFixture) -> None:
    def keep_on() -> None:
        end = time.perf_counter() + LONGEST
        while not watch.has_noticed and time.perf_counter() < end:
            sum(range(1000))

    with caplog.at_level(logging.WARNING):
        keep_on()
        told = await reported(caplog)
    assert "by something that is no request, in " in told
    assert "keep_on (tests/unit/server/test_loop_watch.py" in told


async def test_how_late_the_loop_runs_is_a_histogram(watch: LoopWatch, caplog: pytest.LogCaptureFixture) -> None:
    await held_by("/", watch)
    await reported(caplog)
    lines = render(watch.families()).decode().splitlines()
    assert "# TYPE apiserver_event_loop_lag_seconds histogram" in lines
    (count,) = [line for line in lines if line.startswith("apiserver_event_loop_lag_seconds_count ")]
    (short,) = [line for line in lines if line.startswith('apiserver_event_loop_lag_seconds_bucket{le="0.05"} ')]
    assert int(count.rpartition(" ")[2]) > int(short.rpartition(" ")[2])


async def test_an_idle_loop_rests_and_a_request_wakes_it(watch: LoopWatch) -> None:
    await until(lambda: watch.is_resting)
    watch.note_request()
    assert not watch.is_resting


async def test_nothing_is_left_when_it_is_stopped() -> None:
    watch = LoopWatch()
    watch.start()
    assert "loop-watch" in {thread.name for thread in threading.enumerate()}
    watch.stop()
    watch.stop()
    assert "loop-watch" not in {thread.name for thread in threading.enumerate()}
