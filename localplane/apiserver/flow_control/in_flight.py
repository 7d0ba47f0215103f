"""Requests in flight, reading and mutating ones apart. Kubernetes: apiserver/pkg/server/filters/maxinflight.go."""

from __future__ import annotations

DEFAULT_READ_LIMIT = 400
DEFAULT_MUTATING_LIMIT = 200


class Counter:
    """How many are inside, at most how many since the last look, and how many were turned away.

    A limit of 0 means no limit, as in Kubernetes' flags.
    """

    __slots__ = ("_highest", "current", "limit", "rejected")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.current = 0
        self.rejected = 0
        self._highest = 0

    def try_enter(self) -> bool:
        if self.limit and self.current >= self.limit:
            return False
        self.current += 1
        self._highest = max(self._highest, self.current)
        return True

    def leave(self) -> None:
        self.current -= 1

    def take_highest(self) -> int:
        """The high-water mark since it was last taken: what a metric samples."""
        highest, self._highest = self._highest, self.current
        return highest


class InFlight:
    def __init__(self, *, read_limit: int = DEFAULT_READ_LIMIT, mutating_limit: int = DEFAULT_MUTATING_LIMIT) -> None:
        self.reads = Counter(read_limit)
        self.mutations = Counter(mutating_limit)
