"""Two servers that are asked the same at the same time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from localplane.client.errors import ConnectionFailed
from localplane.client.kubeconfig import load, resolve
from localplane.client.transport.aiohttp_transport import HTTPTransport
from localplane.client.transport.interface import Pairs, Transport
from localplane.client.transport.interface import Response as TransportResponse

JSON = "application/json"
NO_ANSWER = 0
_ALWAYS = (
    ("User-Agent", "differential/1"),
    ("Accept-Encoding", "identity"),
    ("Impersonate-User", "differential"),  # objects tell who asked for them
    ("Impersonate-Group", "system:masters"),
)
_TOLD = ("content-type", "warning")


@dataclass(frozen=True, slots=True)
class Step:
    """One request. `body` is a JSON value, or a text that is sent as it is. What reads "$resourceVersion" in it is
    filled in with what the server said last of the object."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: Any = None
    content_type: str = JSON
    accept: str = JSON

    def shown(self) -> dict[str, Any]:
        query = "&".join(f"{name}={value}" for name, value in self.query)
        request = f"{self.method} {self.path}{'?' + query if query else ''}"
        return {"request": request, "accept": self.accept, "contentType": self.content_type, "body": self.body}


@dataclass(frozen=True, slots=True)
class Reply:
    """`headers` are those that say something of the object, sorted. A watch has a value for each event."""

    status: int
    headers: tuple[tuple[str, str], ...]
    value: Any


@dataclass(slots=True)
class Server:
    """`last` is what it said last of the object that the story is about."""

    transport: Transport
    last: str = ""
    asked: int = field(default=0)

    async def ask(self, step: Step) -> Reply:
        self.asked += 1
        headers: Pairs = [("Accept", step.accept), *_ALWAYS]
        body = self._body(step)
        if body is not None:
            headers = [*headers, ("Content-Type", step.content_type)]
        query = [(name, value.replace("$resourceVersion", self.last or "1")) for name, value in step.query]
        try:
            response = await self.transport.request(step.method, step.path, query=query, headers=headers, body=body)
            reply = _reply(response, await response.read(), is_watch=("watch", "true") in step.query)
        except ConnectionFailed:
            return Reply(NO_ANSWER, (), None)
        if reply.status < 400 and isinstance(reply.value, dict) and "metadata" in reply.value:
            self.last = (reply.value["metadata"] or {}).get("resourceVersion") or self.last
        return reply

    def _body(self, step: Step) -> bytes | None:
        if step.body is None:
            return None
        text = step.body if isinstance(step.body, str) else json.dumps(step.body)
        return text.replace("$resourceVersion", self.last or "1").encode()


def _reply(response: TransportResponse, body: bytes, *, is_watch: bool) -> Reply:
    told = sorted((name.lower(), value) for name, value in response.headers if name.lower() in _TOLD)
    text = body.decode("utf-8", "replace")
    try:
        value: Any = [json.loads(line) for line in text.splitlines()] if is_watch else json.loads(text)
    except ValueError:
        value = text
    return Reply(response.status, tuple(told), value)


def server_at(kubeconfig: Path) -> Server:
    return Server(HTTPTransport(resolve(load(kubeconfig))))


async def both(servers: Sequence[Server], step: Step) -> tuple[Reply, Reply]:
    first, second = await asyncio.gather(*(server.ask(step) for server in servers))
    return first, second
