"""Rate limiters and back-off, on a clock that stands still."""

from __future__ import annotations

from datetime import timedelta

import pytest

from localplane.client.workqueue.rate_limiters import (
    Backoff,
    BackoffPolicy,
    BucketRateLimiter,
    ItemExponentialFailureRateLimiter,
    ItemFastSlowRateLimiter,
    MaxOfRateLimiter,
    default_controller_rate_limiter,
)

MS = timedelta(milliseconds=1)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_each_item_doubles_its_delay_by_itself_up_to_the_maximum() -> None:
    limiter = ItemExponentialFailureRateLimiter(MS, timedelta(milliseconds=10))
    assert [limiter.when("a") / MS for _ in range(6)] == [1, 2, 4, 8, 10, 10]
    assert limiter.when("b") == MS
    assert (limiter.num_requeues("a"), limiter.num_requeues("b")) == (6, 1)
    limiter.forget("a")
    assert (limiter.when("a"), limiter.num_requeues("a")) == (MS, 1)


def test_an_item_may_fail_for_ever() -> None:
    limiter = ItemExponentialFailureRateLimiter()
    for _ in range(5000):
        delay = limiter.when("a")
    assert delay == timedelta(seconds=1000)


def test_a_bucket_lets_a_burst_through_and_then_one_at_a_time() -> None:
    clock = Clock()
    bucket = BucketRateLimiter(per_second=10, burst=3, clock=clock)
    assert [bucket.when(item) / MS for item in "abcde"] == pytest.approx([0, 0, 0, 100, 200])
    clock.now = 0.2
    assert bucket.when("f") / MS == pytest.approx(100)
    clock.now = 100
    assert [bucket.when(item) / MS for item in "abcd"] == pytest.approx([0, 0, 0, 100])
    assert bucket.num_requeues("a") == 0


def test_fast_attempts_come_before_slow_ones() -> None:
    limiter = ItemFastSlowRateLimiter(MS, 50 * MS, fast_attempts=2)
    assert [limiter.when("a") / MS for _ in range(4)] == [1, 1, 50, 50]
    limiter.forget("a")
    assert limiter.when("a") == MS


def test_the_slowest_limiter_decides() -> None:
    limiter = MaxOfRateLimiter(
        ItemFastSlowRateLimiter(5 * MS, 5 * MS, fast_attempts=1), ItemExponentialFailureRateLimiter(2 * MS)
    )
    assert [limiter.when("a") / MS for _ in range(4)] == [5, 5, 8, 16]
    assert limiter.num_requeues("a") == 4
    limiter.forget("a")
    assert limiter.num_requeues("a") == 0


def test_the_default_is_kubernetes_own() -> None:
    limiter = default_controller_rate_limiter()
    assert [limiter.when("a") / MS for _ in range(3)] == [5, 10, 20]


def test_pauses_double_with_jitter_and_start_again_after_a_quiet_time() -> None:
    clock = Clock()
    policy = BackoffPolicy(initial=MS, maximum=5 * MS, jitter=1.0, reset_after=timedelta(seconds=10))
    backoff = Backoff(policy, clock=clock, chance=lambda: 0.5)
    assert [backoff.pause() / MS for _ in range(5)] == [1.5, 3, 6, 7.5, 7.5]
    clock.now = 10
    assert backoff.pause() / MS == 7.5
    clock.now = 20.1
    assert backoff.pause() / MS == 1.5
