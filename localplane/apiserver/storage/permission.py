"""Who may write only for as long as something holds: a leader, for as long as it leads.

The permission goes with the task that was given it and with all tasks that this one starts. It is asked right before
a write is sent to the store, after everything that a write waits for on its way there, so a leader whose machine stood
still meanwhile writes nothing. Whoever was given none may write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from .errors import NotPermitted

_HOLDS: Final[ContextVar[Callable[[], bool] | None]] = ContextVar("may_write", default=None)


@contextmanager
def writing_while(holds: Callable[[], bool]) -> Iterator[None]:
    """What is done in the block writes only while this is true."""
    token = _HOLDS.set(holds)
    try:
        yield
    finally:
        _HOLDS.reset(token)


def check_permission() -> None:
    """Raises NotPermitted: nothing was sent."""
    holds = _HOLDS.get()
    if holds is not None and not holds():
        raise NotPermitted("another server leads now: nothing more is written by what led here")
