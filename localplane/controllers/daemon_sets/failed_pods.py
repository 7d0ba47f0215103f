"""How long a daemon that fails on a node stays there before it is replaced, so that nobody fights with a kubelet that
refuses it: a second, and twice as long each time. Kubernetes: client-go/util/flowcontrol/backoff.go as
pkg/controller/daemon uses it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

_FIRST: Final = 1.0
_LONGEST: Final = 15 * 60.0
_FORGOTTEN_AFTER: Final = 2 * _LONGEST
_SWEEP_EVERY: Final = 60.0


@dataclass(slots=True)
class _Entry:
    delay: float
    at: float


class FailedPodsBackoff:
    """By any key. `clock` counts seconds."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._entries: dict[str, _Entry] = {}
        self._swept = clock()

    def delay(self, key: str) -> timedelta | None:
        """What there is to wait, or None if it may be replaced; then the next will have to wait for longer."""
        now = self._clock()
        self._sweep(now)
        entry = self._entries.get(key)
        if entry is None or now - entry.at > _FORGOTTEN_AFTER:
            self._entries[key] = _Entry(_FIRST, now)
            return None
        if (left := entry.at + entry.delay - now) > 0:
            return timedelta(seconds=left)
        entry.delay, entry.at = min(2 * entry.delay, _LONGEST), now
        return None

    def _sweep(self, now: float) -> None:
        if now - self._swept >= _SWEEP_EVERY:
            self._swept = now
            kept = {key: entry for key, entry in self._entries.items() if now - entry.at <= _FORGOTTEN_AFTER}
            self._entries = kept
