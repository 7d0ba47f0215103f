"""Waiting for an answer, but not for ever: in an event loop, or where one thing is done after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from kctl.session import Session

T = TypeVar("T")


class _Rung(Exception):
    """Not a TimeoutError, which a transport would take for one of its own."""


async def in_time(session: Session, seconds: float, ask: Callable[[], Awaitable[T]]) -> T:
    """Raises TimeoutError."""
    if session.is_concurrent:
        import asyncio

        async with asyncio.timeout(seconds):
            return await ask()
    import signal

    def ring(*_: object) -> None:
        raise _Rung

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return await ask()
    except _Rung:
        raise TimeoutError from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
