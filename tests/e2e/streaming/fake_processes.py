"""Processes of this machine in the place of containers, with a terminal if they want one."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import struct
import termios
from typing import Any

from tests.e2e.streaming.fake_streams import Channels

_STDIN, _STDOUT, _STDERR, _ERROR, _RESIZE = range(5)


async def run(channels: Channels, command: list[str], *, stdin: bool, tty: bool) -> None:
    """Until it ends; then its exit code is told."""
    code = await (_run_in_terminal(channels, command) if tty else _run(channels, command, stdin=stdin))
    await channels.send(_ERROR, json.dumps(exit_status(code)).encode())
    await channels.close()


async def _run(channels: Channels, command: list[str], *, stdin: bool) -> int:
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE if stdin else asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    feeding = asyncio.create_task(_feed(channels, process))
    try:
        await asyncio.gather(_tell(channels, _STDOUT, process.stdout), _tell(channels, _STDERR, process.stderr))
        return await process.wait()
    finally:
        feeding.cancel()
        await _killed(process)


async def _feed(channels: Channels, process: asyncio.subprocess.Process) -> None:
    while (heard := await channels.receive()) is not None:
        channel, data = heard
        if process.stdin is None or channel != _STDIN:
            continue
        if not data:
            process.stdin.close()
            continue
        try:
            process.stdin.write(data)
            await process.stdin.drain()
        except ConnectionError:
            return


async def _tell(channels: Channels, channel: int, reader: asyncio.StreamReader) -> None:
    while data := await reader.read(65536):
        await channels.send(channel, data)


async def _run_in_terminal(channels: Channels, command: list[str]) -> int:
    master, slave = os.openpty()
    await _type(channels, master, until_sized=True)
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(slave)
    typing = asyncio.create_task(_type(channels, master))
    loop = asyncio.get_running_loop()
    try:
        while data := await loop.run_in_executor(None, _read, master):
            await channels.send(_STDOUT, data)
        return await process.wait()
    finally:
        typing.cancel()
        await _killed(process)
        os.close(master)


async def _killed(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()
        await process.wait()


def _read(master: int) -> bytes:
    try:
        return os.read(master, 65536)
    except OSError:  # how a terminal says that nobody has it open any more
        return b""


async def _type(channels: Channels, master: int, *, until_sized: bool = False) -> None:
    while (heard := await channels.receive()) is not None:
        channel, data = heard
        if channel == _RESIZE and data:
            size = json.loads(data)
            fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", size["Height"], size["Width"], 0, 0))
            if until_sized:
                return
        elif data:
            os.write(master, data)
        elif channel == _STDIN:
            os.write(master, b"\x04")


def exit_status(code: int) -> dict[str, Any]:
    if code == 0:
        return {"metadata": {}, "status": "Success"}
    return {
        "metadata": {},
        "status": "Failure",
        "reason": "NonZeroExitCode",
        "message": f"command terminated with non-zero exit code: {code}",
        "details": {"causes": [{"reason": "ExitCode", "message": str(code)}]},
    }
