"""Watch events off the wire: one JSON document a line, in pieces that end anywhere."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from types import TracebackType

from localplane.apimachinery.light_typing import Final, Self
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.records import record
from localplane.client.errors import ConnectionLost, InvalidAnswer
from localplane.client.transport.interface import Response

from .json_bodies import loads
from .statuses import from_status

LONGEST_EVENT: Final = 64 * 1024 * 1024
"""No object can be a tenth of this; it bounds what a confused server can make us hold."""


@record
class WatchEvent:
    """`type` is ADDED, MODIFIED, DELETED or BOOKMARK; an ERROR is raised instead."""

    type: str
    object: JSONObject

    @property
    def resource_version(self) -> str:
        return str(self.object.get("metadata", {}).get("resourceVersion", ""))


class LineDecoder:
    """Bytes in, whole lines out. Each byte is looked at once, however many pieces a line comes in."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._held = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        first, *rest = chunk.split(b"\n")
        if not rest:
            self._hold(first)
            return []
        lines = [b"".join((*self._parts, first)), *rest[:-1]]
        self._parts, self._held = [], 0
        self._hold(rest[-1])
        return [line for line in lines if line.strip()]

    def take_rest(self) -> bytes:
        rest, self._parts, self._held = b"".join(self._parts).strip(), [], 0
        return rest

    def _hold(self, part: bytes) -> None:
        if part:
            self._parts.append(part)
            self._held += len(part)
        if self._held > LONGEST_EVENT:
            raise InvalidAnswer(f"a watch event of more than {LONGEST_EVENT} bytes")


class WatchStream:
    """An open watch, or one that opens when it is entered or iterated. Use it in `async with`, or close it.

    Iterating raises the APIError of an ERROR event (Expired when the version is too old), ConnectionLost when the
    stream was cut, and ends when the server ended it in peace. In each case the events so far are all there were.
    """

    def __init__(self, opener: Callable[[], Awaitable[Response]]) -> None:
        self._opener = opener
        self._response: Response | None = None
        self._chunks: AsyncIterator[bytes] | None = None
        self._decoder = LineDecoder()
        self._lines: deque[bytes] = deque()

    async def open(self) -> None:
        """Raises APIError if the server refuses, and ConnectionFailed."""
        if self._response is None:
            self._response = await self._opener()
            self._chunks = self._response.chunks()

    async def close(self) -> None:
        if self._response is not None:
            await self._response.close()
        if isinstance(self._chunks, AsyncGenerator):
            await self._chunks.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> WatchEvent:
        await self.open()
        assert self._chunks is not None  # it was just opened
        while not self._lines:
            try:
                self._lines.extend(self._decoder.feed(await anext(self._chunks)))
            except StopAsyncIteration:
                return self._last()
        return _event(self._lines.popleft())

    def _last(self) -> WatchEvent:
        """What came after the last end of a line. Half of an object is no JSON, so what can be read is whole."""
        rest = self._decoder.take_rest()
        if not rest:
            raise StopAsyncIteration
        try:
            return _event(rest)
        except InvalidAnswer as error:
            raise ConnectionLost("the watch ended in the middle of an event") from error

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def _event(line: bytes) -> WatchEvent:
    try:
        event = loads(line)
    except ValueError as error:
        raise InvalidAnswer(f"unable to decode an event from the watch stream: {error}") from error
    if not (isinstance(event, Mapping) and isinstance(event.get("object"), dict)):
        raise InvalidAnswer("unable to decode an event from the watch stream: no type and object")
    if event.get("type") == "ERROR":
        raise from_status(event["object"])
    return WatchEvent(str(event.get("type")), event["object"])
