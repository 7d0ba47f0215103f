"""A transport without sockets: answers from a script, and a record of what was asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from localplane.client.rest.client import Client
from localplane.client.transport.interface import BufferedResponse, Pairs


@dataclass(frozen=True)
class Asked:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes | None


def answer(status: int, body: Any = b"", **headers: str) -> BufferedResponse:
    named = [(name.replace("_", "-"), value) for name, value in headers.items()]
    if isinstance(body, bytes):
        return BufferedResponse(status, named, body)
    return BufferedResponse(status, [("Content-Type", "application/json"), *named], json.dumps(body).encode())


class ScriptedTransport:
    def __init__(self, respond: Callable[[Asked], BufferedResponse]) -> None:
        self._respond = respond
        self.asked: list[Asked] = []
        self.closed = False

    async def request(
        self, method: str, path: str, *, query: Pairs = (), headers: Pairs = (), body: bytes | None = None
    ) -> BufferedResponse:
        asked = Asked(method, path, dict(query), dict(headers), body)
        self.asked.append(asked)
        return self._respond(asked)

    async def close(self) -> None:
        self.closed = True


def in_turn(*answers: BufferedResponse | Exception) -> ScriptedTransport:
    left = list(answers)

    def respond(_: Asked) -> BufferedResponse:
        following = left.pop(0)
        if isinstance(following, Exception):
            raise following
        return following

    return ScriptedTransport(respond)


def client_over(transport: ScriptedTransport, pauses: list[float] | None = None, **options: Any) -> Client:
    async def pause(seconds: float) -> None:
        if pauses is not None:
            pauses.append(seconds)

    return Client(transport, sleep=pause, **options)
