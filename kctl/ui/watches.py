"""Many watches over one WebSocket: browsers open six connections to a host, and a console watches more.

    from the page   {"id": 1, "path": "/api/v1/pods?watch=true&...", "accept": "..."}      {"id": 1, "stop": true}
                    {"id": 2, "path": "counts?namespace=..."}: how many there are of each kind, as it changes (`census`)
    to the page     {"id": 1, "lines": [{...}, {...}]}, as they come, and in the end {"id": 1, "end": {a Status}}

A path is one that passes (`passage`), and is read only. What a page does not read holds up its own watches alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, Final

import orjson
from aiohttp import WSMsgType, web

from kctl.ui import passage
from kctl.ui.census import Census
from kctl.ui.gate import Refused
from localplane.client.errors import ClientError
from localplane.client.transport.interface import Transport

_MOST: Final = 64
_COUNTS: Final = "counts?namespace="
_LONGEST_MESSAGE: Final = 64 * 1024
_HEARTBEAT: Final = 20.0  # seconds


class Watches:
    """Those of one page; `transport` leads to the API."""

    def __init__(self, transport: Transport, census: Census) -> None:
        self._transport = transport
        self._census = census
        self._tasks: dict[int, asyncio.Task[None]] = {}

    async def serve(self, request: web.BaseRequest) -> web.WebSocketResponse:
        """Until the page goes."""
        socket = web.WebSocketResponse(heartbeat=_HEARTBEAT, max_msg_size=_LONGEST_MESSAGE)
        await socket.prepare(request)
        try:
            async with asyncio.TaskGroup() as group:
                async for message in socket:
                    if message.type is not WSMsgType.TEXT:
                        break
                    self._hear(message.data, socket, group)
                for task in self._tasks.values():
                    task.cancel()
        finally:
            await socket.close()
        return socket

    def _hear(self, text: str, socket: web.WebSocketResponse, group: asyncio.TaskGroup) -> None:
        try:
            said: Any = orjson.loads(text)
            number, path, stop = int(said["id"]), str(said.get("path", "")), bool(said.get("stop"))
            accept = str(said.get("accept") or "application/json")
        except (ValueError, TypeError, KeyError, AttributeError):
            return  # our page says nothing of the kind
        if stop or number in self._tasks:
            if (task := self._tasks.pop(number, None)) is not None:
                task.cancel()
            return
        self._tasks[number] = group.create_task(self._watch(number, path, accept, socket))

    async def _watch(self, number: int, path: str, accept: str, socket: web.WebSocketResponse) -> None:
        status: dict[str, Any] = {}
        try:
            if path.startswith(_COUNTS):
                await self._count(number, path.removeprefix(_COUNTS), socket)
                return
            passage.check("GET", path.partition("?")[0], read_only=True)
            if len(self._tasks) > _MOST:
                raise Refused(429, f"a page has {_MOST} watches at most")
            answer = await self._transport.request("GET", path, headers=[("Accept", accept)])
            try:
                if answer.status == 200:
                    async for lines in _lines(answer.chunks()):
                        await socket.send_str(f'{{"id":{number},"lines":[{lines}]}}')
                else:
                    status = _status(answer.status, await answer.read())
            finally:
                await answer.close()
        except Refused as error:
            status = {"code": error.status, "message": str(error)}
        except ClientError as error:
            status = {"code": 502, "message": str(error)}
        except (ConnectionError, RuntimeError):
            return  # the page has gone
        if self._tasks.pop(number, None) is not None and not socket.closed:
            await socket.send_str(orjson.dumps({"id": number, "end": status}).decode())

    async def _count(self, number: int, namespace: str, socket: web.WebSocketResponse) -> None:
        """Until the page wants no more of it, or goes."""
        async with aclosing(self._census.follow(namespace)) as tellings:
            async for telling in tellings:
                await socket.send_str(f'{{"id":{number},"lines":[{orjson.dumps(telling).decode()}]}}')


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """The whole lines of each piece, with commas between them: the server writes one document in each."""
    begun: list[bytes] = []
    async for chunk in chunks:
        whole, newline, rest = chunk.rpartition(b"\n")
        if not newline:
            begun.append(rest)
            continue
        lines = [line for line in b"".join([*begun, whole]).split(b"\n") if line.strip()]
        begun = [rest] if rest else []
        if lines:
            yield b",".join(lines).decode()


def _status(code: int, body: bytes) -> dict[str, Any]:
    try:
        status: Any = orjson.loads(body)
    except ValueError:
        status = None
    return status if isinstance(status, dict) else {"code": code, "message": body[:1000].decode(errors="replace")}
