"""Starting, killing and stopping host processes."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Self

from tests.faults.wire import Disconnected, Line, Message

_ROOT = Path(__file__).parents[2]
_STARTS_WITHIN = 20.0
_STOPS_WITHIN = 10.0


class HostFailed(Exception):
    """A host did not start or stop as it must; the message ends with what it said."""


class HostProcess:
    """One host, through all its lives. `up` is set while it answers, `since` is when it last began to."""

    def __init__(self, name: str, directory: Path, arguments: list[str]) -> None:
        self.up = asyncio.Event()
        self.since = 0.0
        self.socket = directory / f"{name}.sock"
        self._log = directory / f"{name}.log"
        self._arguments = ["--socket", str(self.socket), *arguments]
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Return when it says that it answers."""
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "tests.faults.host", *self._arguments),
                cwd=_ROOT,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(_STARTS_WITHIN):
                said = await self._process.stdout.readline()
        except TimeoutError:
            said = b""
        if said != b"ready\n":
            await self.kill()
            raise HostFailed(f"the host did not start: {self.last_words()}")
        self.since = time.monotonic()
        self.up.set()

    async def kill(self) -> None:
        """SIGKILL, and wait until the kernel has done it."""
        self.up.clear()
        assert self._process is not None
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()

    async def stop(self) -> None:
        """End its input, and expect it to end well."""
        self.up.clear()
        process = self._process
        assert process is not None
        assert process.stdin is not None
        process.stdin.close()
        try:
            async with asyncio.timeout(_STOPS_WITHIN):
                code = await process.wait()
        except TimeoutError:
            await self.kill()
            raise HostFailed(f"the host did not stop: {self.last_words()}") from None
        if code != 0:
            raise HostFailed(f"the host ended with {code}: {self.last_words()}")

    async def status(self) -> Message:
        line = await Line.connect(self.socket)
        try:
            return await line.ask({"op": "status"})
        finally:
            line.close()

    def last_words(self) -> str:
        return self._log.read_text(errors="replace")[-2000:]

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._process is not None and self._process.returncode is None:
            await self.kill()


async def etcd_pid(host: HostProcess) -> int | None:
    with suppress(Disconnected):
        pid: int | None = (await host.status())["etcd_pid"]
        return pid
    return None


async def kill_process(pid: int) -> None:
    """SIGKILL a process that is not our child, and wait until it is dead (as a zombie, too)."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    loop, dead = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(descriptor, dead.set)
    try:
        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        await dead.wait()
    except ProcessLookupError:
        pass
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


def freeze(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)


def thaw(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)
