"""One HTTP/2 connection that speaks gRPC: frames in, calls out."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, cast

from . import frames
from .failures import UNAVAILABLE, Answered, Broken, DeadlineExceeded, NotProcessed
from .frames import ProtocolError
from .headers import ReplyDecoder, request_block
from .outbox import Outbox
from .reader import FrameReader
from .streams import MessageStream, Stream, UnaryCall
from .timers import Deadlines, KeepAlive, KeepAliveTimes

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta

RECEIVE_WINDOW = 16 * 2**20
_CREDIT_AT = RECEIVE_WINDOW // 2  # one WINDOW_UPDATE for so many bytes
_PING = b"kctlping"

# With these words gRPC measures the bandwidth, and asks again only after the answer: after each call, if we are quick.
# Kubernetes' and etcd's gRPC: google.golang.org/grpc/internal/transport, bdpPing.
_BANDWIDTH_PING = bytes((2, 4, 16, 16, 9, 14, 7, 7))
_BANDWIDTH_PAUSE = 0.05


class Connection(asyncio.Protocol):
    """Carries many calls at once. `on_closed` is called once, when the connection is gone."""

    def __init__(
        self, *, authority: str, secure: bool, keep_alive: KeepAliveTimes, on_closed: Callable[[Connection], None]
    ) -> None:
        self._authority = authority
        self._secure = secure
        self._keep_alive_times = keep_alive
        self._on_closed = on_closed
        self._loop = asyncio.get_running_loop()
        self.ready: asyncio.Future[None] = self._loop.create_future()
        self._gone: asyncio.Future[None] = self._loop.create_future()
        self.heard_at = 0.0
        self._times_heard = 0
        self._streams: dict[int, Stream] = {}
        self._next_id = 1
        self._most_streams = frames.LAST_STREAM_ID  # no limit until the peer names one
        self._queue: deque[asyncio.Future[None]] = deque()
        self._blocks: dict[str, bytes] = {}
        self._token = ""
        self._decoder = ReplyDecoder()
        self._uncredited = 0
        self._bandwidth_pong: asyncio.TimerHandle | None = None
        self._draining = False
        self._closed = False
        self._deadlines = Deadlines(self._loop, self._streams, self._expire)
        self._reader = FrameReader(
            {
                frames.DATA: self._data,
                frames.HEADERS: self._headers,
                frames.RST_STREAM: self._rst_stream,
                frames.SETTINGS: self._settings,
                frames.PING: self._ping,
                frames.GOAWAY: self._goaway,
                frames.WINDOW_UPDATE: self._window_update,
            }
        )

    # --- what the client sees

    @property
    def usable(self) -> bool:
        """Whether a new call can start here."""
        return not self._draining and not self._closed and self._next_id <= frames.LAST_STREAM_ID

    @property
    def busy(self) -> bool:
        return bool(self._streams)

    def use_token(self, token: str) -> None:
        """Calls that start from now on show this token."""
        if token != self._token:
            self._token = token
            self._blocks.clear()

    async def unary(self, path: str, message: bytes, *, within: timedelta) -> bytes | memoryview:
        """Call a method once; raises a CallFailure."""
        seconds = within.total_seconds()
        if len(self._streams) >= self._most_streams:
            await self._wait_in_queue(seconds)
        call = UnaryCall(self._loop.create_future())
        block = self._admit(call, path)
        call.times_heard_before = self._times_heard
        call.started = self._loop.time()
        call.deadline = call.started + seconds
        self._deadlines.include(call.deadline)
        self._outbox.open_unary(call, block, message)
        try:
            return await call.answer
        except asyncio.CancelledError:
            self.drop(call)
            raise

    async def stream(self, path: str, *, within: timedelta) -> MessageStream:
        """Open a stream of messages; `within` is for the opening alone, a stream has no deadline."""
        if len(self._streams) >= self._most_streams:
            await self._wait_in_queue(within.total_seconds())
        stream = MessageStream(self)
        self._outbox.open_stream(stream, self._admit(stream, path))
        return stream

    def retire(self) -> None:
        """Start no new calls; close when the last one has ended."""
        self._draining = True
        self._next_in_queue()
        self._close_if_drained()

    def close(self, reason: str) -> None:
        """Say goodbye and fail whatever is in flight."""
        self._shut(reason, frames.NO_ERROR)

    async def settle(self, within: timedelta) -> None:
        """Wait until a closed connection's socket is closed too."""
        try:
            async with asyncio.timeout(within.total_seconds()):
                await asyncio.shield(self._gone)
        except TimeoutError:
            self._transport.abort()

    def give_up(self, reason: str) -> None:
        """The peer is dead: nothing that waits in our buffers will reach it."""
        self._fail_everything(reason)
        self._transport.abort()

    # --- what streams and timers ask for

    def send(self, stream: Stream, message: bytes) -> None:
        self._outbox.append(stream, message)

    def credit(self, stream: Stream) -> None:
        if stream.uncredited >= _CREDIT_AT and stream.hungry and stream.id in self._streams:
            self._write(frames.window_update(stream.id, stream.uncredited))
            stream.uncredited = 0

    def drop(self, stream: Stream) -> None:
        """Forget a call, and have the peer forget it."""
        if self._streams.get(stream.id) is stream:
            self._write(frames.rst_stream(stream.id, frames.CANCEL))
            self._remove(stream)

    def ping(self) -> None:
        self._write(frames.frame(frames.PING, 0, 0, _PING))

    def _expire(self, stream: Stream) -> None:
        self.drop(stream)
        seconds = stream.deadline - stream.started
        stream.fail(DeadlineExceeded(f"no answer within {seconds:g} s"))
        if self._times_heard == stream.times_heard_before:
            self.give_up(f"not a byte from the peer in {seconds:g} s")

    # --- calls starting and ending

    def _admit(self, stream: Stream, path: str) -> bytes:
        if not self.usable:
            raise NotProcessed("the connection is closing")
        stream.id = self._next_id
        self._next_id += 2
        self._streams[stream.id] = stream
        block = self._blocks.get(path)
        if block is None:
            block = request_block(path, authority=self._authority, secure=self._secure, token=self._token)
            self._blocks[path] = block
        return block

    async def _wait_in_queue(self, seconds: float) -> None:
        """The peer limits how many calls may be open: wait until one ends."""
        try:
            async with asyncio.timeout(seconds):
                while self.usable and len(self._streams) >= self._most_streams:
                    turn: asyncio.Future[None] = self._loop.create_future()
                    self._queue.append(turn)
                    await turn
        except TimeoutError:
            raise NotProcessed(f"no free stream within {seconds:g} s") from None
        finally:
            self._next_in_queue()  # whoever leaves without taking the place passes it on

    def _next_in_queue(self) -> None:
        while self._queue and (not self.usable or len(self._streams) < self._most_streams):
            turn = self._queue.popleft()
            if not turn.done():
                turn.set_result(None)
                if self.usable:
                    return

    def _remove(self, stream: Stream) -> None:
        del self._streams[stream.id]
        self._outbox.forget(stream)
        if self._queue:
            self._next_in_queue()
        if self._draining:
            self._close_if_drained()

    def _end(self, stream: Stream) -> None:
        """The peer is done with a stream. If our half is still open, it need not hear the rest of it."""
        if not stream.sent:
            self._write(frames.rst_stream(stream.id, frames.CANCEL))
        self._remove(stream)

    def _close_if_drained(self) -> None:
        if not self._streams:
            self.close("the connection is no longer used")

    def _shut(self, reason: str, code: int) -> None:
        if not self._closed:
            self._write(frames.goaway(0, code))
            self._fail_everything(reason)
            self._transport.close()

    def _fail_everything(self, reason: str) -> None:
        if self._closed:
            return
        self._closed = True
        self._deadlines.stop()
        self._keep_alive.stop()
        if self._bandwidth_pong is not None:
            self._bandwidth_pong.cancel()
        if not self.ready.done():
            self.ready.set_exception(NotProcessed(reason))
        streams = tuple(self._streams.values())
        self._streams.clear()
        for stream in streams:
            stream.fail(Broken(reason) if stream.sent else NotProcessed(reason))
        self._next_in_queue()
        self._on_closed(self)

    def _write(self, data: bytes) -> None:
        if not self._closed:
            self._transport.write(data)

    # --- asyncio's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.WriteTransport", transport)  # uvloop's do not inherit from asyncio's
        self._outbox = Outbox(self._write)
        self._keep_alive = KeepAlive(self._loop, self, self._keep_alive_times)
        self.heard_at = self._loop.time()
        ours = {frames.HEADER_TABLE_SIZE: 0, frames.ENABLE_PUSH: 0, frames.INITIAL_WINDOW_SIZE: RECEIVE_WINDOW}
        widening = frames.window_update(0, RECEIVE_WINDOW - frames.DEFAULT_WINDOW)
        self._write(frames.PREFACE + frames.settings(ours) + widening)

    def data_received(self, data: bytes) -> None:
        self.heard_at = self._loop.time()
        self._times_heard += 1
        try:
            self._reader.feed(data)
        except ProtocolError as error:
            self._shut(f"the peer sent {error}", error.code)

    def connection_lost(self, exc: Exception | None) -> None:
        self._fail_everything(f"the connection broke: {exc}" if exc else "the peer closed the connection")
        if not self._gone.done():
            self._gone.set_result(None)

    # --- frames

    def _data(self, flags: int, stream_id: int, payload: bytes) -> None:
        size = len(payload)
        self._uncredited += size
        if self._uncredited >= _CREDIT_AT:
            self._write(frames.window_update(0, self._uncredited))
            self._uncredited = 0
        stream = self._streams.get(stream_id)
        if stream is None:
            return
        if flags & frames.PADDED:
            payload = frames.unpadded(flags & frames.PADDED, payload)
        stream.take(payload)
        if flags & frames.END_STREAM:
            self._end(stream)
            stream.end(None)
            return
        stream.uncredited += size
        if stream.uncredited >= _CREDIT_AT:
            self.credit(stream)

    def _headers(self, flags: int, stream_id: int, block: bytes) -> None:
        stream = self._streams.get(stream_id)
        if stream is None:
            return
        reply = self._decoder.decode(block)
        if flags & frames.END_STREAM:
            self._end(stream)
            stream.end(reply)
        elif reply.http_status is not None and reply.http_status > 200:
            self.drop(stream)
            stream.fail(Answered(UNAVAILABLE, f"HTTP status {reply.http_status}"))

    def _rst_stream(self, _flags: int, stream_id: int, payload: bytes) -> None:
        code = frames.parse_number(payload)
        stream = self._streams.get(stream_id)
        if stream is None:
            return
        self._remove(stream)
        reason = f"the peer reset the stream with code {code}"
        stream.fail(NotProcessed(reason) if code == frames.REFUSED_STREAM or not stream.sent else Broken(reason))

    def _settings(self, flags: int, _stream_id: int, payload: bytes) -> None:
        if flags & frames.ACK:
            return
        theirs = frames.parse_settings(payload)
        self._most_streams = theirs.get(frames.MAX_CONCURRENT_STREAMS, self._most_streams)
        self._write(frames.frame(frames.SETTINGS, frames.ACK, 0))
        self._outbox.resize(
            self._streams.values(),
            stream_window=theirs.get(frames.INITIAL_WINDOW_SIZE),
            frame_size=theirs.get(frames.MAX_FRAME_SIZE),
        )
        self._next_in_queue()
        if not self.ready.done():
            self.ready.set_result(None)

    def _ping(self, flags: int, _stream_id: int, payload: bytes) -> None:
        if flags & frames.ACK:
            return
        if payload == _BANDWIDTH_PING and self._bandwidth_pong is None and not self._draining:
            self._bandwidth_pong = self._loop.call_later(_BANDWIDTH_PAUSE, self._answer_bandwidth_ping)
        else:
            self._pong(payload)

    def _answer_bandwidth_ping(self) -> None:
        self._bandwidth_pong = None
        self._pong(_BANDWIDTH_PING)

    def _pong(self, payload: bytes) -> None:
        self._write(frames.frame(frames.PING, frames.ACK, 0, payload))

    def _goaway(self, _flags: int, _stream_id: int, payload: bytes) -> None:
        """The peer takes no new calls, and those after the last it names it has not looked at."""
        last, code = frames.parse_goaway(payload)
        reason = f"the peer is going away with code {code}"
        self._draining = True
        for stream in [stream for stream in self._streams.values() if stream.id > last]:
            self._streams.pop(stream.id)
            self._outbox.forget(stream)
            stream.fail(NotProcessed(reason))
        self._next_in_queue()
        self._close_if_drained()

    def _window_update(self, _flags: int, stream_id: int, payload: bytes) -> None:
        increment = frames.parse_number(payload) & frames.LARGEST_WINDOW
        stream = self._streams.get(stream_id)
        if stream is not None or stream_id == 0:
            self._outbox.widen(stream, increment)
