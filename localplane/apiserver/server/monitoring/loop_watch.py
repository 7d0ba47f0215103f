"""How late the event loop runs, and who holds it when it is held for long.

The loop beats: a timer notes how late it comes, which is how long everybody else had to wait. A thread beside it sees
when a beat stays out, and looks at what the loop's thread is doing: that is what the log names. While requests come
both look ten times a second, otherwise every five seconds, so that an idle server stays idle.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path
from types import FrameType

import localplane
from localplane.apiserver.request import Request

from .exposition import Family, histogram_samples

_log = logging.getLogger(__name__)

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.5, 5.0, 10.0)
_BUSY_SECONDS = 0.1
_IDLE_SECONDS = 5.0
_OURS = Path(localplane.__file__).resolve().parents[1]


class LoopWatch:
    """Of the loop that it is started in. Above `tolerated` the log tells who it was."""

    def __init__(self, *, tolerated: timedelta = timedelta(milliseconds=200)) -> None:
        self._tolerated = tolerated.total_seconds()
        self._counts = [0] * (len(_BUCKETS) + 1)
        self._seconds = 0.0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._loop_thread = 0
        self._timer: asyncio.TimerHandle | None = None
        self._busy = self._resting = False
        self._due = self._cpu = 0.0
        self._suspect = ""
        self._wake = threading.Event()
        self._stopped = False
        self._thread = threading.Thread(target=self._look, name="loop-watch", daemon=True)

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._loop_thread = threading.get_ident()
        self._schedule(_BUSY_SECONDS)
        self._thread.start()

    def stop(self) -> None:
        if self._timer is None:
            return
        self._timer.cancel()
        self._timer = None
        self._stopped = True
        self._wake.set()
        self._thread.join()

    def note_request(self) -> None:
        """Called for each of them, so it does next to nothing."""
        self._busy = True
        if self._resting and self._timer is not None:
            self._timer.cancel()
            self._schedule(_BUSY_SECONDS)
            self._wake.set()

    @property
    def has_noticed(self) -> bool:
        """The loop is being held, and whose doing it is has been found out."""
        return bool(self._suspect)

    @property
    def is_resting(self) -> bool:
        return self._resting

    def families(self) -> Iterable[Family]:
        family = Family("apiserver_event_loop_lag_seconds", "histogram", "How late timers of the event loop ran.")
        family.samples += histogram_samples((), _BUCKETS, self._counts, self._seconds)
        return [family]

    # --- in the loop ---

    def _schedule(self, seconds: float) -> None:
        assert self._loop is not None
        self._resting = seconds > _BUSY_SECONDS
        self._cpu = time.thread_time()
        self._due = time.perf_counter() + seconds
        self._timer = self._loop.call_later(seconds, self._beat)

    def _beat(self) -> None:
        late = max(0.0, time.perf_counter() - self._due)
        self._counts[bisect_left(_BUCKETS, late)] += 1
        self._seconds += late
        suspect, self._suspect = self._suspect, ""
        if late > self._tolerated:
            self._report(late, time.thread_time() - self._cpu, suspect)
        busy, self._busy = self._busy, False
        self._schedule(_BUSY_SECONDS if busy else _IDLE_SECONDS)

    def _report(self, late: float, cpu: float, suspect: str) -> None:
        """A machine that gave us no time is nobody's fault here."""
        if suspect or cpu > self._tolerated / 2:
            by = f" by {suspect}" if suspect else ""
            _log.warning("the event loop was held for %.0f ms (CPU %.0f ms)%s", late * 1e3, cpu * 1e3, by)

    # --- in the thread ---

    def _look(self) -> None:
        while not self._stopped:
            wanted = time.perf_counter() + (_IDLE_SECONDS if self._resting else _BUSY_SECONDS)
            if self._wake.wait(wanted - time.perf_counter()):
                self._wake.clear()
                continue
            now, due = time.perf_counter(), self._due
            if now - due <= self._tolerated or self._suspect or now - wanted > self._tolerated / 2:
                continue  # or we come late ourselves: then it is the machine
            frame = sys._current_frames().get(self._loop_thread)  # noqa: SLF001 - there is no other name for it
            if frame is not None and due == self._due:
                self._suspect = _described(frame)


def _described(frame: FrameType) -> str:
    """The request that the frames are about, and the innermost of our own."""
    frames = list(_outwards(frame))
    requests = (each.f_locals.get("request") for each in frames)
    request = next((found for found in requests if isinstance(found, Request)), None)
    asked = f"{request.method} {request.path}" if request is not None else "something that is no request"
    ours = next((each for each in frames if each.f_code.co_filename.startswith(str(_OURS))), frame)
    code = ours.f_code
    return f"{asked}, in {code.co_qualname} ({code.co_filename.removeprefix(f'{_OURS}/')}:{ours.f_lineno})"


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back
