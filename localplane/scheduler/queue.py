"""Pods that wait for a place: those whose turn it is, those who were tried and must wait a moment, and those for whom
something has to change first.

Kubernetes: pkg/scheduler/backend/queue.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import count
from typing import Final

from localplane.apimachinery.clock import elapsed
from localplane.apimachinery.clock.waiting import mind, time_limit

from .queueing_hints import GATED, Happening, Wakes
from .state.pod_info import PodInfo

_FIRST_BACKOFF: Final = 1.0
_LONGEST_BACKOFF: Final = 10.0
_LONGEST_WAIT: Final = 300.0
"""Whoever has waited so long is tried again, in case that something was missed."""


class QueuePlace(Enum):
    ACTIVE = auto()
    BACKOFF = auto()
    UNSCHEDULABLE = auto()
    IN_FLIGHT = auto()
    NOWHERE = auto()


@dataclass(slots=True, eq=False)
class QueuedPod:
    """`since` is when it came to its place, in seconds; `rejectors` are the plugins that rejected it last, and none if
    it failed because of an error; `group` is where it waits. `meanwhile` is what happened while it was being tried."""

    info: PodInfo
    since: float
    place: QueuePlace = QueuePlace.NOWHERE
    attempts: int = 0
    rejected: int = 0
    failed: int = 0
    ready_at: float = 0.0
    rejectors: frozenset[str] = frozenset()
    group: frozenset[str] = frozenset()
    meanwhile: list[Happening] = field(default_factory=list)
    ticket: int = 0


class SchedulingQueue:
    """`gate` says which plugin keeps a pod from being tried at all. `clock` counts seconds."""

    def __init__(self, wakes: Wakes, gate: Callable[[PodInfo], str], *, clock: Callable[[], float] = elapsed) -> None:
        self._wakes = wakes
        self._gate = gate
        self._clock = clock
        self._pods: dict[str, QueuedPod] = {}
        self._in_flight: dict[str, QueuedPod] = {}
        self._waiting: dict[str, QueuedPod] = {}
        self._groups: dict[frozenset[str], dict[str, QueuedPod]] = {}
        self._active: list[tuple[int, float, int, QueuedPod]] = []
        self._backoff: list[tuple[float, int, float, int, QueuedPod]] = []
        self._held: dict[str, bool] = {}
        self._tickets = count(1)
        self._changed = asyncio.Event()
        mind(self)

    def work_in_hand(self) -> str:
        """A pod that is being placed or could be."""
        queued = next(iter(self._in_flight.values()), None) or (self._active[0][-1] if self._active else None)
        return queued.info.key if queued is not None else ""

    def get(self, uid: str) -> QueuedPod | None:
        return self._pods.get(uid)

    # Pods come and go

    def add(self, info: PodInfo) -> None:
        queued = QueuedPod(info, self._clock())
        self._pods[info.uid] = queued
        self._activate(queued)

    def update(self, old: PodInfo, new: PodInfo) -> None:
        """The pod itself has changed; it may have become easier to place."""
        queued = self._pods.get(new.uid)
        if queued is None:
            if new.uid not in self._in_flight:
                self.add(new)
            return
        queued.info = new
        if queued.place is QueuePlace.ACTIVE:
            self._push_active(queued)
        happenings = self._wakes.of_target(old, new)
        if queued.place is QueuePlace.IN_FLIGHT:
            queued.meanwhile.extend(happenings)
        elif queued.place is QueuePlace.UNSCHEDULABLE and any(self._wakes.wake(queued, each) for each in happenings):
            self._requeue(queued)

    def delete(self, uid: str) -> None:
        queued = self._pods.pop(uid, None)
        if queued is not None:
            self._take(queued)
        self._in_flight.pop(uid, None)

    # One pod after another

    async def pop(self) -> QueuedPod:
        """The most important pod, then the one that has waited longest. If there is nobody else, then one that was
        woken need not wait for the end of its time; only one that failed because of an error must."""
        while True:
            self._end_backoff()
            queued = self._next_active() or self._next_woken()
            if queued is not None:
                self._take(queued)
                queued.place = QueuePlace.IN_FLIGHT
                queued.attempts += 1
                queued.meanwhile = []
                self._in_flight[queued.info.uid] = queued
                return queued
            await self._wait()

    def done(self, queued: QueuedPod) -> None:
        """It has its place, or is gone: nothing that happened meanwhile matters."""
        self._in_flight.pop(queued.info.uid, None)
        if self._pods.get(queued.info.uid) is queued:
            del self._pods[queued.info.uid]
        queued.place = QueuePlace.NOWHERE

    def put_back(self, queued: QueuedPod, info: PodInfo, rejectors: frozenset[str]) -> None:
        """It has no place yet. Something may have happened meanwhile that makes it worth another try."""
        uid = info.uid
        self._in_flight.pop(uid, None)
        queued.info, queued.rejectors, queued.since = info, rejectors, self._clock()
        self._pods[uid] = queued
        if rejectors:
            queued.rejected += 1
            queued.failed = 0
        else:
            queued.failed += 1
        tries = queued.failed or queued.rejected
        queued.ready_at = queued.since + min(_FIRST_BACKOFF * 2.0 ** min(tries - 1, 10), _LONGEST_BACKOFF)
        if not rejectors or any(self._wakes.wake(queued, each) for each in queued.meanwhile):
            self._requeue(queued)
        else:
            self._wait_for_change(queued)

    # Something happens

    def move(self, happening: Happening, *, only: Callable[[PodInfo], bool] | None = None) -> None:
        """Wake those whom it may help."""
        for queued in self._in_flight.values():
            if only is None or only(queued.info):
                queued.meanwhile.append(happening)
        woken = []
        for rejectors, group in self._groups.items():
            # Most of what happens helps none of those who were rejected so: then nobody is asked one by one.
            if hints := self._wakes.hints(rejectors, happening):
                woken += [
                    queued
                    for queued in group.values()
                    if (only is None or only(queued.info)) and any(hint.test(queued.info, happening) for hint in hints)
                ]
        for queued in woken:
            self._requeue(queued)

    def hold(self, uid: str) -> None:
        """Nobody tries this pod before it is released: others are being moved out for it."""
        self._held[uid] = False

    def release(self, uid: str, *, wake: bool) -> None:
        """`wake` if it can't hope for anything to happen."""
        woken = self._held.pop(uid, False)
        queued = self._pods.get(uid)
        if queued is not None and queued.place is QueuePlace.UNSCHEDULABLE and (woken or wake):
            self._requeue(queued)

    # Inside

    def _activate(self, queued: QueuedPod) -> None:
        if gate := self._gate(queued.info):
            queued.rejectors |= {gate, GATED}
            self._wait_for_change(queued)
            return
        queued.rejectors -= {GATED}
        self._end_waiting(queued)
        queued.place = QueuePlace.ACTIVE
        self._push_active(queued)

    def _push_active(self, queued: QueuedPod) -> None:
        queued.ticket = next(self._tickets)
        heapq.heappush(self._active, (-queued.info.priority, queued.since, queued.ticket, queued))
        self._changed.set()

    def _requeue(self, queued: QueuedPod) -> None:
        """At once if its time is over, later if not."""
        uid = queued.info.uid
        if uid in self._held:
            self._held[uid] = True
            self._wait_for_change(queued)
            return
        if queued.ready_at <= self._clock():
            self._activate(queued)
            return
        if gate := self._gate(queued.info):
            queued.rejectors |= {gate, GATED}
            self._wait_for_change(queued)
            return
        queued.rejectors -= {GATED}
        self._end_waiting(queued)
        queued.place, queued.ticket = QueuePlace.BACKOFF, next(self._tickets)
        entry = (queued.ready_at, -queued.info.priority, queued.since, queued.ticket, queued)
        heapq.heappush(self._backoff, entry)
        self._changed.set()

    def _wait_for_change(self, queued: QueuedPod) -> None:
        self._end_waiting(queued)
        queued.place, queued.group = QueuePlace.UNSCHEDULABLE, queued.rejectors
        self._waiting[queued.info.uid] = queued
        self._groups.setdefault(queued.group, {})[queued.info.uid] = queued
        self._changed.set()

    def _end_waiting(self, queued: QueuedPod) -> None:
        uid = queued.info.uid
        if self._waiting.pop(uid, None) is not None:
            group = self._groups[queued.group]
            del group[uid]
            if not group:
                del self._groups[queued.group]

    def _take(self, queued: QueuedPod) -> None:
        """Out of wherever it is; what is left of it in a heap is passed over."""
        self._end_waiting(queued)
        queued.place, queued.ticket = QueuePlace.NOWHERE, 0

    def _next_active(self) -> QueuedPod | None:
        while self._active:
            _, _, ticket, queued = heapq.heappop(self._active)
            if queued.place is QueuePlace.ACTIVE and queued.ticket == ticket:
                return queued
        return None

    def _next_woken(self) -> QueuedPod | None:
        failed = []
        found = None
        while self._backoff and found is None:
            entry = heapq.heappop(self._backoff)
            queued = entry[-1]
            if queued.place is QueuePlace.BACKOFF and queued.ticket == entry[3]:
                if queued.rejectors:
                    found = queued
                else:
                    failed.append(entry)
        for entry in failed:
            heapq.heappush(self._backoff, entry)
        return found

    def _end_backoff(self) -> None:
        now = self._clock()
        while self._backoff and self._backoff[0][0] <= now:
            entry = heapq.heappop(self._backoff)
            queued = entry[-1]
            if queued.place is QueuePlace.BACKOFF and queued.ticket == entry[3]:
                self._activate(queued)
        # They are in the order in which they came, except for those whose gate has not opened.
        for queued in list(self._waiting.values()):
            if queued.since + _LONGEST_WAIT > now:
                break
            queued.since = now
            self._wait_for_change(queued)
            if GATED not in queued.rejectors:
                self._requeue(queued)

    async def _wait(self) -> None:
        """Until there is something new, or somebody's time is over."""
        self._changed.clear()
        due = [self._backoff[0][0]] if self._backoff else []
        oldest = next(iter(self._waiting.values()), None)
        if oldest is not None:
            due.append(oldest.since + _LONGEST_WAIT)
        timeout = max(0.0, min(due) - self._clock()) if due else None
        with suppress(TimeoutError):
            async with time_limit(timeout):
                await self._changed.wait()
