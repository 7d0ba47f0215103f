"""Requests made by hand, and handlers that remember what reached them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import parse_qs, unquote, urlsplit

from localplane.apiserver.endpoints.request_info import resolve
from localplane.apiserver.request import Answer, Query, Request, Response, User

ADMIN = User("admin", groups=("system:masters", "system:authenticated"))
JANE = User("jane", groups=("system:authenticated",))


def make_request(
    method: str,
    url: str,
    *,
    headers: Mapping[str, str | Sequence[str]] | None = None,
    body: bytes = b"",
    user: User | None = None,
    remote: str = "127.0.0.1:5000",
    peer_certificates: tuple[bytes, ...] = (),
) -> Request:
    """As the edge makes it, and with `info` as the filter for it does."""
    split = urlsplit(url)
    values = {
        name.lower(): (value,) if isinstance(value, str) else tuple(value) for name, value in (headers or {}).items()
    }

    async def read_body(limit: int) -> bytes:
        return body[:limit]

    request = Request(
        method,
        unquote(split.path),
        Query(parse_qs(split.query, keep_blank_values=True)),
        {name: several[0] for name, several in values.items()},
        read_body,
        header_values=lambda name: values.get(name.lower(), ()),
        remote=remote,
        peer_certificates=peer_certificates,
        user=user,
    )
    request.info = resolve(request.method, request.path, request.query)
    return request


class Recorded:
    """A handler at the end of a chain."""

    def __init__(self, answer: Answer | BaseException | None = None) -> None:
        self.requests: list[Request] = []
        self._answer = answer if answer is not None else Response(200, b"{}")

    async def __call__(self, request: Request) -> Answer:
        self.requests.append(request)
        if isinstance(self._answer, BaseException):
            raise self._answer
        return self._answer

    @property
    def user(self) -> User:
        (request,) = self.requests
        assert request.user is not None
        return request.user
