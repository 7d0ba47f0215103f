"""Python's collector walks through all that lives to find what doesn't, and nobody is answered meanwhile.

Objects of the cache are there to stay, and go by their count when they go: to walk through fifty thousand of them takes
a tenth of a second, and finds nothing. So what survived a walk that took long is not walked through again. A circle
among it that becomes garbage later is never found: that is a handful of requests which were open at that moment, each
time some ten thousand objects have come to stay.
"""

from __future__ import annotations

import gc
import time
from datetime import timedelta

_WHOLE = 2  # the generation whose collection walks through everything


class ShortWalks:
    """For programs that are a server, from when it is ready. Raises nothing; `stop` is for tests."""

    def __init__(self, *, longest: timedelta = timedelta(milliseconds=10)) -> None:
        self._longest = longest.total_seconds()
        self._began = 0.0

    def start(self) -> None:
        """What is there now has been made to stay."""
        gc.freeze()
        gc.callbacks.append(self._on_walk)
        gc.enable()

    def stop(self) -> None:
        gc.callbacks.remove(self._on_walk)

    def _on_walk(self, phase: str, info: dict[str, int]) -> None:
        if info["generation"] != _WHOLE:
            return
        if phase == "start":
            self._began = time.thread_time()
        elif time.thread_time() - self._began > self._longest:
            gc.freeze()
