"""Requests in somebody else's name, and under a program's own: what a server sees of a controller."""

from __future__ import annotations

from collections.abc import Sequence

from .transport import Pairs, Response, Transport


class ActingTransport:
    """Sends what it is given through another transport, as `user`. Closing it leaves the other one open.

    `agent` is the User-Agent, whose first word is who the changed fields belong to.
    """

    def __init__(self, transport: Transport, *, user: str, groups: Sequence[str] = (), agent: str = "") -> None:
        self._transport = transport
        self._headers = [("Impersonate-User", user), *(("Impersonate-Group", group) for group in groups)]
        if agent:
            self._headers.append(("User-Agent", agent))

    async def request(
        self, method: str, path: str, *, query: Pairs = (), headers: Pairs = (), body: bytes | None = None
    ) -> Response:
        return await self._transport.request(method, path, query=query, headers=[*headers, *self._headers], body=body)

    async def close(self) -> None:
        """The transport belongs to the client that this one was made from."""
