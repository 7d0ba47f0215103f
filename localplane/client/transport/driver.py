"""Running a coroutine without an event loop, as long as all it awaits is done at once.

Importing asyncio costs more than everything else that a short command does.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Coroutine

from localplane.apimachinery.light_typing import Any, TypeVar, cast

T = TypeVar("T")


class WouldSuspend(RuntimeError):
    """It awaits something that an event loop would have to bring about."""


def drive(make: Callable[[], Awaitable[T]], *, loop_if_needed: bool = False) -> T:
    """The result. With `loop_if_needed` a coroutine that suspends is made anew and gets an event loop."""
    coroutine = cast("Coroutine[Any, Any, T]", make())
    try:
        coroutine.send(None)
    except StopIteration as finished:
        return cast("T", finished.value)
    except RuntimeError as error:
        if not (loop_if_needed and "event loop" in str(error)):
            raise
    else:
        coroutine.close()
        if not loop_if_needed:
            raise WouldSuspend("a coroutine that was to be driven without an event loop awaits one")
    import asyncio

    return asyncio.run(cast("Coroutine[Any, Any, T]", make()))


async def sleep(seconds: float) -> None:
    """asyncio.sleep's place in such a coroutine."""
    time.sleep(seconds)  # noqa: ASYNC251 - there is no loop to be held up
