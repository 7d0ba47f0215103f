"""The instruments of a plane by name, and the router that finds them: /localplane/v1/NAME and all below."""

from __future__ import annotations

import ipaddress
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any, Final

import orjson

from localplane.apimachinery.errors import BadRequest, Forbidden, MethodNotAllowed, NotFound
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.time_slices import TimeSlices
from localplane.apiserver.request import Answer, Request, Response

ROOT: Final = "/localplane/v1/"

Instrument = Callable[[Request, str], Awaitable[Answer]]
"""Answers a request; the text is what its path has after the instrument's name, without the slash between them."""

_MAX_BODY_BYTES: Final = 1024 * 1024


class Instruments:
    """Whoever has an instrument mounts it before the server runs."""

    def __init__(self) -> None:
        self._by_name: dict[str, Instrument] = {}

    def mount(self, name: str, instrument: Instrument) -> None:
        """Raises ValueError if there is one of this name."""
        if name in self._by_name:
            raise ValueError(f"there are two instruments named {name}")
        self._by_name[name] = instrument

    async def handle(self, request: Request) -> Answer | None:
        """The router. Clients inside of the server have no address, and are let."""
        if not request.path.startswith(ROOT):
            return None
        if request.remote and not _is_here(request.remote):
            raise Forbidden("the instruments of a plane are for clients on its own machine")
        name, _, rest = request.path.removeprefix(ROOT).partition("/")
        instrument = self._by_name.get(name)
        if instrument is None:
            raise missing(f"there is no instrument {go_quote(name)}; there are: {', '.join(sorted(self._by_name))}")
        return await instrument(request, rest)


def _is_here(address: str) -> bool:
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(parsed, "ipv4_mapped", None)
    return (mapped or parsed).is_loopback


def missing(message: str) -> NotFound:
    """What an instrument raises for what it has not: clients know it from a path that nobody serves."""
    return NotFound(message, details={"kind": "instruments"})


async def read_json(request: Request) -> Any:
    """What a client has sent. Raises BadRequest if it is no JSON."""
    body = await request.read_body(_MAX_BODY_BYTES)
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise BadRequest(f"the body is not JSON: {error}") from error


def answer_json(value: Any, status: int = 200) -> Response:
    return Response(status, orjson.dumps(value))


def answer_items(about: JSONObject, name: str, items: Iterable[bytes]) -> Response:
    """An object that has the items, each of them JSON, as a list under this name. They are made while they are sent,
    and nobody else waits for that: so what makes them raises nothing."""
    return Response(200, _with_items(orjson.dumps(about)[:-1], orjson.dumps(name), items))


async def _with_items(head: bytes, name: bytes, items: Iterable[bytes]) -> AsyncIterator[bytes]:
    slices = TimeSlices()
    pieces = [head, b"," if len(head) > 1 else b"", name, b":["]
    separator = b"\n"
    for item in items:
        pieces += (separator, item)
        separator = b",\n"
        if slices.is_over:
            yield b"".join(pieces)
            pieces.clear()
            await slices.next()
    yield b"".join([*pieces, b"\n]}\n"])


def allow(request: Request, *methods: str) -> None:
    """Raises MethodNotAllowed for any other."""
    if request.method not in methods:
        raise MethodNotAllowed(f"this path takes {' and '.join(methods)}, not {request.method}")
