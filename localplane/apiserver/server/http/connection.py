"""One client's connection: aiohttp's protocol, with the limits it lacks and answers it has no words for.

What is added: the request line and all headers together have a size and a time limit; a request that isn't HTTP gets
the text Go's net/http sends, and no traceback in the log; a body whose framing breaks fails its reader at once; and
whoever writes can wait until the client has read.
"""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, cast

from aiohttp.abc import AbstractStreamWriter
from aiohttp.http import HttpProcessingError, RawRequestMessage
from aiohttp.http_exceptions import BadHttpMethod, LineTooLong
from aiohttp.streams import EMPTY_PAYLOAD, StreamReader
from aiohttp.web_protocol import RequestHandler
from aiohttp.web_request import BaseRequest
from aiohttp.web_response import StreamResponse
from aiohttp.web_server import Server

from localplane.apimachinery.errors import generic
from localplane.apimachinery.serializers import to_json
from localplane.apiserver.endpoints.filters.transport import TOO_LARGE
from localplane.tls.contexts import shown_by

from .limits import ConnectionLimits

_LINGER_SECONDS = 0.5  # let the last answer arrive before unread bytes turn the close into a reset
_GOODBYE_SECONDS = 2.0
_HEAD_SLACK = 4096  # net/http's, too
_NOT_ALLOWED = to_json(generic(405).status()).decode()
_is_request_line = re.compile(r"b'[A-Z]{1,32} /[^ ]* HTTP/1\.[01]'").search
"""Of a method that the parser does not know: the rest of the line is one that anybody could have sent."""

_PANIC = "This request caused apiserver to panic. Look in the logs for details.\n"


class IncomingRequest(BaseRequest):
    """aiohttp's request, with what was parsed and its connection within reach."""

    ATTRS = BaseRequest.ATTRS | frozenset({"connection", "parsed"})

    def __init__(
        self,
        message: RawRequestMessage,
        payload: StreamReader,
        protocol: RequestHandler,
        payload_writer: AbstractStreamWriter,
        task: asyncio.Task[None],
    ) -> None:
        super().__init__(message, payload, protocol, payload_writer, task, asyncio.get_running_loop())
        self.parsed = message
        self.connection = cast(ClientConnection, protocol)


class WrittenResponse(StreamResponse):
    """What our handler returns to aiohttp: the answer is on its way already, only the connection's fate is open."""

    def __init__(self, *, keep_alive: bool, linger: float = 0) -> None:
        super().__init__()
        self._keep = keep_alive
        self._linger = linger

    @property
    def keep_alive(self) -> bool:
        return self._keep

    async def prepare(self, request: BaseRequest) -> AbstractStreamWriter | None:  # noqa: ARG002 - nothing is left
        return None

    async def write_eof(self, data: bytes = b"") -> None:  # noqa: ARG002 - nothing is left
        if self._linger:
            await asyncio.sleep(self._linger)


KEEP = WrittenResponse(keep_alive=True)
CLOSE = WrittenResponse(keep_alive=False)
CLOSE_SLOWLY = WrittenResponse(keep_alive=False, linger=_LINGER_SECONDS)


class ClientGone(ConnectionResetError):
    """Nobody is left to be answered, or nobody who reads."""


class BrokenBody(ConnectionResetError):
    """The body of the request ends, or is framed, in a way that can't be."""


