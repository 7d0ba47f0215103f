"""A rule: which requests it is about, which of those it strikes, and what happens to them then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum

from localplane.apiserver.request import Request


class Cut(StrEnum):
    """When the client's connection ends."""

    BEFORE = "before"
    """Nothing was done."""
    AFTER = "after"
    """It was done, and nobody says so."""
    MIDDLE = "middle"
    """It was done, and half of the answer gets out."""


class Ending(StrEnum):
    """How a watch ends before its time."""

    CLOSE = "close"
    """Properly, as if its time were over, or its reader too slow for its budget."""
    CUT = "cut"
    """The connection breaks."""
    EXPIRE = "expire"
    """With an ERROR event that says 410: its place in history is gone."""


class Down(StrEnum):
    """What can't be reached."""

    WEBHOOKS = "webhooks"
    API_SERVICES = "apiServices"
    STORE = "store"


@dataclass(frozen=True, slots=True)
class ResourcePattern:
    """As in a role: `deployments` is not `deployments/status`, and `*` is all. A group is only looked at if there is
    one."""

    resource: str
    group: str | None = None
    subresource: str = ""

    @classmethod
    def parse(cls, text: str) -> ResourcePattern:
        """`deployments`, `deployments.apps`, `deployments/status`, `pods/*`, `*/scale`, `*`. Raises ValueError."""
        names, slash, subresource = text.partition("/")
        resource, dot, group = names.partition(".")
        if not resource or (slash and not subresource) or "/" in subresource or (dot and not group):
            raise ValueError(text)
        return cls(resource, group if dot else None, subresource)

    def matches(self, request: Request) -> bool:
        info = request.info
        if self.resource == "*" and not self.subresource:
            return self.group is None or self.group == info.group
        if self.subresource == "*":
            subresource_matches = bool(info.subresource)
        else:
            subresource_matches = self.subresource == info.subresource
        return (
            subresource_matches
            and self.resource in ("*", info.resource)
            and (self.group is None or self.group == info.group)
        )

    def __str__(self) -> str:
        name = self.resource if self.group is None else f"{self.resource}.{self.group}"
        return f"{name}/{self.subresource}" if self.subresource else name


@dataclass(frozen=True, slots=True)
class Selection:
    """All that is given has to fit; of several values one. `*` in a text stands for any letters.

    Without `paths` it is about resources alone: discovery and health are hit only by who names their paths. With
    `inside` it is also about what the server's own controllers ask, which come without a socket.
    """

    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    user_agents: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    resources: tuple[ResourcePattern, ...] = ()
    namespaces: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    inside: bool = False

    def matches(self, request: Request, *, name: str) -> bool:
        """`name` is the object's, which a create has in its body."""
        info, user = request.info, request.user
        if not (info.is_resource or self.paths):
            return False
        if self.verbs and info.verb not in self.verbs:
            return False
        if self.resources and not any(pattern.matches(request) for pattern in self.resources):
            return False
        return (
            _fits(self.namespaces, info.namespace)
            and _fits(self.names, name)
            and _fits(self.users, user.name if user else "")
            and (not self.groups or any(_fits(self.groups, group) for group in (user.groups if user else ())))
            and _fits(self.user_agents, request.headers.get("user-agent", ""))
            and _fits(self.paths, request.path)
        )

    def names_one(self, *texts: str) -> bool:
        """Whether the names, if there are any, fit something that has several names."""
        return any(_fits(self.names, text) for text in texts if text)


def _fits(patterns: Sequence[str], text: str) -> bool:
    return not patterns or any(fits(pattern, text) for pattern in patterns)


def fits(pattern: str, text: str) -> bool:
    """Whether a text is what a pattern says, in which `*` stands for any letters, or none. Linear, unlike a regular
    expression with as many stars."""
    first, *others = pattern.split("*")
    if not others:
        return pattern == text
    last = others.pop()
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    position, end = len(first), len(text) - len(last)
    for part in others:
        position = text.find(part, position, end)
        if position < 0:
            return False
        position += len(part)
    return True


@dataclass(frozen=True, slots=True)
class Occasion:
    """Which of the requests that a selection matches are struck: all conditions together, and by default all requests.

    Requests are counted from 1 for each rule. `every` n-th counts from `start`; `probability` is asked last, of a
    generator that begins with `seed`, so that the same requests in the same order are struck again. `lasts` is how long
    a rule holds.
    """

    first: int | None = None
    every: int = 1
    start: int = 1
    end: int | None = None
    probability: float | None = None
    seed: int | None = None
    lasts: timedelta | None = None

    def includes(self, number: int) -> bool:
        """Whether the request of this number may be struck, as far as counting goes."""
        if number < self.start or (self.end is not None and number > self.end):
            return False
        if self.first is not None and number >= self.start + self.first:
            return False
        return (number - self.start + 1) % self.every == 0


@dataclass(frozen=True, slots=True)
class WatchFault:
    """What goes wrong with a watch that was let begin. It ends after so many events, or after a time, whichever comes
    first; `delay` is how much later its events come, and without `bookmarks` it has none but the one that ends its
    initial events, which clients have a right to."""

    ending: Ending | None = None
    after_events: int | None = None
    after: timedelta | None = None
    bookmarks: bool = True
    delay: timedelta = timedelta()

    @property
    def strikes_running(self) -> bool:
        """Whether watches that are open already can be ended so: of their events nobody has kept count."""
        return self.ending is not None and not self.after_events


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens: one of `answer`, `cut`, `watch`, `stale` and `down`, and whatever it is, after `latency`.

    `after_write`: the request is carried out, and its answer thrown away. `stale`: reads that may be served from the
    past (resourceVersion 0) are, from so long ago.
    """

    answer: int | None = None
    message: str = ""
    retry_after_seconds: int | None = None
    after_write: bool = False
    latency: timedelta = timedelta()
    cut: Cut | None = None
    watch: WatchFault | None = None
    stale: timedelta | None = None
    down: Down | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """An empty name is given by the table."""

    name: str = ""
    match: Selection = field(default_factory=Selection)
    when: Occasion = field(default_factory=Occasion)
    fault: Fault = field(default_factory=Fault)
