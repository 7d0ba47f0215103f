"""What -v=6 and more tell about requests, in the form in which kubectl logs it.

Kubernetes: client-go/transport/round_trippers.go, client-go/rest/request.go; klog's text format.
"""

from __future__ import annotations

import time
import urllib.parse
from collections.abc import AsyncIterator, Callable
from http import HTTPStatus

from localplane.apimachinery.golang import sources
from localplane.apimachinery.golang.text import go_quote
from localplane.client.transport.interface import Pairs, Response, Transport

Log = Callable[[str, str], None]
"""Hears where in kubectl's sources a line comes from, and the line."""

_LIMITS = {8: 1024, 9: 10240}
_MASKED = ("authorization", "proxy-authorization")


class WireLog:
    """`level` is how much: 6 says what was asked and answered, 7 with which headers, 8 with the bodies, 9 as a line
    for curl. `fixed` are the headers that the transport adds itself."""

    def __init__(self, transport: Transport, *, server: str, level: int, log: Log, fixed: Pairs = ()) -> None:
        self._transport = transport
        self._server = server
        self._level = level
        self._log = log
        self._fixed = tuple(fixed)

    async def request(
        self, method: str, path: str, *, query: Pairs = (), headers: Pairs = (), body: bytes | None = None
    ) -> Response:
        url = f"{self._server}{path}" + (f"?{urllib.parse.urlencode(list(query))}" if query else "")
        shown = sorted(_masked((*self._fixed, *headers)))
        if self._level >= 8:
            self._log(sources.REQUEST_BODY, f'"Request Body" body={_quoted(_cut(body or b"", self._level))}')
        asked = f"verb={go_quote(method)} url={go_quote(url)}"
        if self._level >= 9:
            flags = " ".join(f'-H "{name}: {value}"' for name, value in shown)
            self._log(sources.REQUEST, f"\"Request\" curlCommand=<\n\tcurl -v -X{method}  {flags} '{url}'\n >")
        elif self._level >= 7:
            self._log(sources.REQUEST, f'"Request" {asked} headers={_lines(shown)}')
        started = time.monotonic()
        response = await self._transport.request(method, path, query=query, headers=headers, body=body)
        took = f"milliseconds={int((time.monotonic() - started) * 1000)}"
        status = f'status="{response.status} {_phrase(response.status)}"'
        parts = [asked, status] if self._level in (6, 9) or self._level > 9 else [status]
        if self._level >= 8:
            parts.append(f"headers={_lines(sorted(_canonical(response.headers)))}")
        self._log(sources.RESPONSE, " ".join(('"Response"', *parts, took)))
        return _Told(response, self._told) if self._level >= 8 else response

    def _told(self, body: bytes) -> None:
        self._log(sources.REQUEST_BODY, f'"Response Body" body={_quoted(_cut(body, self._level))}')

    async def close(self) -> None:
        await self._transport.close()


class _Told:
    """A response whose body is logged, once it was read as a whole."""

    def __init__(self, response: Response, told: Callable[[bytes], None]) -> None:
        self._response = response
        self._tell = told
        self.status = response.status
        self.headers = response.headers

    async def read(self) -> bytes:
        body = await self._response.read()
        self._tell(body)
        return body

    def chunks(self) -> AsyncIterator[bytes]:
        return self._response.chunks()

    async def close(self) -> None:
        await self._response.close()


def _masked(headers: Pairs) -> list[tuple[str, str]]:
    """Who we are stays out of logs: only how it is told."""
    return [
        (name, f"{value.partition(' ')[0]} <masked>" if name.lower() in _MASKED else value) for name, value in headers
    ]


def _canonical(headers: Pairs) -> list[tuple[str, str]]:
    return [("-".join(part.capitalize() for part in name.split("-")), value) for name, value in headers]


def _lines(headers: Pairs) -> str:
    return "<\n" + "".join(f"\t{name}: {value}\n" for name, value in headers) + " >"


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _cut(body: bytes, level: int) -> str:
    text = body.decode(errors="replace")
    limit = _LIMITS.get(level)
    if limit is None or len(text) <= limit:
        return text
    return f"{text[:limit]} [truncated {len(text) - limit} chars]"


def _quoted(text: str) -> str:
    """A text of several lines is indented, as klog does it."""
    if "\n" not in text:
        return go_quote(text)
    lines = text.removesuffix("\n").split("\n")
    return "<\n" + "".join(f"\t{line}\n" for line in lines) + " >"
