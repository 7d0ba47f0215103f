"""What time it is. Without a clock of its own, what runs here reads the machine's."""

from __future__ import annotations

import time
from contextvars import ContextVar
from datetime import UTC, datetime

from localplane.apimachinery.light_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .virtual import VirtualClock

RUNNING: ContextVar[VirtualClock | None] = ContextVar("localplane.clock", default=None)
"""The clock that what runs here goes by; None is the machine's. `VirtualClock.running` sets it, and nobody else."""


def present() -> datetime:
    """In UTC."""
    clock = RUNNING.get()
    return datetime.now(UTC) if clock is None else datetime.fromtimestamp(clock.timestamp(), UTC)


def timestamp() -> float:
    """Seconds since 1970."""
    clock = RUNNING.get()
    return time.time() if clock is None else clock.timestamp()


def elapsed() -> float:
    """Seconds since some moment: only differences mean something, and setting the machine's clock changes none."""
    clock = RUNNING.get()
    return time.monotonic() if clock is None else clock.elapsed()
