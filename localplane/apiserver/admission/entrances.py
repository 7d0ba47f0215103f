"""Creates that are on their last step: from the last look at their namespace to the store's answer.

Admission may take its time, and a namespace may go meanwhile. Whoever empties a namespace first lets it be seen that it
is going, so that nobody passes any more, and then waits for those who have: no object comes into it afterwards.
"""

from __future__ import annotations

import asyncio


class Entrances:
    def __init__(self) -> None:
        self._inside: dict[str, int] = {}
        self._waiting: dict[str, asyncio.Event] = {}

    def enter(self, namespace: str) -> None:
        self._inside[namespace] = self._inside.get(namespace, 0) + 1

    def leave(self, namespace: str) -> None:
        left = self._inside[namespace] - 1
        if left:
            self._inside[namespace] = left
            return
        del self._inside[namespace]
        if (waiting := self._waiting.pop(namespace, None)) is not None:
            waiting.set()

    async def closed(self, namespace: str) -> None:
        """Until nobody is on the last step into this namespace. The caller has seen to it that nobody follows."""
        while namespace in self._inside:
            await self._waiting.setdefault(namespace, asyncio.Event()).wait()