class ClientConnection(RequestHandler):
    """`answering` is true from the first byte of an answer to its last: in between, no error can be told."""

    __slots__ = (
        "_abort_timer",
        "_body",
        "_head_bytes",
        "_head_limit",
        "_head_timer",
        "_limits",
        "_writable",
        "answering",
        "lost",
        "may_exceed",
        "peer_certificates",
        "secure",
    )

    def __init__(self, server: Server, limits: ConnectionLimits) -> None:
        super().__init__(
            server,
            loop=asyncio.get_running_loop(),
            keepalive_timeout=limits.idle_timeout.total_seconds(),
            access_log=cast(Any, None),
            max_line_size=limits.head_bytes,
            max_field_size=limits.field_bytes,
            max_headers=limits.head_fields,
            auto_decompress=False,  # a small body must not become a large one
        )
        self._limits = limits
        self._body: StreamReader = EMPTY_PAYLOAD
        self._abort_timer: asyncio.TimerHandle | None = None
        self._head_bytes = 0
        self._head_limit = limits.head_bytes
        self.may_exceed = False
        self._head_timer: asyncio.TimerHandle | None = None
        self._writable: asyncio.Future[None] | None = None
        self.answering = False
        self.lost = False
        self.secure = False
        self.peer_certificates: tuple[bytes, ...] = ()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        cast(asyncio.Transport, transport).set_write_buffer_limits(high=self._limits.write_buffer_bytes)
        tls: ssl.SSLObject | None = transport.get_extra_info("ssl_object")
        if tls is not None:
            self.secure = True
            self.peer_certificates = tuple(shown_by(tls))
        self._expect_head()

    def connection_lost(self, exc: BaseException | None) -> None:
        self.lost = True
        self._head_arrived()
        if self._abort_timer is not None:
            self._abort_timer.cancel()
        super().connection_lost(exc)
        self._wake_writer()

    def force_close(self) -> None:
        """Runs when a client has had its time. TLS says goodbye and waits for an answer; one that has nothing left to
        read, and does not answer, is not waited for."""
        transport = self.transport
        is_read = transport is not None and not transport.is_closing() and not transport.get_write_buffer_size()
        super().force_close()
        if self.secure and is_read and transport is not None and not self.lost:
            self._abort_timer = self._loop.call_later(_GOODBYE_SECONDS, transport.abort)

    def data_received(self, data: bytes) -> None:
        seen, within_body = self._request_count, not self._body.is_eof()
        if self._head_bytes + len(data) > self._head_limit:
            self.may_exceed = True
        super().data_received(data)
        if self._request_count != seen:
            self._head_arrived()
            self._remember_body()
        elif data and not within_body and not self._close:
            self._head_grew(len(data))

    def _remember_body(self) -> None:
        if not self._messages:
            return
        message, payload = self._messages[-1]
        if isinstance(message, RawRequestMessage):
            self._body = payload
        elif not self._body.is_eof():  # the parser gave up inside this body, and aiohttp doesn't tell its reader
            self._body.set_exception(BrokenBody("the request body is malformed"))
            self.close()

    # --- the head of a request: its size and its time ---

    def _expect_head(self) -> None:
        self._head_timer = self._loop.call_later(self._limits.head_timeout.total_seconds(), self.force_close)

    def _head_arrived(self) -> None:
        self._head_bytes = 0
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _head_grew(self, size: int) -> None:
        self._head_bytes += size
        if self._head_timer is None:
            self._expect_head()
        if self._head_bytes > self._limits.head_bytes + _HEAD_SLACK:
            self._head_arrived()
            self._refuse_head()

    def exceeds(self, message: RawRequestMessage) -> bool:
        """Whether a head that was read is too large: the parser looks at each header by itself, and one read can bring
        many. Only connections that have sent that much at once, which `may_exceed` says, need be looked at."""
        size = len(message.path) + sum(len(name) + len(value) + 4 for name, value in message.raw_headers)
        return size > self._limits.head_bytes + _HEAD_SLACK

    def _refuse_head(self) -> None:
        if (
            self._current_request is not None or self._messages
        ):  # nothing can be said before an earlier request's answer
            self.force_close()
            return
        self._say(431, TOO_LARGE)
        self._finish_writing()
        self._close = True  # what still arrives is thrown away
        self._head_timer = self._loop.call_later(_LINGER_SECONDS, self.force_close)

    # --- what aiohttp answers by itself ---

    def handle_error(
        self,
        request: BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,  # noqa: ARG002 - what aiohttp would say
    ) -> StreamResponse:
        """Runs for a request that can't be parsed, and for a handler that raised: both end the connection."""
        if isinstance(exc, ClientGone):
            raise exc  # aiohttp closes the connection, and says nothing
        if status >= 500:
            self.logger.error("a request failed: %s %r", request.method, request.path, exc_info=exc)
        if self.answering or self.transport is None:
            raise ConnectionResetError("half an answer is out, and its end can't be told from an error")
        if status >= 500:
            self._say(500, _PANIC)
            return CLOSE
        if isinstance(exc, LineTooLong) or (isinstance(exc, HttpProcessingError) and "Too many headers" in exc.message):
            self._say(431, TOO_LARGE)
        elif isinstance(exc, BadHttpMethod) and _is_request_line(exc.message):
            self._say(405, _NOT_ALLOWED, content_type="application/json")
        else:
            self._say(400, "400 Bad Request")
        self._finish_writing()
        self.close()
        return CLOSE_SLOWLY

    def _say(self, status: int, text: str, *, content_type: str = "text/plain; charset=utf-8") -> None:
        assert self.transport is not None
        head = (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nContent-Type: {content_type}\r\n"
            f"Content-Length: {len(text)}\r\n"
            "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
        )
        self.transport.write((head + text).encode())

    def _finish_writing(self) -> None:
        """The client sees the end at once, while what it still sends is thrown away."""
        if self.transport is not None and self.transport.can_write_eof():
            self.transport.write_eof()

    # --- waiting for a client to read ---

    def resume_writing(self) -> None:
        super().resume_writing()
        self._wake_writer()

    def _wake_writer(self) -> None:
        if self._writable is not None and not self._writable.done():
            self._writable.set_result(None)
        self._writable = None

    async def drained(self) -> None:
        """Returns when the client has read most of what was written; raises when it reads too little for too long."""
        while self.writing_paused:
            transport = self.open_transport()
            before = transport.get_write_buffer_size()
            self._writable = self._loop.create_future()
            try:
                async with asyncio.timeout(self._limits.stalled.total_seconds()):
                    await self._writable
            except TimeoutError:
                if before - transport.get_write_buffer_size() < self._limits.least_progress_bytes:
                    transport.abort()  # closing would wait for the client, too
                    raise ClientGone("the client stopped reading") from None
        self.open_transport()

    def sever(self) -> WrittenResponse:
        """End it as a network does that fails: nobody says goodbye, and what was not sent yet is lost."""
        if self.transport is not None:
            self.transport.abort()
        return CLOSE

    def open_transport(self) -> asyncio.Transport:
        """Raises ClientGone."""
        transport = self.transport
        if transport is None or transport.is_closing():
            raise ClientGone("the client is gone")
        return transport


def connection_factory(server: Server, limits: ConnectionLimits) -> Callable[[], ClientConnection]:
    return lambda: ClientConnection(server, limits)
