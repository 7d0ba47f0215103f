"""The line protocol between harness and host: one JSON object a line, an answer for each request, in order.

A request for a watch turns its connection into a stream of lines with events, ended by a line that says why.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

Message = dict[str, Any]

_LONGEST_LINE = 64 * 1024 * 1024


class Disconnected(Exception):
    """The other side is gone."""


class Line:
    """One connection, as whole messages."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def connect(cls, socket: Path) -> Line:
        try:
            return cls(*await asyncio.open_unix_connection(socket, limit=_LONGEST_LINE))
        except OSError as error:
            raise Disconnected(str(error)) from error

    async def send(self, message: Message) -> None:
        try:
            self._writer.write(json.dumps(message).encode() + b"\n")
            await self._writer.drain()
        except OSError as error:
            raise Disconnected(str(error)) from error

    async def receive(self) -> Message:
        try:
            line = await self._reader.readline()
        except OSError as error:
            raise Disconnected(str(error)) from error
        if not line.endswith(b"\n"):
            raise Disconnected("the end of the stream")
        message: Message = json.loads(line)
        return message

    async def ask(self, request: Message) -> Message:
        await self.send(request)
        return await self.receive()

    def close(self) -> None:
        self._writer.close()
