"""A transport that adds headers to whatever goes through it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from localplane.client.transport import Pairs, Response, Transport


class WithHeaders:
    def __init__(self, transport: Transport, extra: Pairs) -> None:
        self._transport = transport
        self._extra = extra

    async def request(
        self, method: str, path: str, *, query: Pairs = (), headers: Pairs = (), body: bytes | None = None
    ) -> Response:
        return await self._transport.request(method, path, query=query, headers=[*headers, *self._extra], body=body)

    async def close(self) -> None:
        await self._transport.close()
