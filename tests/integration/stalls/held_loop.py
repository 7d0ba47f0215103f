"""How long an event loop was held, in CPU time, so that it does not matter what else the machine does."""

from __future__ import annotations

import asyncio
import gc
import time
from asyncio.events import Handle
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


class Held:
    """`longest` is the CPU time of the longest callback, which is what a loop does without looking at anything else."""

    def __init__(self) -> None:
        self.longest = 0.0
        self.callbacks = 0

    def note(self, seconds: float) -> None:
        self.longest = max(self.longest, seconds)
        self.callbacks += 1


@contextmanager
def measured(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    """Of asyncio's own loop, whose callbacks Python runs. Garbage is not collected meanwhile: that of a whole test run
    takes longer than what is measured."""
    held = Held()
    run = Handle._run

    def timed(handle: Any) -> None:
        begun = time.thread_time()
        run(handle)
        held.note(time.thread_time() - begun)

    gc.disable()
    try:
        with monkeypatch.context() as patched:
            patched.setattr(Handle, "_run", timed)
            yield held
    finally:
        gc.enable()


def new_loop() -> asyncio.AbstractEventLoop:
    """Python's own, on any platform."""
    return asyncio.SelectorEventLoop()
