"""A process in a container, with our standard streams or others for its own.

Stdin is read in a thread, because a file that somebody redirected here can't be waited for otherwise.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from localplane.client.errors import ConnectionLost

from .channels import CLOSE, ERROR, RESIZE, STDERR, STDIN, STDOUT, V4, V5, exit_code_of, open_channels

if TYPE_CHECKING:
    from kctl.session import Session

    from .websocket import WebSocket

_PIECE = 32 * 1024
Read = Callable[[], bytes]
Write = Callable[[bytes], object]


class Streams:
    """Where the process's streams come from and go to. `read` returns nothing at its end; None is no stdin at all."""

    def __init__(self, read: Read | None, out: Write, err: Write | None) -> None:
        self.read = read
        self.out = out
        self.err = err


def standard_streams(*, stdin: bool, terminal: bool) -> Streams:
    """Ours. A terminal has one stream for all that is said."""
    return Streams(
        (lambda: os.read(sys.stdin.fileno(), _PIECE)) if stdin else None,
        _to(sys.stdout),
        None if terminal else _to(sys.stderr),
    )


def _to(file: Any) -> Write:
    def write(data: bytes) -> None:
        file.buffer.write(data)
        file.flush()

    return write


async def run_remote(
    session: Session, path: str, query: list[tuple[str, str]], streams: Streams, *, terminal: bool = False
) -> int:
    """Its exit code. Raises APIError, KctlError, ConnectionFailed."""
    wanted = {"stdin": streams.read is not None, "stdout": True, "stderr": streams.err is not None, "tty": terminal}
    parameters = [*query, *((name, "true") for name, on in wanted.items() if on)]
    websocket = await open_channels(session, path, parameters, V5, V4)
    async with websocket:
        loop = asyncio.get_running_loop()
        feeding = loop.create_task(_feed(websocket, streams.read)) if streams.read is not None else None
        try:
            with _raw_terminal(websocket, loop) if terminal else _nothing():
                return await _listen(websocket, streams)
        finally:
            if feeding is not None:
                feeding.cancel()


async def _listen(websocket: WebSocket, streams: Streams) -> int:
    status: dict[str, Any] = {}
    while True:
        try:
            message = await websocket.receive()
        except ConnectionLost:
            if status:
                break
            raise
        if message is None:
            break
        channel, data = message[0], message[1:]
        if channel == STDOUT:
            streams.out(data)
        elif channel == STDERR and streams.err is not None:
            streams.err(data)
        elif channel == ERROR and data:
            status = json.loads(data)
    return exit_code_of(status or {"status": "Success"})


async def _feed(websocket: WebSocket, read: Read) -> None:
    """Until stdin ends, which the newer protocol can say."""
    loop = asyncio.get_running_loop()
    pieces: asyncio.Queue[bytes] = asyncio.Queue(4)

    def pump() -> None:
        while True:
            try:
                piece = read()
            except (OSError, ValueError):
                piece = b""
            try:
                asyncio.run_coroutine_threadsafe(pieces.put(piece), loop).result()
            except RuntimeError:
                return  # the loop has ended, and nobody waits for stdin any more
            if not piece:
                return

    threading.Thread(target=pump, daemon=True).start()
    while piece := await pieces.get():
        await websocket.send(bytes([STDIN]) + piece)
    if websocket.protocol == V5:
        await websocket.send(bytes([CLOSE, STDIN]))


@contextmanager
def _nothing() -> Iterator[None]:
    yield


@contextmanager
def _raw_terminal(websocket: WebSocket, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Every key goes to the other side, which also hears how large our terminal is."""
    import signal
    import termios
    import tty

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    tasks: set[asyncio.Task[None]] = set()

    def tell_size() -> None:
        size = os.get_terminal_size(descriptor)
        said = json.dumps({"Width": size.columns, "Height": size.lines}, separators=(",", ":")).encode()
        task = loop.create_task(websocket.send(bytes([RESIZE]) + said))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    tty.setraw(descriptor)
    try:
        loop.add_signal_handler(signal.SIGWINCH, tell_size)
        tell_size()
        yield
    finally:
        loop.remove_signal_handler(signal.SIGWINCH)
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def wants_terminal(session: Session, *, stdin: bool, terminal: bool, quiet: bool) -> bool:
    """-t counts only with -i, and where there is a terminal."""
    if not (stdin and terminal):
        return False
    if sys.stdin.isatty():
        return True
    if not quiet:
        session.say("Unable to use a TTY - input is not a terminal or the right kind of file\n")
    return False
