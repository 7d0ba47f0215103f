"""A watch that notes which object each event is about, and when it came."""

from __future__ import annotations

import asyncio
import time

from tests.bench.http.connection import Connection

LAST = "zzz-last"
"""The object after which nothing more is expected."""

_NAME = b'"name":"'
_LAST = LAST.encode()


class Watcher(Connection):
    """`ask` returns with the head of the answer, and the events follow. `seen` has names and times, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[bytes, float]] = []
        self.has_last = asyncio.Event()
        self._streaming = False
        self._rest = b""

    def data_received(self, data: bytes) -> None:
        if self._streaming:
            self._read(data)
            return
        head, found, rest = (self._head + data).partition(b"\r\n\r\n")
        if not (found and head.startswith(b"HTTP/1.1 200")):
            super().data_received(data)
            return
        self._streaming = True
        assert self._answered is not None
        self._answered.set_result(head)
        self._read(rest)

    def _read(self, data: bytes) -> None:
        """One line is one event; what frames the chunks stands on lines of its own, and names nothing."""
        now = time.perf_counter()
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            at = line.find(_NAME)
            if at >= 0:
                start = at + len(_NAME)
                name = line[start : line.index(b'"', start)]
                self.seen.append((name, now))
                if name == _LAST:
                    self.has_last.set()
