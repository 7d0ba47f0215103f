"""Our terminal while a process elsewhere has it: raw, told of its size, and put back as it was.

Kubernetes: kubectl/pkg/util/term; the keys that detach are moby/term's.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from kctl.errors import Ended, KctlError

Read = Callable[[], bytes]
_SIGNALS: Final = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT)
_DELETE: Final = 127


@contextmanager
def kept_safe(*, raw: bool) -> Iterator[None]:
    """Whatever ends us, the terminal is left as it was found. Nothing happens where stdin is none. Raises Ended."""
    if not sys.stdin.isatty():
        yield
        return
    descriptor, loop = sys.stdin.fileno(), asyncio.get_running_loop()
    before = termios.tcgetattr(descriptor)
    task = asyncio.current_task()
    interrupted = False

    def interrupt() -> None:
        nonlocal interrupted
        interrupted = True
        if task is not None:
            task.cancel()

    for number in _SIGNALS:
        loop.add_signal_handler(number, interrupt)
    if raw:
        tty.setraw(descriptor, termios.TCSANOW)  # what was typed already is kept
    try:
        yield
    except asyncio.CancelledError:
        if not interrupted:
            raise
        raise Ended(1) from None
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
        termios.tcsetattr(descriptor, termios.TCSANOW, before)


@contextmanager
def size_told(tell: Callable[[bytes], None], *, redraw: bool) -> Iterator[None]:
    """The other side hears how large our terminal is, now and whenever it changes.

    With `redraw` it hears of a size that is a little larger before: a process that had the terminal already draws anew.
    """
    if not sys.stdout.isatty():
        yield
        return
    loop = asyncio.get_running_loop()

    def tell_size(more: int = 0) -> None:
        size = os.get_terminal_size(sys.stdout.fileno())
        said = {"Width": size.columns + more, "Height": size.lines + more}
        tell(json.dumps(said, separators=(",", ":")).encode() + b"\n")

    loop.add_signal_handler(signal.SIGWINCH, tell_size)
    try:
        if redraw:
            tell_size(1)
        tell_size()
        yield
    finally:
        loop.remove_signal_handler(signal.SIGWINCH)


def key_bytes(keys: str) -> bytes:
    """`ctrl-p,ctrl-q` as they are typed. Raises KctlError."""
    found = bytearray()
    for key in keys.split(","):
        code = ord(key[5:].upper()) - 64 if len(key) == 6 and key.startswith("ctrl-") else -1
        if len(key.encode()) == 1:
            found += key.encode()
        elif key == "DEL":
            found.append(_DELETE)
        elif 0 <= code < 32 and not key[5:].isupper():
            found.append(code)
        else:
            raise KctlError(f"could not bind detach keys: Unknown character: '{key}'")
    return bytes(found)


def until_typed(read: Read, keys: bytes) -> Read:
    """Reads on until these keys come one after another, which end it and are not passed on."""
    held, ended = b"", False

    def read_on() -> bytes:
        nonlocal held, ended
        while not ended:
            piece = read()
            if not piece:
                ended = True
                rest, held = held, b""
                return rest
            data, position = held + piece, -1
            if (position := data.find(keys)) >= 0:
                ended, held = True, b""
                if position:
                    return data[:position]
                break
            length = next(size for size in range(min(len(keys) - 1, len(data)), -1, -1) if data.endswith(keys[:size]))
            data, held = data[: len(data) - length], data[len(data) - length :]
            if data:
                return data
        return b""

    return read_on
