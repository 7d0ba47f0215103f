"""A connection whose other end is a list of what was written: for tests that count writes or let time jump."""

from __future__ import annotations

import asyncio

from localplane.apiserver.storage.etcd.client import KeepAliveTimes, frames
from localplane.apiserver.storage.etcd.client.connection import Connection


class Wire(asyncio.WriteTransport):
    def __init__(self, keep_alive: KeepAliveTimes | None = None) -> None:
        super().__init__()
        self.written: list[bytes] = []
        self.aborted = False
        self.connection = Connection(
            authority="localhost", secure=False, keep_alive=keep_alive or KeepAliveTimes(), on_closed=lambda _: None
        )
        self.connection.connection_made(self)
        self.connection.data_received(frames.settings({}))
        self.written.clear()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written.append(bytes(data))

    def close(self) -> None:
        self.connection.connection_lost(None)

    def abort(self) -> None:
        self.aborted = True
        self.connection.connection_lost(None)

    def kinds(self) -> list[int]:
        """The kind of each frame written, one frame a write."""
        return [frames.HEAD.unpack_from(each)[2] for each in self.written]
