"""SIGTERM and SIGINT: the first asks politely, the second does not."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def stop_on_signals(stop: Callable[[], None]) -> Iterator[None]:
    """The first signal calls `stop`; the second ends the process at once, with the exit code a shell would give it."""
    loop = asyncio.get_running_loop()
    seen: list[signal.Signals] = []

    def on_signal(number: signal.Signals) -> None:
        if seen:
            os._exit(128 + number)
        seen.append(number)
        stop()

    numbers = (signal.SIGINT, signal.SIGTERM)
    for number in numbers:
        loop.add_signal_handler(number, on_signal, number)
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
