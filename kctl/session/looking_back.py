"""A transport for which the objects of a plane are those of another time (localplane/instruments/history)."""

from __future__ import annotations

from localplane.client.transport import interface

_AT = "/localplane/v1/history/at/"
_ESCAPED = {"%": "%25", "/": "%2F", "?": "%3F", "#": "%23", " ": "%20"}


class LookingBack:
    """What is no object and no list of them (discovery, versions) is as it is now."""

    def __init__(self, transport: interface.Transport, at: str) -> None:
        self._transport = transport
        self._before = _AT + "".join(_ESCAPED.get(letter, letter) for letter in at)

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: interface.Pairs = (),
        headers: interface.Pairs = (),
        body: bytes | None = None,
    ) -> interface.Response:
        if method == "GET" and _is_of_objects(path):
            path = self._before + path
        return await self._transport.request(method, path, query=query, headers=headers, body=body)

    async def close(self) -> None:
        await self._transport.close()


def _is_of_objects(path: str) -> bool:
    """/api/v1/pods, /apis/apps/v1/deployments, and all below them."""
    parts = path.strip("/").split("/")
    return len(parts) > {"api": 2, "apis": 3}.get(parts[0], len(parts))
