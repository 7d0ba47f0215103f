"""Clocks of a connection: one timer for all deadlines, and one that notices a peer that has fallen silent."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol

from .streams import NEVER

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Mapping

    from .streams import Stream

_CLOCK_GRAIN = 0.001  # uvloop's clock has milliseconds


class Deadlines:
    """Calls `expired` for every stream whose deadline has passed.

    One timer, armed for the earliest deadline, costs a call nothing in the usual case: with equal timeouts a newer
    call never needs to move it.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, streams: Mapping[int, Stream], expired: Callable[[Stream], None]
    ) -> None:
        self._loop = loop
        self._streams = streams
        self._expired = expired
        self._armed_for = NEVER
        self._timer: asyncio.TimerHandle | None = None

    def include(self, deadline: float) -> None:
        if deadline < self._armed_for:
            self.stop()
            self._armed_for = deadline
            self._timer = self._loop.call_at(deadline, self._fire)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._armed_for = None, NEVER

    def _fire(self) -> None:
        self.stop()
        now = self._loop.time() + _CLOCK_GRAIN
        for stream in [stream for stream in self._streams.values() if stream.deadline <= now]:
            self._expired(stream)
        self.include(min((stream.deadline for stream in self._streams.values()), default=NEVER))


@dataclass(frozen=True, slots=True)
class KeepAliveTimes:
    """After `interval` without a byte from the peer it is asked for a sign of life, and has `patience` to give it.

    etcd calls more than one such question in 5 s abuse (--grpc-keepalive-min-time), and any while no call is open.
    """

    interval: timedelta = timedelta(seconds=6)
    patience: timedelta = timedelta(seconds=4)


class Peer(Protocol):
    """A connection as its keep-alive sees it."""

    @property
    def heard_at(self) -> float: ...
    @property
    def busy(self) -> bool: ...
    def ping(self) -> None: ...
    def give_up(self, reason: str) -> None: ...


class KeepAlive:
    """Pings a silent peer while calls are open, and gives the connection up when no answer comes."""

    def __init__(self, loop: asyncio.AbstractEventLoop, peer: Peer, times: KeepAliveTimes) -> None:
        self._loop = loop
        self._peer = peer
        self._interval = times.interval.total_seconds()
        self._patience = times.patience.total_seconds()
        self._timer = loop.call_later(self._interval, self._look)

    def stop(self) -> None:
        self._timer.cancel()

    def _look(self) -> None:
        now = self._loop.time()
        quiet_for = now - self._peer.heard_at
        if not self._peer.busy:
            self._timer = self._loop.call_later(self._interval, self._look)
        elif quiet_for + _CLOCK_GRAIN < self._interval:
            self._timer = self._loop.call_later(self._interval - quiet_for, self._look)
        else:
            self._peer.ping()
            self._timer = self._loop.call_later(self._patience, self._judge, now)

    def _judge(self, asked_at: float) -> None:
        if self._peer.heard_at < asked_at:
            self._peer.give_up("the peer does not answer keep-alive pings")
        else:
            self._look()
