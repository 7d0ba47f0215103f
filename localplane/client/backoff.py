"""Pauses that grow while things go wrong."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class BackoffPolicy:
    """Each pause is at least `initial`, twice the last, at most `maximum`, and up to `jitter` times itself longer.

    After `reset_after` without one, they start small again. The numbers are those of client-go's reflector.
    """

    initial: timedelta = timedelta(milliseconds=800)
    maximum: timedelta = timedelta(seconds=30)
    jitter: float = 1.0
    reset_after: timedelta = timedelta(minutes=2)


class Backoff:
    def __init__(
        self,
        policy: BackoffPolicy,
        *,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._policy = policy
        self._clock = clock
        self._chance = chance
        self._next = policy.initial
        self._last = clock()

    def pause(self) -> timedelta:
        """How long to wait now."""
        now = self._clock()
        if now - self._last > self._policy.reset_after.total_seconds():
            self._next = self._policy.initial
        self._last = now
        pause = min(self._next, self._policy.maximum)
        self._next = min(self._next * 2, self._policy.maximum)
        return pause * (1.0 + self._policy.jitter * self._chance())
