"""How long a request may take. Kubernetes: endpoints/filters/request_deadline.go, server/filters/timeout.go.

Reads are cancelled when their time is over. What changes something is not: a handler that is told to stop between two
steps of a write could leave one of them undone. Its client gets the same 504, which says nothing about what became of
the write, and the handler goes on to its end in the care of UnfinishedWrites. Who waits further in (for a lock, for
another server) looks at `request.deadline` and gives up by itself; what still runs after a grace period is stuck and
is cancelled. A client that hangs up ends its request in the same way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from datetime import timedelta
from typing import Any, cast

from localplane.apimachinery.errors import BadRequest, Timeout
from localplane.apimachinery.times import InvalidDuration, parse_duration
from localplane.apiserver.audit import Auditor
from localplane.apiserver.request import Answer, Filter, Handler, Request

from .long_running import is_long_running
from .unfinished_writes import UnfinishedWrites

DEFAULT_MAXIMUM = timedelta(seconds=60)
_READS = ("get", "list", "head", "options")
_SENTENCE = "request did not complete within the allotted timeout"


def deadline(
    *,
    unfinished_writes: UnfinishedWrites,
    maximum: timedelta = DEFAULT_MAXIMUM,
    auditor: Auditor | None = None,
) -> Filter:
    """Sets `request.deadline` on the loop's clock and answers 504 when it has passed. Long-running requests have none.

    A `?timeout=` may ask for less than `maximum`; one that can't be read is refused here, so it is recorded here.
    """

    def filtered(handler: Handler) -> Handler:
        async def handle(request: Request) -> Answer:
            if is_long_running(request.info):
                return await handler(request)
            try:
                timeout = _timeout(request, maximum)
            except BadRequest as error:
                if auditor is not None:
                    auditor.refused(request, error)
                raise
            request.deadline = asyncio.get_running_loop().time() + timeout.total_seconds()
            if request.info.verb in _READS:
                return await _read(handler, request, request.deadline)
            return await _write(handler, request, request.deadline, unfinished_writes)

        return handle

    return filtered


def _timeout(request: Request, maximum: timedelta) -> timedelta:
    """0, less than 0 and more than the maximum all mean the maximum."""
    asked = request.query.get("timeout")
    if not asked:
        return maximum
    try:
        timeout = parse_duration(asked)
    except InvalidDuration as problem:
        raise BadRequest(f"invalid timeout specified in the request URL - {problem}") from None
    return timeout if timedelta() < timeout < maximum else maximum


async def _read(handler: Handler, request: Request, when: float) -> Answer:
    """What is answered without waiting, as most reads are, needs no timer."""
    answering = handler(request).__await__()
    try:
        waited_for = next(answering)
    except StopIteration as answered:
        return cast("Answer", answered.value)
    try:
        async with asyncio.timeout_at(when) as scope:
            return await _Answering(answering, waited_for)
    except TimeoutError:
        if scope.expired():
            raise Timeout.of(_SENTENCE) from None
        raise


class _Answering:
    """A handler that has begun, and waits for something."""

    __slots__ = ("_handler", "_waited_for")

    def __init__(self, handler: Generator[Any, Any, Answer], waited_for: object) -> None:
        self._handler = handler
        self._waited_for = waited_for

    def __await__(self) -> Generator[Any, Any, Answer]:
        try:
            yield self._waited_for
        except BaseException as error:  # noqa: BLE001 - it is for the handler, which may go on in spite of it
            try:
                self._waited_for = self._handler.throw(error)
            except StopIteration as answered:
                return cast("Answer", answered.value)
            return (yield from self.__await__())
        return (yield from self._handler)


async def _write(handler: Handler, request: Request, when: float, unfinished: UnfinishedWrites) -> Answer:
    loop = asyncio.get_running_loop()
    task = loop.create_task(_awaited(handler, request))
    try:
        await asyncio.wait((task,), timeout=when - loop.time())
    finally:
        if not task.done():
            unfinished.adopt(task, f"{request.method} {request.path!r}")
    if task.done():
        return task.result()
    raise Timeout.of(_SENTENCE)


async def _awaited(handler: Handler, request: Request) -> Answer:
    return await handler(request)
