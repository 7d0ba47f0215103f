"""The logs of simulated containers: one line for every change of state, and what understood commands print. They are
kept in memory, the last lines of the containers that were last heard of; what is not there any more is told anew out of
the pod's status.

Kubernetes: pkg/kubelet, GetKubeletContainerLogs and validateContainerLogStatus.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from localplane.apimachinery.errors import APIError, BadRequest
from localplane.apimachinery.golang.text import go_quote
from localplane.catalog.kubelets import LogOptions

from .pods.containers import time_of
from .pods.memory import Line
from .registration import is_simulated

JSONObject = Mapping[str, Any]
_MOST_LINES: Final = 500
_MOST_RUNS: Final = 4096
_STATUSES: Final = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")


@dataclass(slots=True)
class _Run:
    """The log of one run; `number` counts all its lines, those that are gone included."""

    lines: deque[Line] = field(default_factory=lambda: deque(maxlen=_MOST_LINES))
    number: int = 0
    is_over: bool = False
    readers: set[asyncio.Event] = field(default_factory=set)

    def add(self, line: Line) -> None:
        self.lines.append(line)
        self.number += 1
        self.is_over = self.is_over or line.ends
        for reader in self.readers:
            reader.set()

    def after(self, number: int) -> list[Line]:
        missing = min(self.number - number, len(self.lines))
        return list(self.lines)[len(self.lines) - missing :] if missing else []


class SimulatedLogs:
    """What answers for simulated nodes: they have logs, and nothing else."""

    def __init__(self) -> None:
        self._runs: OrderedDict[str, _Run] = OrderedDict()

    def add(self, line: Line) -> None:
        run = self._runs.get(line.container_id)
        if run is None:
            run = self._runs[line.container_id] = _Run()
            self._forget_the_oldest()
        run.add(line)

    def end(self, container_id: str) -> None:
        """No line follows: whoever reads on has read all."""
        run = self._runs.get(container_id)
        if run is not None:
            run.is_over = True
            for reader in run.readers:
                reader.set()

    def forget(self, container_id: str) -> None:
        self.end(container_id)
        self._runs.pop(container_id, None)

    def _forget_the_oldest(self) -> None:
        while len(self._runs) > _MOST_RUNS:
            self.forget(next(iter(self._runs)))

    def runs(self, node: JSONObject) -> bool:
        return is_simulated(node)

    def refuse_stream(self, pod: JSONObject, subresource: str) -> APIError:
        verb = {"portforward": "port-forward"}.get(subresource, subresource)
        name = pod["metadata"]["name"]
        return BadRequest(f"pod {name} is on a simulated node, where no processes run: {verb} is not possible")

    def log(self, pod: JSONObject, options: LogOptions) -> AsyncIterator[bytes]:
        """Raises APIError."""
        status = _status(pod, options.container)
        container_id = _container_id(pod, status, options)
        run = self._runs.get(container_id)
        if run is None:
            run = _told_anew(status, container_id)
            if not run.is_over:
                self._runs[container_id] = run
                self._forget_the_oldest()
        return _pieces(run, options)


async def _pieces(run: _Run, options: LogOptions) -> AsyncIterator[bytes]:
    chosen, number = _Chosen(options), run.number
    for piece in chosen.first(list(run.lines)):
        yield piece
    if options.follow:
        async for piece in _followed(run, chosen, number):
            yield piece


async def _followed(run: _Run, chosen: _Chosen, number: int) -> AsyncIterator[bytes]:
    news, read = asyncio.Event(), number
    run.readers.add(news)
    try:
        while not chosen.is_full:
            lines, read = run.after(read), run.number
            for piece in chosen.pieces(lines):
                yield piece
            if run.is_over and read == run.number:
                return
            await news.wait()
            news.clear()
    finally:
        run.readers.discard(news)


class _Chosen:
    """The lines that somebody asks for, as they are sent."""

    def __init__(self, options: LogOptions) -> None:
        self._options = options
        self._left = options.limit_bytes

    @property
    def is_full(self) -> bool:
        return self._left is not None and self._left <= 0

    def first(self, lines: list[Line]) -> Iterator[bytes]:
        since, tail = self._options.since, self._options.tail_lines
        if since is not None:
            lines = [line for line in lines if line.moment >= since.timestamp()]
        if tail is not None:
            lines = lines[len(lines) - min(tail, len(lines)) :]
        return self.pieces(lines)

    def pieces(self, lines: list[Line]) -> Iterator[bytes]:
        for line in lines:
            if self.is_full:
                return
            text = f"{_nanoseconds(line.moment)} {line.text}" if self._options.timestamps else line.text
            piece = f"{text}\n".encode()
            if self._left is not None:
                piece = piece[: self._left]
                self._left -= len(piece)
            yield piece


def _nanoseconds(moment: float) -> str:
    """RFC3339Nano, as the kubelet writes it."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f000Z")


def _status(pod: JSONObject, container: str) -> JSONObject:
    said = pod.get("status") or {}
    for name in _STATUSES:
        for status in said.get(name) or ():
            if status["name"] == container:
                found: JSONObject = status
                return found
    raise BadRequest(f"container {go_quote(container)} in pod {go_quote(pod['metadata']['name'])} is not available")


def _container_id(pod: JSONObject, status: JSONObject, options: LogOptions) -> str:
    """Of the run that has the log. Raises BadRequest."""
    state, last = status.get("state") or {}, (status.get("lastState") or {}).get("terminated") or {}
    subject = f"container {go_quote(options.container)} in pod {go_quote(pod['metadata']['name'])}"
    if options.previous:
        if not last.get("containerID"):
            raise BadRequest(f"previous terminated {subject} not found")
        return str(last["containerID"])
    if "running" in state:
        return str(status.get("containerID", ""))
    ended = (state.get("terminated") or {}).get("containerID") or last.get("containerID")
    if ended:
        return str(ended)
    if "terminated" in state:
        raise BadRequest(f"{subject} is terminated")
    reason = (state.get("waiting") or {}).get("reason", "")
    why = {
        "ErrImagePull": "image can't be pulled",
        "ImagePullBackOff": "trying and failing to pull image",
    }.get(reason, reason)
    raise BadRequest(f"{subject} is waiting to start: {why}")


def _told_anew(status: JSONObject, container_id: str) -> _Run:
    """A run whose lines are gone, or that is none of ours: its status says when it began and ended."""
    run = _Run()
    for state in (status.get("lastState") or {}, status.get("state") or {}):
        ended, running = state.get("terminated"), state.get("running")
        if ended and ended.get("containerID") == container_id:
            _add(run, status, container_id, ended.get("startedAt"), "started")
            code = f"ended with exit code {ended['exitCode']} ({ended.get('reason', '')})"
            _add(run, status, container_id, ended.get("finishedAt"), code)
            run.is_over = True
        elif running and status.get("containerID", "") == container_id:
            _add(run, status, container_id, running.get("startedAt"), "started")
    return run


def _add(run: _Run, status: JSONObject, container_id: str, moment: Any, what: str) -> None:
    seen = time_of(moment)
    if seen is not None:
        text = f"[simulated] container {status['name']} {what}"
        run.add(Line(status["name"], container_id, seen.timestamp(), text))
