"""Keeping a fault where it happened: what one object does to one handler is no reason for all to end.

Nothing is hidden: a fault is logged with its traceback and what it was about. Cancellation passes through.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from types import TracebackType
from typing import Any, Self

from .rate_limiters import Backoff

_log = logging.getLogger(__name__)


class Contained:
    """A block whose exceptions are logged and go no further, but for those that `passes` names; `error` is the last
    block's. It may be used again and again, but not within itself. `describe` says what was being done."""

    __slots__ = ("_describe", "_passes", "error")

    def __init__(self, describe: Callable[[], str], *, passes: tuple[type[Exception], ...] = ()) -> None:
        self._describe = describe
        self._passes = passes
        self.error: Exception | None = None

    def __enter__(self) -> Self:
        self.error = None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception) or isinstance(error, self._passes):
            return False
        self.error = error
        _log.error("%s failed: %s: %s", self._describe(), type(error).__name__, error, exc_info=error)
        return True


async def keep_running(name: str, start: Callable[[], Awaitable[None]], backoff: Backoff) -> None:
    """Until it is cancelled. What ends, with an error or without, is started again after a pause that grows."""
    while True:
        error = await _outcome(start)
        pause = backoff.pause()
        _log.error("%s ended and is started again in %.1f seconds", name, pause.total_seconds(), exc_info=error)
        await asyncio.sleep(pause.total_seconds())


async def _outcome(start: Callable[[], Awaitable[None]]) -> BaseException | None:
    """What it ended with. It runs in a task of its own, so that its end is a fact and not an exception."""
    running = asyncio.ensure_future(start())
    try:
        await asyncio.wait([running])
    finally:
        if not running.done():
            running.cancel()
            await asyncio.wait([running])
    return asyncio.CancelledError() if running.cancelled() else running.exception()


class Background:
    """Something that runs for as long as a block lasts.

    When it fails, the block is cancelled and the failure raised, in an ExceptionGroup: nobody waits for the dead. When
    the block ends, it is cancelled and awaited.
    """

    def __init__(self, run: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._run = run
        self._tasks = asyncio.TaskGroup()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> None:
        await self._tasks.__aenter__()
        self._task = self._tasks.create_task(self._run())

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._task is not None  # entered before
        self._task.cancel()
        if isinstance(error, asyncio.CancelledError):
            await self._tasks.__aexit__(kind, error, trace)
        else:
            # A task group would wrap what the block raised, which is not its business.
            await self._tasks.__aexit__(None, None, None)
