"""Stopping leaves no process, no socket and no task, however it is interrupted."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from localplane.apiserver.storage.etcd.program.health import EtcdOptions, State
from localplane.apiserver.storage.etcd.program.parent_death import ParentDeath
from tests.integration.etcd_process.kernel import alive, gone_within, members_of_group

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.etcd_process.conftest import Make, Run
    from tests.integration.etcd_process.watched import Watched


def started(watched: Watched) -> int:
    assert watched.etcd.pid is not None
    return watched.etcd.pid


def assert_nothing_is_left(pid: int, sockets: Path) -> None:
    assert not alive(pid)
    assert members_of_group(pid) == []
    assert not sockets.exists()
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.parametrize("means", list(ParentDeath))
async def test_a_stop_asks_etcd_to_end_and_leaves_nothing(run: Run, means: ParentDeath) -> None:
    async with run(options=EtcdOptions(parent_death=means, stop_within=timedelta(hours=1))) as watched:
        pid, sockets = started(watched), watched.etcd.client_socket.parent
        async with asyncio.timeout(30):
            await watched.etcd.stop()
    # The guard of PIPE ends when its pipe does, without anybody waiting for it.
    assert all(gone_within(member, 30) for member in members_of_group(pid))
    assert_nothing_is_left(pid, sockets)
    assert watched.etcd.health.state is State.STOPPED
    assert watched.etcd.pid is None


async def test_stopping_twice_and_at_the_same_time_is_stopping_once(run: Run) -> None:
    async with run() as watched:
        await asyncio.gather(watched.etcd.stop(), watched.etcd.stop())
        await watched.etcd.stop()
    states = [health.state for health in watched.heard]
    while not watched.said.empty():
        states.append(watched.said.get_nowait().state)
    assert states == [State.STARTING, State.READY, State.STOPPED]


async def test_an_etcd_that_does_not_listen_is_killed_after_the_grace(run: Run) -> None:
    async with run(options=EtcdOptions(stop_within=timedelta(milliseconds=200))) as watched:
        pid, sockets = started(watched), watched.etcd.client_socket.parent
        os.kill(pid, signal.SIGSTOP)
        began = time.monotonic()
        await watched.etcd.stop()
        assert time.monotonic() - began >= 0.2
        assert_nothing_is_left(pid, sockets)


async def test_a_caller_that_loses_patience_kills_it_at_once(run: Run) -> None:
    async with run(options=EtcdOptions(stop_within=timedelta(hours=1))) as watched:
        pid, sockets = started(watched), watched.etcd.client_socket.parent
        os.kill(pid, signal.SIGSTOP)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await watched.etcd.stop()
        assert_nothing_is_left(pid, sockets)
        assert watched.etcd.health.state is State.STOPPED


async def test_a_stop_while_etcd_is_down_ends_the_waiting(run: Run) -> None:
    async with run(options=EtcdOptions(first_delay=timedelta(hours=1))) as watched:
        pid, sockets = started(watched), watched.etcd.client_socket.parent
        os.kill(pid, signal.SIGKILL)
        await watched.until(State.DOWN)
        await watched.etcd.stop()
        assert_nothing_is_left(pid, sockets)


async def test_a_stop_in_the_middle_of_a_restart_leaves_nothing(make: Make) -> None:
    probed = asyncio.Event()
    times = 0

    async def probe(socket: Path) -> bool:
        nonlocal times
        times += 1
        if times == 1:
            return True
        probed.set()
        return False

    watched = make(probe=probe)
    async with watched.etcd:
        os.kill(started(watched), signal.SIGKILL)
        async with asyncio.timeout(30):
            await probed.wait()
        pid, sockets = started(watched), watched.etcd.client_socket.parent
    assert_nothing_is_left(pid, sockets)


async def test_a_start_that_is_cancelled_leaves_nothing(make: Make) -> None:
    probed = asyncio.Event()

    async def never(socket: Path) -> bool:
        probed.set()
        return False

    watched = make(probe=never)
    starting = asyncio.create_task(watched.etcd.start())
    async with asyncio.timeout(30):
        await probed.wait()
    pid, sockets = started(watched), watched.etcd.client_socket.parent
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert_nothing_is_left(pid, sockets)


async def test_it_can_be_started_again_after_a_stop(make: Make) -> None:
    watched = make()
    for _ in range(2):
        async with watched.etcd:
            assert watched.etcd.health.state is State.READY
