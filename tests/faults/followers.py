"""Clients that watch, leave at random, and go on where they left.

`Follower` keeps the streams of one prefix and decides what comes next; where events come from is its heirs' business.
"""

from __future__ import annotations

import asyncio
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from random import Random

from tests.faults.history import Event, EventType, Operation, Outcome, Rule, Stream, Violation
from tests.faults.hosts import HostProcess
from tests.faults.recorder import Recorder
from tests.faults.wire import Disconnected, Line, Message

_SHORTEST, _LONGEST = 0.2, 1.5
_PAUSE = 0.05
_OPENS_WITHIN = 5.0
_SETTLES_WITHIN = 30.0


class Follower(ABC):
    """Follows one prefix through many streams. When `settle` is set it stays in the one it has."""

    def __init__(self, prefix: str, recorder: Recorder, seed: int) -> None:
        self.settle = asyncio.Event()
        self.prefix = prefix
        self._recorder = recorder
        self._random = Random(seed)
        self._stream: Stream | None = None
        self._progress = asyncio.Condition()

    async def run(self) -> None:
        """For ever; cancelled in the end, which leaves the stream it is in marked as live."""
        while True:
            with suppress(Disconnected):
                await self._follow(self._next_stream())
            if self._stream is not None:
                self._stream.live = False
            await asyncio.sleep(self._random.uniform(0, _PAUSE))

    async def reached(self, revision: int) -> None:
        """Return when an open stream stands at a revision, which must be one of this prefix."""
        async with self._progress:
            await self._progress.wait_for(lambda: self._is_live_at(revision))

    @property
    def is_live(self) -> bool:
        return self._stream is not None and self._stream.live

    def _is_live_at(self, revision: int) -> bool:
        return self.is_live and self._stream is not None and (self._stream.position or 0) >= revision

    def _next_stream(self) -> Stream:
        """Mostly the continuation of the last one; now and then a new beginning, from the state or from the past."""
        last, choice = self._stream, self._random.random()
        position = last.position if last is not None and not last.expired else None
        number = self._recorder.number()
        if last is None or position is None or choice < 0.08:
            return Stream(number, self.prefix, 0.0)
        if choice < 0.16:
            return Stream(number, self.prefix, 0.0, start=max(2, position - self._random.randrange(100)))
        return Stream(number, self.prefix, 0.0, start=position, resumes=last.id)

    @abstractmethod
    async def _follow(self, stream: Stream) -> None:
        """Open the stream and take its events until it is left or ends; raises Disconnected."""

    def _refused(self, stream: Stream, why: str) -> None:
        """A watch that did not open leaves no trace, unless it was told that its history is gone."""
        self._recorder.watch_ends[why.partition(":")[0]] += 1
        if why == "expired":
            stream.expired = True
            self._recorder.streams.append(stream)
            self._stream = stream

    def _opened(self, stream: Stream) -> float:
        """It counts from now on; returns when to leave it, on the loop's clock."""
        stream.live = True
        self._recorder.streams.append(stream)
        self._stream = stream
        return asyncio.get_running_loop().time() + self._random.uniform(_SHORTEST, _LONGEST)

    def _ended(self, stream: Stream, why: str) -> None:
        stream.expired = why == "expired"
        self._recorder.watch_ends[why.partition(":")[0]] += 1

    async def _taken(self, stream: Stream, events: Iterable[Event]) -> None:
        stream.events.extend(events)
        async with self._progress:
            self._progress.notify_all()


def at_rest(last: Sequence[Operation | None]) -> float:
    """The revision of the last write that everybody is waited for with."""
    return max(
        (write.revision for write in last if write is not None and write.outcome is Outcome.OK), default=math.inf
    )


async def settled(followers: Sequence[Follower], last: Sequence[Operation | None]) -> list[Violation]:
    """Wait until every follower has seen the last write of its prefix in a stream that is still open."""
    for follower in followers:
        follower.settle.set()
    written = [operation for operation in last if operation is not None and operation.outcome is Outcome.OK]
    with suppress(TimeoutError):
        async with asyncio.timeout(_SETTLES_WITHIN):
            for follower in followers:
                mine = [write.revision for write in written if write.key.startswith(follower.prefix)]
                await follower.reached(max(mine, default=0))
    return [
        Violation(Rule.LIVENESS, f"a follower of {follower.prefix} found no watch that stays open")
        for follower in followers
        if not follower.is_live
    ]


class HostFollower(Follower):
    """Follows whichever host it meets, over the line protocol."""

    def __init__(self, hosts: list[HostProcess], prefix: str, recorder: Recorder, seed: int) -> None:
        super().__init__(prefix, recorder, seed)
        self._hosts = hosts

    async def _follow(self, stream: Stream) -> None:
        host = self._random.choice(self._hosts)
        await host.up.wait()
        line = await Line.connect(host.socket)
        stream.opened, stream.served_since = self._recorder.now(), host.since
        request = {"op": "watch", "key": self.prefix, "start": stream.start, "bookmark_after": 0.3}
        try:
            async with asyncio.timeout(_OPENS_WITHIN):
                first = await line.ask(request)
            if "end" in first:
                self._refused(stream, first["end"])
                return
            await self._read(line, stream)
        except TimeoutError as error:
            raise Disconnected("the watch did not open") from error
        finally:
            line.close()

    async def _read(self, line: Line, stream: Stream) -> None:
        leave_at = self._opened(stream)
        while True:
            try:
                async with asyncio.timeout_at(None if self.settle.is_set() else leave_at):
                    message = await line.receive()
            except TimeoutError:
                if self.settle.is_set():
                    continue
                return
            if "end" in message:
                self._ended(stream, message["end"])
                return
            await self._taken(stream, _events(stream, message))


def _events(stream: Stream, message: Message) -> Iterator[Event]:
    filling = stream.position is None
    for event in message["events"]:
        yield _event(event, initial=filling and not event["end"])
        filling = filling and not event["end"]


def _event(message: Message, *, initial: bool) -> Event:
    return Event(
        EventType(message["type"]),
        message["revision"],
        message.get("key", ""),
        message.get("value"),
        initial=initial,
        initial_end=message["end"],
    )
