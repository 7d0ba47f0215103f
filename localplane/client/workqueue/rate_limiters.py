"""Pauses that grow while things go wrong, and how long an item that failed has to wait.

Kubernetes: client-go/util/workqueue/default_rate_limiters.go.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol, TypeVar

from localplane.apimachinery.clock import elapsed


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


T_contra = TypeVar("T_contra", bound=Hashable, contravariant=True)


class RateLimiter(Protocol[T_contra]):
    """When an item that failed is tried again: later and later."""

    def when(self, item: T_contra) -> timedelta:
        """How long from now; every call counts as another failure."""

    def forget(self, item: T_contra) -> None:
        """It succeeded, or nobody will try again."""

    def num_requeues(self, item: T_contra) -> int: ...


class ItemExponentialFailureRateLimiter:
    """base, 2 base, 4 base ... for each item by itself."""

    def __init__(
        self, base: timedelta = timedelta(milliseconds=5), maximum: timedelta = timedelta(seconds=1000)
    ) -> None:
        self._base = base
        self._maximum = maximum
        self._failures: dict[Hashable, int] = {}

    def when(self, item: Hashable) -> timedelta:
        failures = self._failures.get(item, 0)
        self._failures[item] = failures + 1
        # Beyond 2**62 no base is short enough, and the product would leave what a timedelta can hold.
        seconds = self._base.total_seconds() * 2.0 ** min(failures, 62)
        return self._maximum if seconds >= self._maximum.total_seconds() else timedelta(seconds=seconds)

    def forget(self, item: Hashable) -> None:
        self._failures.pop(item, None)

    def num_requeues(self, item: Hashable) -> int:
        return self._failures.get(item, 0)


class ItemFastSlowRateLimiter:
    """A few quick attempts, then slow ones."""

    def __init__(self, fast: timedelta, slow: timedelta, *, fast_attempts: int) -> None:
        self._fast = fast
        self._slow = slow
        self._fast_attempts = fast_attempts
        self._failures: dict[Hashable, int] = {}

    def when(self, item: Hashable) -> timedelta:
        self._failures[item] = self._failures.get(item, 0) + 1
        return self._fast if self._failures[item] <= self._fast_attempts else self._slow

    def forget(self, item: Hashable) -> None:
        self._failures.pop(item, None)

    def num_requeues(self, item: Hashable) -> int:
        return self._failures.get(item, 0)


class BucketRateLimiter:
    """So many for all items together: `burst` at once, then `per_second`."""

    def __init__(self, per_second: float = 10.0, burst: int = 100, *, clock: Callable[[], float] = elapsed) -> None:
        self._per_second = per_second
        self._burst = float(burst)
        self._clock = clock
        self._tokens = float(burst)
        self._filled = clock()

    def when(self, item: Hashable) -> timedelta:  # noqa: ARG002 - all items share the bucket
        now = self._clock()
        self._tokens = min(self._burst, self._tokens + (now - self._filled) * self._per_second) - 1.0
        self._filled = now
        return timedelta(seconds=max(0.0, -self._tokens / self._per_second))

    def forget(self, item: Hashable) -> None:
        """What was taken from the bucket is gone."""

    def num_requeues(self, item: Hashable) -> int:  # noqa: ARG002 - it counts nothing
        return 0


class MaxOfRateLimiter:
    """As slow as the slowest of several."""

    def __init__(self, *limiters: RateLimiter[Hashable]) -> None:
        self._limiters = limiters

    def when(self, item: Hashable) -> timedelta:
        return max(limiter.when(item) for limiter in self._limiters)

    def forget(self, item: Hashable) -> None:
        for limiter in self._limiters:
            limiter.forget(item)

    def num_requeues(self, item: Hashable) -> int:
        return max(limiter.num_requeues(item) for limiter in self._limiters)


def default_controller_rate_limiter() -> RateLimiter[Hashable]:
    """client-go's: an item waits twice as long after each failure, from 5 ms up to 1000 s, and all of them together are
    tried at most ten times a second, after a burst of a hundred."""
    return MaxOfRateLimiter(ItemExponentialFailureRateLimiter(), BucketRateLimiter())
