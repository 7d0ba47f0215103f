"""The HTTP edge: aiohttp's low-level server in front of the one Handler.

There is no router here: aiohttp freezes its own, and resources come and go. Every request becomes a `Request`, the
handler's `Answer` is written, and nothing above or below knows which HTTP library it was.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from socket import socket
from time import perf_counter
from typing import cast
from urllib.parse import unquote, unquote_plus

from aiohttp.http import HttpVersion11
from aiohttp.streams import EMPTY_PAYLOAD
from aiohttp.web_protocol import RequestPayloadError
from aiohttp.web_request import BaseRequest
from aiohttp.web_server import Server

from localplane.apimachinery.errors import BadRequest
from localplane.apiserver.long_work import HERE, Here
from localplane.apiserver.request import (
    TLS,
    Answer,
    BodyTooLarge,
    Handler,
    Query,
    ReadBody,
    Request,
    Response,
    Severed,
    StreamResponse,
    Transport,
)
from localplane.apiserver.request_log import Ring
from localplane.apiserver.server.listener import Listener
from localplane.apiserver.server.monitoring.loop_watch import LoopWatch
from localplane.apiserver.server.monitoring.metrics import Metrics
from localplane.apiserver.server.tls import ServingTLS

from .connection import (
    CLOSE,
    CLOSE_SLOWLY,
    KEEP,
    ClientConnection,
    IncomingRequest,
    WrittenResponse,
    connection_factory,
)
from .limits import ConnectionLimits
from .response_writer import HeadWriter, ResponseWriter
from .stream_writer import StreamWriter

_READ_ONLY = frozenset({"GET", "HEAD", "OPTIONS"})
_PLAIN = Transport(secure=False)


class HTTPServer:
    """Serves `handler` on sockets it is given, until it is told to drain and close. `work` is where requests have done
    what takes long, `watch` hears of each of them, and `ring` is where it is noted what came of them."""

    def __init__(
        self,
        handler: Handler,
        *,
        metrics: Metrics,
        limits: ConnectionLimits,
        tls: ServingTLS | None = None,
        work: Here = HERE,
        watch: LoopWatch | None = None,
        ring: Ring | None = None,
    ) -> None:
        self._handler = handler
        self._work = work
        self._watch = watch or LoopWatch()
        self._ring = ring
        self._metrics = metrics
        self._limits = limits
        self._tls = tls
        heads = HeadWriter()
        self._responses = ResponseWriter(heads, limits)
        self.streams = StreamWriter(heads)
        self._reading = 0
        self._mutating = 0
        self._draining = False
        self._drained = asyncio.Event()
        self._server: Server | None = None
        self._listener: Listener | None = None

    def start(self, sockets: Sequence[socket]) -> None:
        # A client that is gone no longer waits: its handler is cancelled, as Go cancels the request's context.
        server = Server(self._serve, request_factory=IncomingRequest, handler_cancellation=True)
        self._server = server
        self._listener = Listener(
            sockets,
            connection_factory(server, self._limits),
            tls=self._tls.context if self._tls else None,
            handshake_timeout=self._limits.head_timeout,
        )
        self._listener.start()

    @property
    def active(self) -> Mapping[str, int]:
        """Requests that are being handled or answered, by kind; streams don't count."""
        return {"readOnly": self._reading, "mutating": self._mutating}

    @property
    def connections(self) -> int:
        return len(self._server.connections) if self._server else 0

    def stop_listening(self) -> None:
        """New connections are refused; on open ones the next answer is the last."""
        self._draining = True
        if self._listener is not None:
            self._listener.close()

    async def drained(self) -> None:
        """Returns when no request is left, after `stop_listening`. One that still comes is only refused."""
        if self._reading or self._mutating:
            await self._drained.wait()

    async def close(self) -> None:
        """Cut what is left."""
        self.stop_listening()
        if self._listener is not None:
            await self._listener.abandon()
        if self._server is not None:
            left = [cast(ClientConnection, each) for each in self._server.connections]
            transports = {each: each.transport for each in left}
            await self._server.shutdown(timeout=0.1)
            await _all_lost(left)
            for connection, transport in transports.items():
                if transport is not None and not connection.lost:
                    transport.abort()

    async def _serve(self, incoming: BaseRequest) -> WrittenResponse:
        raw = cast(IncomingRequest, incoming)
        started = perf_counter()
        request = _request(raw, self._work)
        reads = raw.parsed.method in _READ_ONLY
        self._count(1, reads=reads)
        self._watch.note_request()
        try:
            answer = await self._handler(request)
            if isinstance(answer, Response):
                return await self._send(raw, request, answer, started)
        except BaseException as error:  # a cancellation, nearly always: the client is gone
            if self._ring is not None:
                self._ring.note(request, None, 0, started, perf_counter() - started)
            if isinstance(error, Severed):
                return raw.connection.sever()
            raise
        finally:
            self._count(-1, reads=reads)
        return await self._stream(raw, request, answer, started)

    def _count(self, change: int, *, reads: bool) -> None:
        if reads:
            self._reading += change
        else:
            self._mutating += change
        if self._draining and not self._reading and not self._mutating:
            self._drained.set()

    async def _send(
        self, raw: IncomingRequest, request: Request, response: Response, started: float
    ) -> WrittenResponse:
        version = raw.parsed.version
        may_chunk = version is HttpVersion11 or version >= HttpVersion11
        keep = self._keeps(raw, response) and (may_chunk or isinstance(response.body, (bytes, Sequence)))
        sent = await self._responses.write(
            raw.connection,
            response,
            head_only=raw.parsed.method == "HEAD",
            may_chunk=may_chunk,
            accept_encoding=request.headers.get("accept-encoding", ""),
            warnings=request.warnings,
            connection_header=_connection_header(raw, response, keep=keep),
        )
        seconds = perf_counter() - started
        self._metrics.finished(request, response.status, seconds)
        if self._ring is not None:
            self._ring.note(request, response, sent, started, seconds)
        if keep:
            return KEEP
        return CLOSE if raw.content.is_eof() else CLOSE_SLOWLY

    async def _stream(
        self, raw: IncomingRequest, request: Request, stream: StreamResponse, started: float
    ) -> WrittenResponse:
        keep = self._keeps(raw, stream)
        chunked = raw.parsed.version >= HttpVersion11
        with self._metrics.streaming(request, stream.status, started) as meter, self._noted(request, stream, started):
            try:
                own_end = await self.streams.write(
                    raw.connection,
                    stream,
                    request,
                    head_only=raw.parsed.method == "HEAD",
                    chunked=chunked,
                    connection_header=_connection_header(raw, stream, keep=keep and chunked),
                    meter=meter,
                )
            except Severed:
                return raw.connection.sever()
        return KEEP if own_end and keep and chunked and not self._draining else CLOSE

    @contextmanager
    def _noted(self, request: Request, stream: StreamResponse, started: float) -> Iterator[None]:
        """When it begins, and when it ends."""
        if self._ring is not None:
            self._ring.note(request, stream, 0, started, None)
        try:
            yield
        finally:
            if self._ring is not None:
                self._ring.note(request, stream, stream.sent, started, perf_counter() - started)

    def _keeps(self, raw: IncomingRequest, answer: Answer) -> bool:
        return not (raw.parsed.should_close or self._draining or answer.headers.get("Connection") == "close")


