"""An asynchronous block that is held open from outside its event loop: by another thread, or another loop."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager
from typing import Generic, TypeVar

T = TypeVar("T")


class Held(Generic[T]):
    """Entered and left by one task, as task groups want it. `entered` is what the block gives, or why there is none."""

    def __init__(self, block: AbstractAsyncContextManager[T], loop: asyncio.AbstractEventLoop) -> None:
        self.entered: Future[T] = Future()
        self._block = block
        self._loop = loop
        self._leave = asyncio.Event()
        self._ended = asyncio.run_coroutine_threadsafe(self._hold(), loop)

    async def _hold(self) -> None:
        try:
            async with self._block as value:
                self.entered.set_result(value)
                await self._leave.wait()
        except BaseException as error:
            if self.entered.done():
                raise
            self.entered.set_exception(error)

    def leave(self) -> Future[None]:
        """Done when the block was left; it has what the block raised."""
        self._loop.call_soon_threadsafe(self._leave.set)
        return self._ended
