"""Whose logs, and how they come: one after another, or all at once when they are followed.

Kubernetes: polymorphichelpers, logsForObject; kubectl/pkg/cmd/logs.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from localplane.apimachinery.errors import APIError
from localplane.client.statuses import Subject

from .pods import container_names, container_of, find_container, path_of, pods_of

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session

Object = dict[str, Any]


class Log(NamedTuple):
    """One container's. `prefix` goes before each of its lines."""

    path: str
    query: tuple[tuple[str, str], ...]
    prefix: bytes


async def logs_of(
    session: Session, given: Given, obj: Object, options: list[tuple[str, str]], container: str
) -> list[Log]:
    """Of a pod, of a list of pods, or of what selects pods."""
    if isinstance(obj.get("items"), list):
        pods = obj["items"]
    elif obj.get("kind") == "Pod":
        pods = [obj]
    else:
        within = given.seconds("pod-running-timeout")
        pods = await pods_of(session, obj, action="cannot get the logs from", within=within)
        if len(pods) > 1 and not given.is_on("all-pods"):
            session.say(f"Found {len(pods)} pods, using pod/{pods[0]['metadata']['name']}\n")
            pods = pods[:1]
    prefixed = given.is_on("prefix") or given.is_on("all-pods")
    found = []
    for pod in pods:
        for name in _containers(session, given, pod, container):
            prefix = f"[pod/{pod['metadata']['name']}/{name}] ".encode() if prefixed else b""
            found.append(Log(path_of(pod, "log"), (("container", name), *options), prefix))
    return found


def _containers(session: Session, given: Given, pod: Object, container: str) -> list[str]:
    if given.is_on("all-containers"):
        return container_names(pod)
    if container:
        return [find_container(pod, container)["name"]]
    return [container_of(session, pod, "", quiet=given.is_on("all-pods"))["name"]]


async def print_log(session: Session, log: Log, write: Any) -> None:
    """Until it ends. Raises APIError and ConnectionFailed."""
    response = await session.client.stream("GET", log.path, query=log.query, subject=Subject("GET"))
    try:
        rest = b""
        async for piece in response.chunks():
            if not log.prefix:
                write(piece)
                continue
            *lines, rest = (rest + piece).split(b"\n")
            write(b"".join(log.prefix + line + b"\n" for line in lines))
        if rest:
            write(log.prefix + rest)
    finally:
        await response.close()


async def print_in_turn(session: Session, logs: list[Log], *, ignore_errors: bool) -> None:
    for log in logs:
        try:
            await print_log(session, log, writer(session))
        except APIError as error:
            if not ignore_errors:
                raise
            session.write(f"error: {error}\n")


def print_at_once(session: Session, logs: list[Log], *, ignore_errors: bool) -> None:
    """Each in a thread with a connection of its own; whole pieces are written, so that lines don't mix."""
    import threading

    from kctl.session import Session as NewSession
    from localplane.client.driving import drive

    lock, write = threading.Lock(), writer(session)
    failures: list[Exception] = []

    def put(data: bytes) -> None:
        with lock:
            write(data)

    def follow(log: Log) -> None:
        own = NewSession(session.given, command=session.command)
        try:
            drive(lambda: print_log(own, log, put))
        except APIError as error:
            if ignore_errors:
                put(f"error: {error}\n".encode())
            else:
                failures.append(error)

    threads = [threading.Thread(target=follow, args=(log,), daemon=True) for log in logs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def writer(session: Session) -> Any:
    """A log is what a program says, not what an object contains: a terminal gets it as it is, as from the program."""
    del session

    def write(data: bytes) -> None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    return write
