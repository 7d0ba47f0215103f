"""Something that runs for as long as a block lasts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any


class Background:
    """When it fails, the block is cancelled and the failure raised, in an ExceptionGroup: nobody waits for the dead.
    When the block ends, it is cancelled and awaited."""

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
