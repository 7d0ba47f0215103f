"""Owns the handlers that outlived their request, until they end. See `deadline`."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta
from typing import Any

from .recover import sole_api_error

_log = logging.getLogger(__name__)


class UnfinishedWrites:
    """The server has one, and waits for it before it closes its storage."""

    def __init__(self, *, grace: timedelta = timedelta(seconds=30)) -> None:
        self._grace = grace
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def count(self) -> int:
        return len(self._tasks)

    def adopt(self, task: asyncio.Task[Any], what: str) -> None:
        """`what` is for the log."""
        stuck = asyncio.get_running_loop().call_later(self._grace.total_seconds(), task.cancel)

        def ended(task: asyncio.Task[Any]) -> None:
            stuck.cancel()
            self._tasks.discard(task)
            _tell(task, what)

        self._tasks.add(task)
        task.add_done_callback(ended)

    async def finished(self) -> None:
        """All have ended; the grace period bounds how long that takes."""
        while self._tasks:
            await asyncio.wait(self._tasks)


def _tell(task: asyncio.Task[Any], what: str) -> None:
    """Nobody waits for the outcome any more: the log is where it goes."""
    if task.cancelled():
        _log.error("a handler was stuck after its request had ended, and was cancelled: %s", what)
        return
    error = task.exception()
    if error is None or sole_api_error(error) is not None:
        _log.warning("a handler ended after its request had: %s: %s", what, error or "it succeeded")
    else:
        _log.error("a handler failed after its request had ended: %s", what, exc_info=error)
