"""An event loop whose clock jumps: a test that waits for a minute takes no time, and is the same every time."""

from __future__ import annotations

import asyncio
import functools
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec

P = ParamSpec("P")

# A story that has not ended after this many of its own seconds is waiting for something that does not come.
_LONGEST_STORY = 3600.0


class NothingLeftToWaitFor(Exception):
    """Every task waits, and no timer is set that could wake one."""


class _JumpingSelector(selectors.SelectSelector):
    """Never waits: where a real one would sleep, the clock is put forward instead."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready:
            return ready
        if timeout is None:
            raise NothingLeftToWaitFor
        self.now += max(timeout, 0.0)
        return []


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


def virtual_time(story: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Run an async test in virtual time, and fail it if it leaves a task or an error behind."""

    @functools.wraps(story)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
            runner.run(_watched(story(*args, **kwargs)))

    return run


async def _watched(story: Coroutine[Any, Any, None]) -> None:
    unhandled: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: unhandled.append(context))
    async with asyncio.timeout(_LONGEST_STORY):
        await story
    await settle()
    left = asyncio.all_tasks() - {asyncio.current_task()}
    assert not left, f"tasks were left behind: {left}"
    assert not unhandled, f"errors that nobody looked at: {unhandled}"


async def settle() -> None:
    """Let everything that can go on without time passing go on."""
    for _ in range(20):
        await asyncio.sleep(0)


async def until(condition: Callable[[], bool]) -> None:
    """Let time pass until something is true."""
    for _ in range(10_000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not become true")


def now() -> float:
    return asyncio.get_running_loop().time()
