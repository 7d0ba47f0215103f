"""How a running plane is told to stop (SIGINT, SIGTERM, a closed terminal) or to begin again empty (SIGUSR1)."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

EMPTY = signal.SIGUSR1


@contextmanager
def handling(
    *,
    stop: Callable[[signal.Signals], None],
    empty: Callable[[], None],
    ignore_hangup: bool,
    pass_on: Callable[[signal.Signals], bool] | None = None,
) -> Iterator[None]:
    """The first signal calls `stop`; the second ends the process at once, with the exit code a shell would give it.
    While there is somebody else to whom signals go, `pass_on` says so and it is as if there had been none."""
    loop = asyncio.get_running_loop()
    seen: list[signal.Signals] = []

    def on_signal(number: signal.Signals) -> None:
        if pass_on is not None and pass_on(number):
            return
        if seen:
            os._exit(128 + number)
        seen.append(number)
        stop(number)

    stopping = [signal.SIGINT, signal.SIGTERM, *(() if ignore_hangup else (signal.SIGHUP,))]
    if pass_on is not None:
        stopping.append(signal.SIGQUIT)
    for number in stopping:
        loop.add_signal_handler(number, on_signal, number)
    if ignore_hangup:
        loop.add_signal_handler(signal.SIGHUP, lambda: None)
    loop.add_signal_handler(EMPTY, empty)
    try:
        yield
    finally:
        for number in (*stopping, signal.SIGHUP, EMPTY):
            loop.remove_signal_handler(number)
