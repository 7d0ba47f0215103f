"""A path of the server's, asked as it stands: --raw of get, create, replace and delete."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

if TYPE_CHECKING:
    from kctl.session import Session


async def raw_request(session: Session, method: str, path: str, *, body: bytes | None = None) -> None:
    """Write the answer as it comes. Kubernetes: kubectl/pkg/rawhttp."""
    import sys

    parts = urlsplit(path)
    query = parse_qsl(parts.query, keep_blank_values=True)
    headers = [("Accept", "application/json, */*")]
    if body is not None:
        headers.append(("Content-Type", "application/json"))
        answer = await session.client.request(method, parts.path, query=query, headers=headers, body=body)
        session.write(answer.body.decode("utf-8", "replace"))
        return
    response = await session.client.stream(method, parts.path, query=query, headers=headers)
    async for chunk in response.chunks():
        if session.is_terminal:
            session.write(chunk.decode("utf-8", "replace"))
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(chunk)
            sys.stdout.buffer.flush()
