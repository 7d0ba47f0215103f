"""What a controller has asked for and not yet seen: until then it must not count again, or it would do it twice.

An informer is always a little late. Kubernetes: pkg/controller/controller_utils.go, ControllerExpectations.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

_PATIENCE_SECONDS: Final = 300.0
"""Then something was lost on the way, and counting again is better than waiting for ever."""


@dataclass(slots=True)
class _Expected:
    since: float
    creations: int = 0
    deletions: set[str] = field(default_factory=set)


class Expectations:
    """By the key of the object whose controller waits. Deletions are told by the uid of what goes, so that none counts
    twice. `clock` counts seconds."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._expected: dict[str, _Expected] = {}

    def satisfied(self, key: str) -> bool:
        expected = self._expected.get(key)
        if expected is None:
            return True
        is_fulfilled = expected.creations <= 0 and not expected.deletions
        return is_fulfilled or self._clock() - expected.since >= _PATIENCE_SECONDS

    def expect(self, key: str, *, creations: int = 0, deletions: Iterable[str] = ()) -> None:
        """In the place of what was expected before."""
        self._expected[key] = _Expected(self._clock(), creations, set(deletions))

    def created(self, key: str, count: int = 1) -> None:
        """So many were seen, or will never come because they were refused."""
        if (expected := self._expected.get(key)) is not None:
            expected.creations -= count

    def deleted(self, key: str, uid: str) -> None:
        """It was seen to go, or will not go because that was refused."""
        if (expected := self._expected.get(key)) is not None:
            expected.deletions.discard(uid)

    def forget(self, key: str) -> None:
        self._expected.pop(key, None)
