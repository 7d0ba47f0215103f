"""How work grows with its input, told so that a busy machine makes a run longer, and no case fail.

Work that grows with the square of its input takes sixteen times as long for four times as much, linear work four times.
`exponent` says which it is: about 1 for linear work, 2 for the square. A case is measured again, and more carefully,
before anybody hears that it grows too fast.

The clock is that of the thread, which stands still while others run. That of the process would do so in steps of
milliseconds, as long as the timer is set that ends what would take for ever.
"""

from __future__ import annotations

import gc
import math
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

Work = Callable[[int], Callable[[], Any]]

HIGHEST_EXPONENT = 1.5
"""Between linear work, with a logarithm or a cache that is too small now and then, and its square."""

_UNNOTICED = 0.002  # seconds: whatever takes less for a large input does not keep anybody waiting
_SUSPICIOUS = 1.15  # as an exponent: worth a second look
_CONSPICUOUS = 1.3  # the same for inputs that are so large that a square shows itself
_LIMIT = 10.0  # seconds: nothing that is linear takes as long
_TRIALS = 12
_PAUSE = 0.02  # seconds, and more before each trial: what others do to the caches of the machine passes


class TookTooLong(BaseException):
    """As an interrupt, so that nothing on the way takes it for an error of its own."""


@dataclass(frozen=True, slots=True)
class Growth:
    """What a small and a large input cost."""

    small: int
    large: int
    small_seconds: float
    large_seconds: float

    @property
    def exponent(self) -> float:
        if self.large_seconds <= _UNNOTICED:
            return 0.0
        if self.large_seconds >= _LIMIT:
            return math.inf
        return math.log(self.large_seconds / self.small_seconds) / math.log(self.large / self.small)

    def __str__(self) -> str:
        return (
            f"n={self.small}: {self.small_seconds * 1e3:.2f} ms, n={self.large}: {self.large_seconds * 1e3:.2f} ms, "
            f"which grows as n**{self.exponent:.1f}"
        )


def growth_of(work: Work, *, largest: int) -> Growth:
    """`work` makes the input of a size, and returns what is to be measured.

    What looks suspicious up to the largest size is looked at again with inputs up to eight times as large, where a
    square can't hide behind linear work that takes longer at first; and what grows too fast there, once more with four
    times as much: what has only come into a slower gear, where a cache is too small, is linear again.
    """
    much = work(largest)
    seconds = _once(much)
    if seconds <= _UNNOTICED:
        return Growth(largest // 4, largest, seconds, seconds)
    found = Growth(largest // 4, largest, _once(work(largest // 4)), seconds)
    if found.exponent < _SUSPICIOUS:
        return found
    if seconds >= _LIMIT:
        return _compared(work, max(largest // 64, 1), max(largest // 8, 8), trials=1)
    found = _compared(work, largest, largest * 8, trials=_TRIALS)
    if found.exponent < HIGHEST_EXPONENT or found.large_seconds >= _LIMIT:
        return found
    return _compared(work, largest * 8, largest * 32, trials=_TRIALS)


def too_fast(inputs: Mapping[str, Work], *, moderate: int) -> list[str]:
    """What is to be said of the inputs whose work grows faster than they do."""
    found = {name: growth_of(work, largest=moderate) for name, work in inputs.items()}
    return [f"{name}: {growth}" for name, growth in found.items() if growth.exponent >= HIGHEST_EXPONENT]


def growth_within(work: Work, *, smallest: int, largest: int, seconds: float) -> Growth:
    """Four times as much each time, up to the largest size or as far as the seconds last. The last two sizes tell.

    What looks suspicious there gets more time than it was given.
    """
    ends = time.monotonic() + seconds
    size, before, cost = smallest, 0.0, _once(work(smallest))
    while size * 4 <= largest and cost < _LIMIT:
        left = ends - time.monotonic()
        if before and left < 4 * cost:
            break
        size, before, cost = size * 4, cost, _once(work(size * 4))
    found = Growth(size // 4, size, before or cost, cost)
    if found.exponent < _CONSPICUOUS:
        return found
    if cost >= _LIMIT:
        return _compared(work, max(size // 64, 1), max(size // 16, 4), trials=1)
    found = _compared(work, size // 4, size, trials=_TRIALS, until=_CONSPICUOUS)
    if found.exponent < _CONSPICUOUS or size * 4 > 4 * largest:
        return found
    return _compared(work, size, size * 4, trials=_TRIALS)


def _compared(work: Work, small: int, large: int, *, trials: int, until: float = HIGHEST_EXPONENT) -> Growth:
    """The least of all trials counts, of either size."""
    few, much = work(small), work(large)
    found = Growth(small, large, min(_once(few), _once(few)), _once(much))
    for trial in range(trials - 1):
        if found.exponent < until:
            break
        time.sleep(trial * _PAUSE)
        found = Growth(small, large, min(found.small_seconds, _once(few)), min(found.large_seconds, _once(much)))
    return found


def _once(measured: Callable[[], Any]) -> float:
    gc.collect(0)
    with _without_collecting(), _limited():
        started = time.thread_time()
        try:
            measured()
        except TookTooLong:
            return _LIMIT
        return time.thread_time() - started


@contextmanager
def _without_collecting() -> Iterator[None]:
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextmanager
def _limited() -> Iterator[None]:
    """What grows exponentially would never come back. The clock runs only while we do."""

    def stop(*_: Any) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, _LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
