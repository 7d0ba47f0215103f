"""The outermost filter: what no server of ours answers, whatever it is that is asked.

Four things are refused: a head that is too large, a web page that speaks plain HTTP to us, a version of HTTP that we
don't speak, and a target that is no path. Plain HTTP is for programs on this machine: a browser can be made to send
requests to localhost, under any name that resolves there (DNS rebinding), but it can't help naming the host it believes
in, nor the page that asks. Over TLS this isn't needed: a page has no credentials.
Kubernetes: kubectl/pkg/proxy (its default --accept-hosts); the rest is net/http's.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Final

from localplane.apiserver.request import TLS, Answer, Filter, Handler, Request, Response

TOO_LARGE: Final = "431 Request Header Fields Too Large"
_PLAIN_TEXT: Final = "text/plain; charset=utf-8"
_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]", ""})


def transport() -> Filter:
    def filtered(handler: Handler) -> Handler:
        def handle(request: Request) -> Awaitable[Answer]:
            if request.transport is TLS and request.path:
                return handler(request)
            refusal = _refusal(request)
            return handler(request) if refusal is None else _answered(refusal)

        return handle

    return filtered


def foreign(headers: Mapping[str, str]) -> bool:
    """Whether a web page speaks. Names are in lower case. A client without a Host header is no browser."""
    if "origin" in headers:
        return True
    host = headers.get("host", "")
    name = host[: host.index("]") + 1] if host.startswith("[") and "]" in host else host.partition(":")[0]
    return name.lower() not in _NAMES


def _refusal(request: Request) -> Response | None:
    wire = request.transport
    if wire.head_too_large:
        return _closing(431, TOO_LARGE)
    if not wire.secure and foreign(request.headers):
        return _closing(403, "Forbidden\n")
    if wire.version[0] > 1:
        return _closing(505, "505 HTTP Version Not Supported: unsupported protocol version")
    return None if request.path and wire.version >= (1, 0) else _closing(400, "400 Bad Request")


def _closing(status: int, text: str) -> Response:
    return Response(status, text.encode("ascii"), _PLAIN_TEXT, {"Connection": "close"})


async def _answered(response: Response) -> Answer:
    return response
