"""What takes long, so that it holds up nobody: in slices on the event loop, or in a thread beside it.

What goes through many objects stops between two of them: `slices`. What can't stop (a body of megabytes is parsed,
checked and compared, one object is written as YAML) goes `elsewhere`: to a thread that takes turns with the loop's.
Such work looks at nothing that the loop changes, and leaves the loop's things alone.

Requests bring their server's own with them. A request that somebody made by hand has `HERE`, which needs no thread.

What can neither stop nor wait, but needs an answer of somebody else, raises NeedsData: `with_data` waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from localplane.apimachinery.time_slices import TimeSlices, Turns

T = TypeVar("T")

HEAVY_BYTES = 64 * 1024
"""Below this an object takes a few milliseconds at most, whatever is done with it, unless it is dense."""

HEAVY_YAML_BYTES = 16 * 1024
"""The same for what is read from YAML or written as YAML."""

THREAD_SWITCH_SECONDS = 0.001
"""For `sys.setswitchinterval`: how long a thread keeps the loop's from going on, each time that it wants to."""

_DENSE_BYTES = 4 * 1024
_MOST_VALUES = 2_000
_THREADS = 2


def is_heavy(data: bytes, *, most_bytes: int = HEAVY_BYTES) -> bool:
    """Whether working on this text takes so long that others would notice: it is large, or it has many values."""
    size = len(data)
    return size > most_bytes or (size > _DENSE_BYTES and data.count(b",") + data.count(b"\n") > _MOST_VALUES)


class NeedsData(Exception):
    """Raised by work that can't wait, where it needs something that has to be waited for: `fetch` gets it, and the work
    is begun again."""

    def __init__(self, fetch: Callable[[], Awaitable[None]]) -> None:
        super().__init__()
        self.fetch = fetch


async def with_data(work: Callable[[], Awaitable[T]]) -> T:
    """What the work returns, however often it has to begin again."""
    while True:
        try:
            return await work()
        except NeedsData as need:
            await need.fetch()


class Here:
    """Does everything on the spot, and stops now and then."""

    def slices(self) -> TimeSlices:
        return TimeSlices()

    async def elsewhere(self, work: Callable[[], T]) -> T:
        """What the work returns or raises."""
        return work()


HERE = Here()


class LongWork(Here):
    """A server's own. Of all that is done in slices one goes on in each round of the loop; the threads are started
    when they are first needed."""

    def __init__(self) -> None:
        self._turns = Turns()
        self._threads: ThreadPoolExecutor | None = None

    def slices(self) -> TimeSlices:
        return TimeSlices(self._turns.next)

    async def elsewhere(self, work: Callable[[], T]) -> T:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="long-work")
        return await asyncio.get_running_loop().run_in_executor(self._threads, copy_context().run, work)

    def close(self) -> None:
        """What has not begun never will."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
