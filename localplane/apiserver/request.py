"""A request on its way through the server, and the answer on its way back.

Nothing here knows the HTTP library: `server/http/http_server` translates at the edge, and tests make a Request by hand.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from localplane.apiserver.long_work import HERE, Here

T = TypeVar("T")

MAX_BODY_BYTES = 3 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class User:
    """Who asks. `extra` keys are lower case, as in Kubernetes' UserInfo."""

    name: str
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class RequestInfo:
    """What a method and a path mean: Kubernetes' endpoints/request.RequestInfo."""

    is_resource: bool
    path: str
    verb: str
    api_prefix: str = ""
    group: str = ""
    version: str = ""
    namespace: str = ""
    resource: str = ""
    subresource: str = ""
    name: str = ""
    parts: tuple[str, ...] = ()
    label_selector: str = ""
    field_selector: str = ""


class Query:
    """Query parameters as Go reads them: the first of a repeated one wins."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Sequence[str]]) -> None:
        self._values = values

    def get(self, name: str, default: str = "") -> str:
        values = self._values.get(name)
        return values[0] if values else default

    def all(self, name: str) -> Sequence[str]:
        return self._values.get(name, ())

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def __iter__(self) -> Any:
        return iter(self._values)


ReadBody = Callable[[int], Awaitable[bytes]]
"""Reads the body, at most so many bytes; raises BodyTooLarge beyond."""


class BodyTooLarge(Exception):
    pass


class Severed(Exception):
    """Raised by who answers a request and wants no answer, or no more of it, to reach its client: the connection ends
    as if a network had failed."""


@dataclass(frozen=True, slots=True)
class Transport:
    """How a request came: in which version of HTTP, whether nobody could read it on its way, and whether its head is
    larger than any may be."""

    version: tuple[int, int] = (1, 1)
    secure: bool = True
    head_too_large: bool = False


TLS: Final = Transport()
"""How nearly all come. Those from inside of the server count as such."""


@dataclass(slots=True)
class Request:
    """`headers` has lower-case names; repeated headers keep all values in `header_values`.

    `target` is path and query as they were sent, if somebody sent them. Filters fill in what they find out: `info`,
    `user` (and `impersonator`, who acts as that user), `deadline`, `audit`. `warnings` become Warning headers.
    `peer_certificates` is what a client has shown, in DER, its own certificate first: authentication judges them.
    `only_readable` is for readers inside of the server: lists and watches pass over what can't be read. `work` is where
    what takes long is done, and `heavy` tells that whatever is done with its object takes long.
    """

    method: str
    path: str
    query: Query
    headers: Mapping[str, str]
    read_body: ReadBody
    header_values: Callable[[str], Sequence[str]] = lambda _: ()
    remote: str = ""
    transport: Transport = TLS
    peer_certificates: tuple[bytes, ...] = ()
    target: str = ""
    user: User | None = None
    impersonator: User | None = None
    info: RequestInfo = field(default_factory=lambda: RequestInfo(is_resource=False, path="", verb=""))
    deadline: float | None = None
    only_readable: bool = False
    warnings: list[str] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)
    work: Here = HERE
    heavy: bool = False

    @property
    def namespace(self) -> str:
        return self.info.namespace

    async def do(self, work: Callable[[], T]) -> T:
        """What the work on its object returns: done here, or elsewhere if the request is heavy."""
        return await self.work.elsewhere(work) if self.heavy else work()


Body = bytes | Sequence[bytes] | AsyncIterator[bytes]


async def whole_body(body: Body) -> bytes:
    if isinstance(body, bytes):
        return body
    if isinstance(body, AsyncIterator):
        return b"".join([piece async for piece in body])
    return b"".join(body)


@dataclass(slots=True)
class Response:
    """A whole answer. A long body may come in pieces, which are sent as they are, or be made piece by piece while it is
    sent; `size` is then how long it will be, if that is known. Who makes it raises nothing but faults: its head is out.
    """

    status: int
    body: Body = b""
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    size: int | None = None


@dataclass(slots=True)
class StreamResponse:
    """An answer without an end of its own: headers are sent at once, then each piece as it comes.

    `close` is called exactly once, whatever ends it: the client, the deadline, or the shutdown. `sent` is how many
    bytes have gone so far.
    """

    pieces: AsyncIterator[bytes]
    close: Callable[[], Awaitable[None]]
    status: int = 200
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    sent: int = 0


Answer = Response | StreamResponse
Handler = Callable[[Request], Awaitable[Answer]]
Filter = Callable[[Handler], Handler]
