"""Waiting for an answer, but not for ever: in an event loop, or where one thing is done after another.

Whose logs, and how they come: one after another, or all at once when they are followed.

Kubernetes: polymorphichelpers, logsForObject; kubectl/pkg/cmd/logs.
"""

from __future__ import annotations

import queue
import sys
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError
from kctl.session.session import Session
from kctl.streaming import remote
from kctl.streaming.pods import all_names, container_names, default_container, find_container, path_of, pods_of
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.client.errors import ClientError
from localplane.client.rest.statuses import Subject
from localplane.client.transport.driver import drive, sleep

Write = Callable[[bytes], None]
_ACCEPT = ("Accept", "application/json, */*")
_PAUSE = 1.0


class Log(NamedTuple):
    """One container's. `prefix` goes before each of its lines."""

    path: str
    query: tuple[tuple[str, str], ...]
    prefix: bytes


async def logs_of(
    session: Session, flags: FlagSet, obj: JSONObject, options: list[tuple[str, str]], container: str
) -> list[Log]:
    """Of a pod, of a list of pods, or of what selects pods."""
    if isinstance(obj.get("items"), list):
        pods = obj["items"]
    elif obj.get("kind") == "Pod":
        pods = [obj]
    else:
        pods = await _selected(session, flags, obj)
    prefixed = flags.is_on("prefix") or flags.is_on("all-pods")
    found = []
    for pod in pods:
        for name in _containers(session, flags, pod, container):
            prefix = f"[pod/{pod['metadata']['name']}/{name}] ".encode() if prefixed else b""
            found.append(Log(path_of(pod, "log"), (("container", name), *options), prefix))
    return found


async def _selected(session: Session, flags: FlagSet, obj: JSONObject) -> list[JSONObject]:
    within = flags.seconds("pod-running-timeout")
    pods = remote.best_to_log(await pods_of(session, obj, action="cannot get the logs from", within=within))
    if len(pods) > 1 and not flags.is_on("all-pods"):
        session.say(f"Found {len(pods)} pods, using pod/{pods[0]['metadata']['name']}\n")
        return pods[:1]
    return pods


def _containers(session: Session, flags: FlagSet, pod: JSONObject, container: str) -> list[str]:
    """An annotation that names none is said and forgotten, other than where a process is run."""
    if flags.is_on("all-containers"):
        return container_names(pod)
    names = container_names(pod)
    wanted = container or default_container(pod)
    if not container and wanted and wanted not in names:
        session.say(f"Default container name {go_quote(wanted)} not found in pod {pod['metadata']['name']}\n")
        wanted = ""
    if not wanted:
        wanted = pod["spec"]["containers"][0]["name"]
        if len(names) > 1 and not flags.is_on("all-pods"):
            session.say(f"Defaulted container {go_quote(wanted)} out of: {all_names(pod)}\n")
    return [find_container(pod, wanted)["name"]]


class Printing:
    """`follow` tries again what the server refuses, for `within` seconds. Kubernetes: LogsOptions.consumeWithRetry."""

    def __init__(self, session: Session, *, follow: bool, ignore_errors: bool, within: float) -> None:
        self._session = session
        self._follow = follow
        self._ignore_errors = ignore_errors
        self._within = within

    async def in_turn(self, logs: list[Log]) -> None:
        """Raises APIError, KctlError and ConnectionFailed."""
        for log in logs:
            await self._patiently(self._session, log, writer(self._session))

    def at_once(self, logs: list[Log]) -> None:
        """Each in a thread with a connection of its own; whole lines are written, so that they don't mix.

        Raises the first failure, without waiting for the others.
        """
        heard: queue.SimpleQueue[bytes | Exception | None] = queue.SimpleQueue()

        def follow(log: Log) -> None:
            own = Session(self._session.flags, command=self._session.command)
            try:
                drive(lambda: self._patiently(own, log, heard.put))
            except (APIError, ClientError, KctlError) as error:
                heard.put(error)
            heard.put(None)

        for log in logs:
            threading.Thread(target=follow, args=(log,), daemon=True).start()
        write, running = writer(self._session), len(logs)
        while running:
            piece = heard.get()
            if isinstance(piece, Exception):
                raise piece
            if piece is None:
                running -= 1
            else:
                write(piece)

    async def _patiently(self, session: Session, log: Log, write: Write) -> None:
        give_up = time.monotonic() + self._within
        while True:
            try:
                await _print(session, log, write)
            except APIError as error:
                if self._ignore_errors:
                    write(f"error: {error}\n".encode())
                    return
                if not self._follow:
                    raise
                session.say(f"{error}\n")
            else:
                return
            await _pause(give_up)


async def _pause(give_up: float) -> None:
    await sleep(max(0.0, min(_PAUSE, give_up - time.monotonic())))
    if time.monotonic() >= give_up:
        raise KctlError("context deadline exceeded")


async def _print(session: Session, log: Log, write: Write) -> None:
    """Until it ends, a line at a time. Raises APIError and ConnectionFailed."""
    response = await session.client.stream("GET", log.path, query=log.query, headers=[_ACCEPT], subject=Subject("GET"))
    try:
        rest = b""
        async for piece in response.chunks():
            *lines, rest = (rest + piece).split(b"\n")
            if lines:
                write(b"".join(log.prefix + line + b"\n" for line in lines))
        if rest:
            write(log.prefix + rest)
    finally:
        await response.close()


def writer(session: Session) -> Write:
    """A log is what a program says, not what an object contains: a terminal gets it as it is, as from the program."""
    del session

    def write(data: bytes) -> None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    return write
