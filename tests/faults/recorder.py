"""Where clients write down what they did and saw."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from itertools import count

from tests.faults.history import Operation, Outcome, Stream


class Recorder:
    """One for a run; everything in it happens on one event loop and one clock."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        self.streams: list[Stream] = []
        self.errors: Counter[str] = Counter()
        self.watch_ends: Counter[str] = Counter()
        self._numbers = count(1)
        self._acknowledged: list[Operation] = []
        self._news = asyncio.Event()

    @staticmethod
    def now() -> float:
        return time.monotonic()

    def number(self) -> int:
        return next(self._numbers)

    def record(self, operation: Operation, error: str = "") -> None:
        self.operations.append(operation)
        if operation.outcome in (Outcome.UNKNOWN, Outcome.FAILED):
            self.errors[error.partition(":")[0]] += 1
        if operation.acknowledged_write:
            self._acknowledged.append(operation)
            self._news.set()

    async def count(self, operations: int) -> None:
        """Return when so many operations have been recorded."""
        while len(self.operations) < operations:
            self._news.clear()
            await self._news.wait()

    async def acknowledged_write(self, *, called_after: float) -> float:
        """When the first write returned that was called after a moment, and that succeeded."""
        while True:
            for operation in self._acknowledged:
                if operation.called > called_after:
                    return operation.returned
            self._acknowledged.clear()  # older than anything that will be asked for
            self._news.clear()
            await self._news.wait()
