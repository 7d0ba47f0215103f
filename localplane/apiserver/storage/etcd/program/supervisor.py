"""Keeps etcd running: starts it, notices its end, says why, starts it again.

The first start either succeeds or raises EtcdFailed; after that etcd is restarted for as long as it takes, because a
full disk may be emptied and memory may come back. Nothing here ever deletes data.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from localplane.apiserver.storage.data_directory import DataDirectoryUnusable
from localplane.apiserver.storage.errors import Unavailable

from .command import EtcdCommand
from .faults import EtcdFailed, EtcdFault, FaultCause, diagnose
from .health import EtcdHealth, EtcdOptions, State
from .process import EtcdProcess, ProcessLog
from .socket_directory import SocketDirectory

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from localplane.apiserver.storage.data_directory import DataDirectory

    from .health import Probe

_log = logging.getLogger(__name__)


class EtcdSupervisor:
    """etcd on one data directory. `async with` starts and stops it; `on_change` hears every change of health."""

    def __init__(
        self,
        *,
        binary: Path,
        version: str,
        data_directory: DataDirectory,
        probe: Probe,
        options: EtcdOptions | None = None,
        on_change: Sequence[Callable[[EtcdHealth], None]] = (),
    ) -> None:
        self.version = version
        self._binary = binary
        self._directory = data_directory
        self._probe = probe
        self._options = options or EtcdOptions()
        self._on_change = tuple(on_change)
        self._log = ProcessLog(data_directory.etcd_log)
        self._health = EtcdHealth(State.STOPPED, datetime.now(UTC))
        self._sockets: SocketDirectory | None = None
        self._process: EtcdProcess | None = None
        self._task: asyncio.Task[None] | None = None
        self._ready = asyncio.Event()
        self._stopping = asyncio.Lock()

    @property
    def health(self) -> EtcdHealth:
        return self._health

    @property
    def pid(self) -> int | None:
        """The running etcd's; None while there is none."""
        return self._process.pid if self._process is not None and self._process.running else None

    @property
    def client_socket(self) -> Path:
        """Where a client connects; the same for all restarts."""
        assert self._sockets is not None, "etcd has not been started"
        return self._sockets.client_socket

    async def start(self) -> None:
        """Return when etcd is ready, or raise EtcdFailed and leave nothing behind but its data and its log."""
        assert self._task is None, "already started"
        self._become(State.STARTING)
        try:
            self._sockets = SocketDirectory(self._directory)
            process = await self._launch(self._sockets)
        except BaseException:
            self._clear()
            raise
        self._become(State.READY)
        self._task = asyncio.create_task(self._supervise(self._sockets, process), name="etcd-supervisor")

    async def wait_ready(self, timeout: timedelta) -> None:  # noqa: ASYNC109 - running out raises our own error
        """Return at once or as soon as etcd is ready; raises Unavailable with the reason why it is not."""
        try:
            async with asyncio.timeout(timeout.total_seconds()):
                await self._ready.wait()
        except TimeoutError as error:
            fault = self._health.fault
            raise Unavailable(fault.sentence if fault else f"etcd is {self._health.state}") from error

    async def stop(self) -> None:
        """End etcd and take its sockets away. Idempotent; a caller that loses patience makes it quick, not undone."""
        async with self._stopping:
            task, self._task = self._task, None
            if task is None:
                return
            try:
                task.cancel()
                await asyncio.wait({task})
                if self._process is not None:
                    await self._process.stop(self._options.stop_within)
            finally:
                self._clear()
        if not task.cancelled():
            task.result()  # a fault of our own, not etcd's: it must not get lost

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def _supervise(self, sockets: SocketDirectory, process: EtcdProcess) -> None:
        loop, delay = asyncio.get_running_loop(), self._options.first_delay
        while True:
            ready_at = loop.time()
            fault = await self._end_of(process)
            if loop.time() - ready_at >= self._options.settled_after.total_seconds():
                delay = self._options.first_delay
            self._become(State.DOWN, fault)
            while True:
                await asyncio.sleep(delay.total_seconds())
                delay = min(delay * 2, self._options.longest_delay)
                try:
                    process = await self._launch(sockets)
                    break
                except EtcdFailed as error:
                    self._become(State.DOWN, error.fault)
            self._become(State.READY)

    async def _launch(self, sockets: SocketDirectory) -> EtcdProcess:
        """A ready etcd, or EtcdFailed and no etcd."""
        await _database_released(self._directory.etcd)
        try:
            sockets.ensure()
        except (OSError, DataDirectoryUnusable) as error:
            raise EtcdFailed(EtcdFault(FaultCause.EXITED, f"etcd's sockets have no place: {error}")) from error
        command = EtcdCommand(
            binary=self._binary,
            data=self._directory.etcd,
            sockets=sockets.path,
            quota_backend_bytes=self._options.quota_backend_bytes,
            snapshot_count=self._options.snapshot_count,
            parent_death=self._options.parent_death,
        )
        self._process = process = await EtcdProcess.start(command, self._log)
        try:
            await self._answers(process, sockets.client_socket)
        except BaseException:
            process.kill()
            raise
        return process

    async def _answers(self, process: EtcdProcess, socket: Path) -> None:
        pause = timedelta(milliseconds=5)
        try:
            async with asyncio.timeout(self._options.start_within.total_seconds()):
                while not await self._probe_once(socket):
                    if await process.wait(pause) is not None:
                        raise EtcdFailed(await self._end_of(process))
                    pause = min(pause * 1.5, timedelta(milliseconds=50))
        except TimeoutError as error:
            raise EtcdFailed(self._no_answer()) from error

    async def _probe_once(self, socket: Path) -> bool:
        try:
            async with asyncio.timeout(2):
                return await self._probe(socket)
        except EtcdFailed:
            raise  # it answers, and must not be used
        except (OSError, Unavailable):  # a timeout is an OSError too
            return False

    async def _end_of(self, process: EtcdProcess) -> EtcdFault:
        returncode = await process.wait()
        assert returncode is not None, "waiting without a limit ends with the process"
        process.kill()
        return diagnose(
            self._log.lines,
            returncode=returncode,
            data=self._directory.etcd,
            binary=self._binary,
            log=self._log.path,
        )

    def _no_answer(self) -> EtcdFault:
        seconds = self._options.start_within.total_seconds()
        sentence = f"etcd runs and did not answer within {seconds:g} s; its log is in {self._log.path}"
        return EtcdFault(FaultCause.NO_ANSWER, sentence)

    def _clear(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process = None
        if self._sockets is not None:
            self._sockets.remove()
        self._become(State.STOPPED)

    def _become(self, state: State, fault: EtcdFault | None = None) -> None:
        """Tell everybody; a restart that fails again changes the reason, not the time since when etcd is down."""
        before = self._health
        if state is State.DOWN and before.state is State.DOWN:
            self._health = replace(before, fault=fault)
        else:
            came_back = before.state is State.DOWN and state is State.READY
            self._health = EtcdHealth(state, datetime.now(UTC), fault, before.restarts + came_back)
        if fault is not None and fault != before.fault:
            _log.warning("etcd is down: %s", fault.sentence)
        self._ready.set() if state is State.READY else self._ready.clear()
        for listener in self._on_change:
            listener(self._health)


async def _database_released(data: Path) -> None:
    """Another etcd on the same files would be waited for without end and without a word.

    The one before us may still be dying, so it gets a moment.
    """
    for _ in range(100):
        try:
            database = os.open(data / "member" / "snap" / "db", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:  # not there yet, or etcd will say better what is wrong with it
            return
        try:
            fcntl.flock(database, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            await asyncio.sleep(0.02)
        else:
            return
        finally:
            os.close(database)
    raise EtcdFailed(EtcdFault(FaultCause.HELD, f"another etcd has the data in {data} open: stop it and start again"))
