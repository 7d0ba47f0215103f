"""Who asked what lately: a ring in memory, so that a server can tell it without having been told to write anything.

Noting a request is appending one tuple; what it says is worked out when somebody reads. A ring holds so many requests
and no more, and what is long in one is cut, so that it never takes more than some `MOST` times 4 KiB. Requests from
inside of the server are in a ring of their own: they are many, and must not drive out the others.

Those feed it who see a request first and its answer last: `server/http`, which pays for no further call by it, and the
transport of the clients inside. It never holds a body, nor a header but User-Agent.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from heapq import merge
from itertools import count, islice
from time import perf_counter, time
from typing import Any, Final, NamedTuple

from localplane.apiserver.request import Answer, Request, RequestInfo, User

MOST: Final = 10_000
_MOST_INTERNAL: Final = 2_000
_ID: Final = "Audit-Id"
_LONGEST: Final = 1024
_LONGEST_NAME: Final = 256
_MOST_GROUPS: Final = 8
_CLOCKS_APART: Final = time() - perf_counter()  # once, so that a request always has the same time


class LoggedRequest(NamedTuple):
    """`began` is by the clock of durations; `moment` makes a time of it. `seconds` is None where an answer without an
    end has begun: its end is noted too, under the same `request_id`. `status` 0: the client did not wait for it. `sent`
    is how many bytes of a body it got. `impersonator` is who really asked, if `user` is whom he acted as."""

    number: int
    began: float
    seconds: float | None
    method: str
    target: str
    info: RequestInfo
    user: User | None
    impersonator: User | None
    user_agent: str
    status: int
    sent: int
    request_id: str
    internal: bool

    @property
    def moment(self) -> datetime:
        return datetime.fromtimestamp(self.began + _CLOCKS_APART, UTC)


class Ring:
    """The requests of one kind, the oldest first."""

    __slots__ = ("_internal", "_numbers", "entries", "readers")

    def __init__(self, readers: set[asyncio.Event], most: int, *, internal: bool) -> None:
        self._numbers = count()
        self._internal = internal
        self.entries: deque[tuple[Any, ...]] = deque(maxlen=most)
        self.readers = readers

    def note(self, request: Request, answer: Answer | None, sent: int, began: float, seconds: float | None) -> None:
        """`answer` is None if the client did not wait for one."""
        status, request_id = (answer.status, answer.headers.get(_ID, "")) if answer is not None else (0, "")
        target = request.target or request.path
        info, user, agent = request.info, request.user, request.headers.get("user-agent", "")
        if len(target) + len(agent) + len(request_id) > _LONGEST:
            target, info, agent, request_id = target[:_LONGEST], _cut(info), agent[:_LONGEST], request_id[:_LONGEST]
        if request.impersonator is not None and user is not None:
            user = _cut_user(user)
        self.entries.append(
            (
                next(self._numbers),
                began,
                seconds,
                request.method,
                target,
                info,
                user,
                request.impersonator,
                agent,
                status,
                sent,
                request_id,
                self._internal,
            )
        )
        if self.readers:
            for event in self.readers:
                event.set()

    @property
    def next_number(self) -> int:
        """Of what comes next."""
        return self.entries[-1][0] + 1 if self.entries else 0

    def since(self, number: int) -> list[LoggedRequest]:
        """Those with this number or a higher one, as far as they are still there."""
        newest = list(islice(reversed(self.entries), max(0, self.next_number - number)))
        return [LoggedRequest._make(entry) for entry in reversed(newest)]


@dataclass(frozen=True, slots=True)
class Page:
    """What came since the last one. `missed` is how many the ring had lost before they were read."""

    requests: Sequence[LoggedRequest]
    missed: int = 0


class RequestLog:
    """Both rings. `requests` are those of clients, `internal` those of the server's own parts."""

    def __init__(self, *, most: int = MOST, most_internal: int = _MOST_INTERNAL) -> None:
        self._readers: set[asyncio.Event] = set()
        self.requests = Ring(self._readers, most, internal=False)
        self.internal = Ring(self._readers, most_internal, internal=True)

    def entries(self, *, internal: bool = False) -> list[LoggedRequest]:
        """What is in it, in the order in which it was answered."""
        rings = (self.requests, self.internal) if internal else (self.requests,)
        return _merged([ring.since(0) for ring in rings])

    async def follow(self, *, internal: bool = False) -> AsyncGenerator[Page, None]:
        """What is there, then what comes, as it comes. A reader who is slow holds nothing back, and needs no memory:
        what the rings have lost before he came for it he doesn't get."""
        next_numbers = dict.fromkeys((self.requests, self.internal) if internal else (self.requests,), 0)
        event = asyncio.Event()
        self._readers.add(event)
        first = True
        try:
            while True:
                event.clear()
                pages, missed = [], 0
                for ring, number in next_numbers.items():
                    requests = ring.since(number)
                    if requests:
                        missed += 0 if first else requests[0].number - number
                        next_numbers[ring] = requests[-1].number + 1
                    pages.append(requests)
                if first or any(pages):
                    first = False
                    yield Page(_merged(pages), missed)
                else:
                    await event.wait()
        finally:
            self._readers.discard(event)


def _merged(pages: Sequence[list[LoggedRequest]]) -> list[LoggedRequest]:
    return pages[0] if len(pages) == 1 else list(merge(*pages, key=lambda entry: entry.began + (entry.seconds or 0)))


def _cut(info: RequestInfo) -> RequestInfo:
    """A copy whose texts are short."""
    texts = ("verb", "api_prefix", "group", "version", "namespace", "resource", "subresource", "name")
    short = {name: getattr(info, name)[:_LONGEST_NAME] for name in texts}
    return replace(info, path=info.path[:_LONGEST], parts=(), label_selector="", field_selector="", **short)


def _cut_user(user: User) -> User:
    """Whoever may impersonate may invent names of any length."""
    groups = tuple(group[:_LONGEST_NAME] for group in user.groups[:_MOST_GROUPS])
    return User(user.name[:_LONGEST_NAME], user.uid[:_LONGEST_NAME], groups)
