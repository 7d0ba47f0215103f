"""What only a plane of `kctl up` can be asked: its instruments (localplane/instruments)."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from kctl import program
from kctl.errors import KctlError
from kctl.session.session import Session
from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.light_typing import Any
from localplane.client.transport.interface import Response

_ROOT = "/localplane/v1/"
_JSON = ("Content-Type", "application/json")
_BYTES = ("Content-Type", "application/octet-stream")


async def ask(
    session: Session, method: str, path: str, *, query: Sequence[tuple[str, str]] = (), body: Any = None
) -> Any:
    """What an instrument answers to `path`, which begins with its name. Raises KctlError where there is none, and
    APIError for whatever it refuses."""
    content = None if body is None else orjson.dumps(body)
    headers = () if body is None else (_JSON,)
    try:
        answer = await session.client.request(method, _ROOT + path, query=query, headers=headers, body=content)
    except NotFound as error:
        raise _without_instruments(session, error) from error
    return orjson.loads(answer.body) if answer.body else None


async def follow(session: Session, path: str, *, query: Sequence[tuple[str, str]] = ()) -> Response:
    """The same for an answer that goes on; the caller reads its chunks, and closes it."""
    try:
        return await session.client.stream("GET", _ROOT + path, query=query)
    except NotFound as error:
        raise _without_instruments(session, error) from error


async def send(session: Session, path: str, content: bytes) -> Any:
    """What an instrument answers to bytes that are no JSON."""
    try:
        answer = await session.client.request("POST", _ROOT + path, headers=(_BYTES,), body=content)
    except NotFound as error:
        raise _without_instruments(session, error) from error
    return orjson.loads(answer.body)


async def fetch(session: Session, path: str) -> bytes:
    """The bytes that an instrument has, whatever they are."""
    try:
        answer = await session.client.request("GET", _ROOT + path, headers=(("Accept", "*/*"),))
    except NotFound as error:
        raise _without_instruments(session, error) from error
    return answer.body


def _without_instruments(session: Session, error: NotFound) -> APIError | KctlError:
    """A plane says what it has not; another server does not know the path at all."""
    if error.status().get("details", {}).get("kind") == "instruments":
        return error
    server = session.client_config.server
    return KctlError(
        f"{session.command} asks a plane that `{program.name()} up` started, and {server} is another server"
    )