async def _all_lost(connections: Sequence[ClientConnection]) -> None:
    """Closing waits for clients to read; this waits for closing, but only so long."""
    for _ in range(50):
        if all(connection.lost for connection in connections):
            return
        await asyncio.sleep(0.01)


def _transport(raw: IncomingRequest) -> Transport:
    connection, message = raw.connection, raw.parsed
    too_large = connection.may_exceed and connection.exceeds(message)
    if message.version is HttpVersion11 and not too_large:
        return TLS if connection.secure else _PLAIN
    return Transport((message.version.major, message.version.minor), connection.secure, too_large)


def _request(raw: IncomingRequest, work: Here) -> Request:
    """A target that can't be read leaves the path empty."""
    message = raw.parsed
    target: str = message.path
    if target.startswith("/"):
        path, _, query = target.partition("?")
    else:  # the absolute form that proxies use, the asterisk of OPTIONS, or the host of CONNECT
        path, query = message.url.raw_path, message.url.raw_query_string
    headers: dict[str, str] = {}
    for name, value in message.headers.items():
        headers.setdefault(name.lower(), value)
    peer = raw.connection.peername
    return Request(
        method=message.method,
        path=decode_path(path) if message.method != "CONNECT" else "",
        query=parse_query(query),
        headers=headers,
        read_body=body_reader(raw, headers),
        header_values=lambda name: message.headers.getall(name, ()),
        remote=peer[0] if isinstance(peer, tuple) else "",
        transport=_transport(raw),
        peer_certificates=raw.connection.peer_certificates,
        target=target,
        work=work,
    )


