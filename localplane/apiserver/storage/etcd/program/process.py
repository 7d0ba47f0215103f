"""One run of etcd, from its start to its end. `supervisor` starts the next."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING

from .command import environment, refuse_unless_program
from .faults import EtcdFailed, EtcdFault, FaultCause
from .parent_death import Lifeline, ParentDeath

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import timedelta
    from pathlib import Path
    from typing import Self

    from .command import EtcdCommand


# What etcd says: kept in a file for people, bounded in size, and its last lines in memory for the diagnosis.
#
# We read etcd's output and write the file ourselves, because etcd's last words on a full disk are the ones that it
# could not have written there.

_MOST_BYTES = 1024 * 1024
_MOST_LINES = 400  # a Go panic with the stack of its goroutine


class ProcessLog:
    """Appends to `path`, which is moved to `path`.1 when it is full: there are never more than two files."""

    def __init__(self, path: Path, *, most_bytes: int = _MOST_BYTES) -> None:
        self.path = path
        self._most_bytes = most_bytes
        self._lines: deque[bytes] = deque(maxlen=_MOST_LINES)
        self._unfinished = b""

    @property
    def lines(self) -> Sequence[str]:
        """What the present run said last, oldest first."""
        unfinished = [self._unfinished] if self._unfinished else []
        return [line.decode(errors="replace") for line in (*self._lines, *unfinished)]

    def begin_run(self) -> None:
        """Forget the lines of the run before; its part of the file stays."""
        self._lines.clear()
        self._unfinished = b""

    def write(self, data: bytes) -> None:
        *lines, self._unfinished = (self._unfinished + data).split(b"\n")
        self._lines.extend(lines)
        try:
            self._append(data)
        except OSError:  # a full disk: the lines are in memory, and saying so would need the disk as well
            return

    def _append(self, data: bytes) -> None:
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            size = os.fstat(descriptor).st_size
            os.write(descriptor, data)
        finally:
            os.close(descriptor)
        if size + len(data) > self._most_bytes:
            self.path.replace(self.path.with_name(f"{self.path.name}.1"))


_DEAD_WITHIN = 5.0  # seconds a SIGKILL may take; a process in a disk's uninterruptible sleep takes longer


class EtcdProcess:
    """A started etcd in a session of its own, so that Ctrl-C in the terminal reaches us and not it."""

    def __init__(self, process: subprocess.Popen[bytes], lifeline: Lifeline, exited: asyncio.Future[None]) -> None:
        self._process = process
        self._lifeline = lifeline
        self._exited = exited
        self._output: asyncio.BaseTransport | None = None

    @classmethod
    async def start(cls, command: EtcdCommand, log: ProcessLog, *, environ: Mapping[str, str] = os.environ) -> Self:
        """Start etcd or raise EtcdFailed. Call it on the event loop's own thread (see `parent_death`)."""
        refuse_unless_program(command.binary)
        log.begin_run()
        lifeline = Lifeline(command.parent_death or ParentDeath.here(), command.argv())
        output, etcds_output = os.pipe()
        try:
            process = subprocess.Popen(  # noqa: ASYNC220 - returns when etcd's launcher runs, after about a millisecond
                lifeline.argv,
                stdin=lifeline.stdin,
                stdout=etcds_output,
                stderr=etcds_output,
                cwd=command.sockets,
                env=environment(environ),
                start_new_session=True,
                umask=0o077,
            )
        except OSError as error:
            os.close(output)
            lifeline.cut()
            raise EtcdFailed(EtcdFault(FaultCause.EXITED, f"etcd can't be started: {error}")) from error
        finally:
            os.close(etcds_output)
            lifeline.started()
        started = cls(process, lifeline, asyncio.get_running_loop().create_future())
        await started._listen(output, log)
        return started

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process.returncode is None and not self._exited.done()

    async def wait(self, timeout: timedelta | None = None) -> int | None:  # noqa: ASYNC109 - running out is an answer
        """The exit code (negative: the signal) once etcd has ended and let go of its files, None if it runs on."""
        done, _ = await asyncio.wait({self._exited}, timeout=None if timeout is None else timeout.total_seconds())
        return await self._reap() if done else None

    async def stop(self, grace: timedelta) -> None:
        """Ask etcd to end, and kill it when it has not after `grace` or when the caller loses patience."""
        try:
            if self.running:
                self._signal(signal.SIGTERM)
                await self.wait(grace)
        finally:
            self.kill()

    def kill(self) -> None:
        """End it now and release everything it held. Idempotent, and never waits for more than the kernel."""
        if self._process.returncode is None:
            self._signal(signal.SIGKILL)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_DEAD_WITHIN)
        self._lifeline.cut()
        if self._output is not None:
            self._output.close()

    async def _listen(self, output: int, log: ProcessLog) -> None:
        """etcd alone holds the other end of its output, so the end of that is the end of etcd."""
        pipe = os.fdopen(output, "rb", buffering=0)
        try:
            loop = asyncio.get_running_loop()
            self._output, _ = await loop.connect_read_pipe(lambda: _Output(log, self._exited), pipe)
        except BaseException:
            pipe.close()
            self.kill()
            raise

    async def _reap(self) -> int:
        """The exit code follows the end of the output within moments; a program that only closed it is killed."""
        for _ in range(500):
            if (code := self._process.poll()) is not None:
                return code
            await asyncio.sleep(0.002)
        self._signal(signal.SIGKILL)
        return self._process.wait(_DEAD_WITHIN)

    def _signal(self, number: signal.Signals) -> None:
        """To the group, of which etcd is the leader: a wrapper around it is a part of that too."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, number)


class _Output(asyncio.Protocol):
    def __init__(self, log: ProcessLog, exited: asyncio.Future[None]) -> None:
        self._log = log
        self._exited = exited

    def data_received(self, data: bytes) -> None:
        self._log.write(data)

    def connection_lost(self, _exc: Exception | None) -> None:
        if not self._exited.done():
            self._exited.set_result(None)
