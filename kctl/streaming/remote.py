"""Which of several pods is the best to talk to. Kubernetes: kubectl/pkg/util/podutils (ByLogging, ActivePods).

A process in a container, with our standard streams or others for its own.

Stdin is read in a thread, because a file that somebody redirected here can't be waited for otherwise.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any, Self

from kctl.errors import KctlError
from kctl.session.session import Session
from kctl.streaming.channels import ERROR, RESIZE, STDERR, STDIN, STDOUT, Conversation, converse, exit_code_of
from kctl.streaming.terminal import kept_safe, size_told
from localplane.apimachinery.golang import sources
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.client.errors import ConnectionLost

_PHASES = {"Running": 0, "Unknown": 1, "Pending": 2}
_NEVER = "~"
"""Sorts after every time."""


def best_to_log(pods: Iterable[JSONObject]) -> list[JSONObject]:
    """On a node, running, ready for long, often restarted, old: first."""
    return sorted(pods, key=lambda pod: (*_running(pod, others=0), _ready_since(pod), *_restarts(pod), _created(pod)))


def most_active(pods: Iterable[JSONObject]) -> list[JSONObject]:
    """The same, but those that are about to go come later, and those that were often restarted last."""
    return sorted(
        pods,
        key=lambda pod: (
            *_running(pod, others=2),
            *_going(pod),
            _ready_since(pod),
            *(-number for number in _restarts(pod)),
            _created(pod),
        ),
    )


def _running(pod: JSONObject, *, others: int) -> tuple[bool, int, bool]:
    """`others` is the rank of phases that have none, such as Succeeded."""
    on_a_node = bool((pod.get("spec") or {}).get("nodeName"))
    return not on_a_node, _PHASES.get(str((pod.get("status") or {}).get("phase")), others), _ready_since(pod) == ""


def _going(pod: JSONObject) -> tuple[bool, str]:
    """Those that go last are first."""
    deleted = str((pod.get("metadata") or {}).get("deletionTimestamp") or "")
    return bool(deleted), "".join(chr(0x7F - ord(one)) for one in deleted)


def _ready_since(pod: JSONObject) -> str:
    """Nothing for a pod that is not ready."""
    for one in (pod.get("status") or {}).get("conditions") or ():
        if one.get("type") == "Ready" and one.get("status") == "True":
            return str(one.get("lastTransitionTime") or _NEVER)
    return ""


def _restarts(pod: JSONObject) -> tuple[int, int]:
    """Of containers and of sidecars, negative: more restarts come first."""
    status, spec = pod.get("status") or {}, pod.get("spec") or {}
    sidecars = {one["name"] for one in spec.get("initContainers") or () if one.get("restartPolicy") == "Always"}
    regular = [one.get("restartCount", 0) for one in status.get("containerStatuses") or ()]
    beside = [
        one.get("restartCount", 0) for one in status.get("initContainerStatuses") or () if one.get("name") in sidecars
    ]
    return -max(regular, default=0), -max(beside, default=0)


def _created(pod: JSONObject) -> str:
    return str((pod.get("metadata") or {}).get("creationTimestamp") or _NEVER)


_PIECE = 32 * 1024
Read = Callable[[], bytes]
Write = Callable[[bytes], object]


class Streams:
    """Where the process's streams come from and go to. `read` returns nothing at its end; None is no stdin at all."""

    def __init__(self, read: Read | None, out: Write, err: Write | None) -> None:
        self.read = read
        self.out = out
        self.err = err


def standard_streams(*, stdin: bool, terminal: bool) -> Streams:
    """Ours. A terminal has one stream for all that is said."""
    return Streams(
        (lambda: os.read(sys.stdin.fileno(), _PIECE)) if stdin else None,
        _to(sys.stdout),
        None if terminal else _to(sys.stderr),
    )


def _to(file: Any) -> Write:
    def write(data: bytes) -> None:
        file.flush()
        file.buffer.write(data)
        file.flush()

    return write


async def run_remote(
    session: Session,
    path: str,
    query: list[tuple[str, str]],
    streams: Streams,
    *,
    terminal: bool = False,
    redraw: bool = False,
) -> int:
    """Its exit code. Raises KctlError, ConnectionFailed; Ended where a signal ends us."""
    wanted = {"stdin": streams.read is not None, "stdout": True, "stderr": streams.err is not None, "tty": terminal}
    parameters = [*query, *((name, "true") for name, on in wanted.items() if on)]
    channels = [ERROR, STDOUT]
    channels += [STDIN] if streams.read is not None else []
    channels += [STDERR] if streams.err is not None else []
    channels += [RESIZE] if terminal else []
    with ExitStack() as stack:
        if streams.read is not None:
            stack.enter_context(kept_safe(raw=terminal))
        conversation = await converse(session, path, parameters, channels)
        try:
            async with _Sending(conversation, streams.read) as sending:
                if terminal:
                    stack.enter_context(size_told(sending.resize, redraw=redraw))
                return await _listen(session, conversation, streams)
        finally:
            await conversation.close()


async def _listen(session: Session, conversation: Conversation, streams: Streams) -> int:
    said = b""
    try:
        while (message := await conversation.receive()) is not None:
            channel, data = message
            if channel == STDOUT:
                streams.out(data)
            elif channel == STDERR and streams.err is not None:
                streams.err(data)
            elif channel == ERROR:
                said += data
    except ConnectionLost as error:
        why = f"next reader: {error}"
        session.log_error(f'"Copying stdout failed" err={go_quote(why)}', place=sources.COPYING_STDOUT)
        if streams.err is not None:
            session.log_error(f'"Copying stderr failed" err={go_quote(why)}', place=sources.COPYING_STDERR)
        raise KctlError(f"error reading from error stream: {why}") from error
    return exit_code_of(said, conversation.protocol)


class _Sending:
    """What goes to the other side while we listen: stdin, and sizes."""

    def __init__(self, conversation: Conversation, read: Read | None) -> None:
        self._conversation = conversation
        self._read = read
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        if self._read is not None:
            self._start(_feed(self._conversation, self._read))
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()

    def resize(self, size: bytes) -> None:
        self._start(_send(self._conversation, RESIZE, size))

    def _start(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _send(conversation: Conversation, channel: int, data: bytes) -> None:
    try:
        await conversation.send(channel, data)
    except ConnectionLost:
        return  # whoever listens hears of it


async def _feed(conversation: Conversation, read: Read) -> None:
    """Until stdin ends, which the other side is told."""
    loop = asyncio.get_running_loop()
    pieces: asyncio.Queue[bytes] = asyncio.Queue(4)

    def pump() -> None:
        while True:
            try:
                piece = read()
            except (OSError, ValueError):
                piece = b""
            try:
                asyncio.run_coroutine_threadsafe(pieces.put(piece), loop).result()
            except RuntimeError:
                return  # the loop has ended, and nobody waits for stdin any more
            if not piece:
                return

    threading.Thread(target=pump, daemon=True).start()
    try:
        while piece := await pieces.get():
            await conversation.send(STDIN, piece)
        await conversation.finish(STDIN)
    except ConnectionLost:
        return  # whoever listens hears of it


def wants_terminal(session: Session, *, stdin: bool, terminal: bool, quiet: bool) -> bool:
    """-t counts only with -i, and where there is a terminal."""
    if not (stdin and terminal):
        return False
    if sys.stdin.isatty():
        return True
    if not quiet:
        session.say("Unable to use a TTY - input is not a terminal or the right kind of file\n")
    return False