def _connection_header(raw: IncomingRequest, answer: Answer, *, keep: bool) -> str:
    if "Connection" in answer.headers:
        return ""
    if not keep:
        return "close"
    return "keep-alive" if raw.parsed.version < HttpVersion11 else ""


# The request line's target, as Go's net/url reads it: a decoded path, and every value of the query.

_BAD_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")
_NOTHING_ASKED = Query({})


def decode_path(raw: str) -> str:
    """Empty if it can't be decoded. Bytes that are no UTF-8 become the replacement character: no name can hold them,
    and no answer could repeat them."""
    if "%" not in raw:
        return raw if raw.isascii() else _as_text(raw)
    if _BAD_ESCAPE.search(raw):
        return ""
    return unquote(_as_text(raw), errors="replace")


def parse_query(raw: str) -> Query:
    """Pairs that can't be decoded, or hold a semicolon, are left out, as url.Values does."""
    if not raw:
        return _NOTHING_ASKED
    values: dict[str, list[str]] = {}
    for pair in raw.split("&"):
        if not pair or ";" in pair:
            continue
        name, _, value = pair.partition("=")
        if "%" in pair or "+" in pair:
            if _BAD_ESCAPE.search(pair):
                continue
            name, value = unquote_plus(name, errors="replace"), unquote_plus(value, errors="replace")
        if name in values:
            values[name].append(value)
        else:
            values[name] = [value]
    return Query(values)


def _as_text(raw: str) -> str:
    """aiohttp keeps bytes that are no UTF-8 as lone surrogates, which nothing can write."""
    return raw.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


# Reading the body of a request, as far as a handler allows.

_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


def body_reader(raw: IncomingRequest, headers: Mapping[str, str]) -> ReadBody:
    """What `Request.read_body` is. The body is not decompressed, whatever its headers say; one that breaks off or is
    malformed is a BadRequest."""
    payload = raw.content
    if payload is EMPTY_PAYLOAD:
        return _nothing

    async def read_body(limit: int) -> bytes:
        declared = headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > limit:
            raise BodyTooLarge
        if _waits_for_leave(raw, headers):
            raw.connection.open_transport().write(_CONTINUE)
        pieces: list[bytes] = []
        size = 0
        try:
            while piece := await payload.readany():
                size += len(piece)
                if size > limit:
                    raise BodyTooLarge
                pieces.append(piece)
        except (ConnectionError, RequestPayloadError) as error:
            raise BadRequest(f"the body of the request can't be read: {error}") from error
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    return read_body


def _waits_for_leave(raw: IncomingRequest, headers: Mapping[str, str]) -> bool:
    """The client sends no body before it has heard that it will be read."""
    expected = headers.get("expect", "").lower() == "100-continue"
    return expected and raw.parsed.version >= HttpVersion11 and not raw.content.total_bytes


async def _nothing(_limit: int) -> bytes:
    return b""
