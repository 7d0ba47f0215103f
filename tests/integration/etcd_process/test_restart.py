"""An etcd that ends is noticed, explained and started again."""

from __future__ import annotations

import asyncio
import os
import signal
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from localplane.apiserver.storage.errors import Unavailable
from localplane.apiserver.storage.etcd.program.faults import FaultCause
from localplane.apiserver.storage.etcd.program.health import EtcdOptions, State
from localplane.apiserver.storage.etcd.program.parent_death import ParentDeath
from tests.integration.etcd_process.answering import answers
from tests.integration.etcd_process.kernel import members_of_group

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.etcd_process.conftest import Make, Run
    from tests.integration.etcd_process.watched import Watched

PATIENT = timedelta(seconds=20)


def kill(watched: Watched) -> int:
    pid = watched.etcd.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    return pid


@pytest.mark.parametrize("means", list(ParentDeath))
async def test_a_killed_etcd_is_down_and_then_ready_again(run: Run, means: ParentDeath) -> None:
    async with run(options=EtcdOptions(parent_death=means)) as watched:
        socket = watched.etcd.client_socket
        killed = kill(watched)
        down = await watched.until(State.DOWN)
        assert down.fault is not None
        assert down.fault.cause is FaultCause.KILLED
        assert "etcd was killed by SIGKILL" in down.fault.sentence
        ready = await watched.until(State.READY)
        assert (ready.restarts, ready.fault) == (1, None)
        assert watched.etcd.pid not in {None, killed}
        assert watched.etcd.client_socket == socket
        assert await answers(socket)
        assert members_of_group(killed) == []


async def test_waiting_for_readiness_ends_when_etcd_is_back(run: Run) -> None:
    async with run() as watched:
        await watched.etcd.wait_ready(timedelta(0.1))
        kill(watched)
        await watched.until(State.DOWN)
        await watched.etcd.wait_ready(PATIENT)
        assert watched.etcd.health.state is State.READY


async def test_waiting_in_vain_says_why(run: Run) -> None:
    options = EtcdOptions(first_delay=timedelta(seconds=60), longest_delay=timedelta(seconds=60))
    async with run(options=options) as watched:
        kill(watched)
        await watched.until(State.DOWN)
        assert watched.etcd.pid is None
        with pytest.raises(Unavailable, match="killed by SIGKILL"):
            await watched.etcd.wait_ready(timedelta(milliseconds=10))


async def test_restarts_that_fail_go_on_with_growing_pauses_and_keep_the_time_since_when(
    make: Make, binary: Path, tmp_path: Path
) -> None:
    program = tmp_path / "etcd"
    program.symlink_to(binary)
    fast = EtcdOptions(first_delay=timedelta(milliseconds=20), longest_delay=timedelta(milliseconds=80))
    watched = make(binary=program, options=fast)
    async with watched.etcd:
        await watched.until(State.READY)
        program.unlink()
        kill(watched)
        first = await watched.until(State.DOWN)
        began = asyncio.get_running_loop().time()
        for _ in range(4):
            again = await watched.until(State.DOWN)
            assert again.since == first.since
            assert again.fault is not None
            assert again.fault.cause is FaultCause.UNSUITABLE_BINARY
        assert asyncio.get_running_loop().time() - began >= 0.02 + 0.04 + 0.08 + 0.08
        program.symlink_to(binary)
        assert (await watched.until(State.READY)).restarts == 1


async def test_pauses_are_short_again_after_a_while_of_health(run: Run) -> None:
    options = EtcdOptions(
        first_delay=timedelta(milliseconds=1), longest_delay=timedelta(hours=1), settled_after=timedelta(0)
    )
    async with run(options=options) as watched:
        for _ in range(5):
            kill(watched)
            await watched.until(State.DOWN)
            await watched.until(State.READY)


async def test_a_socket_directory_that_vanished_is_made_again(run: Run) -> None:
    async with run() as watched:
        for entry in watched.etcd.client_socket.parent.iterdir():
            entry.unlink()
        watched.etcd.client_socket.parent.rmdir()
        kill(watched)
        await watched.until(State.READY)
        assert await answers(watched.etcd.client_socket)
