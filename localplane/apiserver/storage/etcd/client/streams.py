"""The two kinds of call: one message each way, and messages both ways for as long as both like."""

from __future__ import annotations

import asyncio
import struct
from abc import ABC, abstractmethod
from collections import deque
from typing import TYPE_CHECKING, Protocol

from .failures import INTERNAL, UNAVAILABLE, Answered, CallFailure
from .frames import PROTOCOL_ERROR, ProtocolError

if TYPE_CHECKING:
    from .headers import Reply

PREFIX = struct.Struct(">BL")  # gRPC's: compressed or not, and the message's length
_UNREAD_LIMIT = 8 * 2**20  # bytes of messages that wait for their reader before the peer gets no more credit

NEVER = float("inf")


class Stream(ABC):
    """What a connection keeps of a call. `sent` is true once the request has gone out whole, so that the peer may
    have acted on it; `times_heard_before` tells whether the peer has said anything since; `uncredited` counts bytes
    received that have not been given back to the peer's window."""

    __slots__ = ("deadline", "id", "sent", "started", "times_heard_before", "uncredited", "unsent", "window")

    def __init__(self) -> None:
        self.id = 0
        self.sent = False
        self.started = 0.0
        self.times_heard_before = 0
        self.deadline = NEVER
        self.window = 0
        self.unsent: bytes | memoryview = b""
        self.uncredited = 0

    @property
    @abstractmethod
    def ends_after_sending(self) -> bool:
        """Whether the last byte of `unsent` is the last of the request."""

    @property
    def hungry(self) -> bool:
        """Whether the peer may send more."""
        return True

    @abstractmethod
    def take(self, payload: bytes) -> None:
        """A piece of the response has come."""

    @abstractmethod
    def end(self, reply: Reply | None) -> None:
        """The peer has ended the call, with these trailers if any."""

    @abstractmethod
    def fail(self, failure: CallFailure) -> None:
        """There will be no (further) answer."""


def refusal(reply: Reply | None) -> Answered | None:
    """What is wrong with a response that ended with these trailers; None if nothing."""
    if reply is None:
        return Answered(INTERNAL, "the answer ended without a status")
    if reply.grpc_status is None:
        return Answered(UNAVAILABLE, f"HTTP status {reply.http_status} where a gRPC status was expected")
    if reply.grpc_status:
        return Answered(reply.grpc_status, reply.message)
    return None


class UnaryCall(Stream):
    """One request, one response; `answer` becomes the response's message or the failure."""

    __slots__ = ("_body", "answer")

    def __init__(self, answer: asyncio.Future[bytes | memoryview]) -> None:
        super().__init__()
        self.answer = answer
        self._body: bytes | bytearray = b""

    @property
    def ends_after_sending(self) -> bool:
        return True

    def take(self, payload: bytes) -> None:
        if not self._body:
            self._body = payload
        elif isinstance(self._body, bytes):
            self._body = bytearray(self._body)
            self._body += payload
        else:
            self._body += payload

    def end(self, reply: Reply | None) -> None:
        if self.answer.done():
            return
        failure = refusal(reply)
        body = self._body
        if failure is None and (len(body) < PREFIX.size or PREFIX.unpack_from(body) != (0, len(body) - PREFIX.size)):
            failure = Answered(INTERNAL, "the answer is not one uncompressed message")
        if failure is None:
            self.answer.set_result(memoryview(body)[PREFIX.size :])
        else:
            self.answer.set_exception(failure)

    def fail(self, failure: CallFailure) -> None:
        if not self.answer.done():
            self.answer.set_exception(failure)


class Carrier(Protocol):
    """What a message stream needs of its connection."""

    def send(self, stream: Stream, message: bytes) -> None: ...
    def credit(self, stream: Stream) -> None: ...
    def drop(self, stream: Stream) -> None: ...


class MessageStream(Stream):
    """Messages both ways, for one reader. A reader that falls behind holds up the peer, not our memory."""

    __slots__ = ("_carrier", "_failure", "_partial", "_ready", "_unread", "_waiter")

    def __init__(self, carrier: Carrier) -> None:
        super().__init__()
        self._carrier = carrier
        self._ready: deque[bytes] = deque()
        self._partial = bytearray()
        self._unread = 0
        self._waiter: asyncio.Future[None] | None = None
        self._failure: CallFailure | None = None

    @property
    def ends_after_sending(self) -> bool:
        return False

    @property
    def hungry(self) -> bool:
        return self._unread < _UNREAD_LIMIT

    def send(self, message: bytes) -> None:
        """Send a message, now or when the peer's window allows it. Raises if the stream has ended."""
        if self._failure is not None:
            raise self._failure
        self._carrier.send(self, PREFIX.pack(0, len(message)) + message)

    async def receive(self) -> bytes:
        """The next message; raises a CallFailure when there are no more."""
        while not self._ready:
            if self._failure is not None:
                raise self._failure
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        message = self._ready.popleft()
        self._unread -= len(message)
        self._carrier.credit(self)
        return message

    def cancel(self, failure: CallFailure) -> None:
        """End the stream from our side; a reader that waits gets `failure`."""
        if self._failure is None:
            self._carrier.drop(self)
            self.fail(failure)

    def take(self, payload: bytes) -> None:
        partial = self._partial
        partial += payload
        at = 0
        while len(partial) - at >= PREFIX.size:
            compressed, size = PREFIX.unpack_from(partial, at)
            if compressed:
                raise ProtocolError(PROTOCOL_ERROR, "a compressed message, though we accept none")
            if len(partial) - at - PREFIX.size < size:
                break
            at += PREFIX.size
            self._ready.append(bytes(partial[at : at + size]))
            self._unread += size
            at += size
        del partial[:at]
        if self._ready:
            self._wake()

    def end(self, reply: Reply | None) -> None:
        self.fail(refusal(reply) or Answered(UNAVAILABLE, "etcd ended the stream"))

    def fail(self, failure: CallFailure) -> None:
        if self._failure is None:
            self._failure = failure
            self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
