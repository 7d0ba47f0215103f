"""The rules that hold now, and the record of what they struck.

For each request the rules are asked in order. A rule counts the requests that it matches; the first rule that strikes
one is the only one, and those after it never see it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Final

from localplane.apiserver.request import Request

if TYPE_CHECKING:
    from .active_rule import ActiveRule, Hit, Subject
    from .rule import Rule

FAULTY_WATCH: Final = "faulty watch"
"""The note of a request whose watch is to go wrong: what makes a faulty Watch of a good one."""

_MOST_RECORDED: Final = 10_000
_MOST_RULES: Final = 1_000
_REFUSED: Final = "dial tcp: connect: connection refused"


class RuleExists(Exception):
    """There is a rule of this name."""


class Faults:
    """`outside` and `inside` are rules about requests over the socket and of the server's own clients; they are what a
    request looks at, and mostly empty. Whoever can make a fault happen without a request adds himself: `watchers` of
    rules hear of each rule that begins and that ends."""

    def __init__(self) -> None:
        self._rules: dict[str, ActiveRule] = {}
        self.outside: tuple[ActiveRule, ...] = ()
        self.inside: tuple[ActiveRule, ...] = ()
        self._down: tuple[ActiveRule, ...] = ()
        self._record: deque[Hit] = deque(maxlen=_MOST_RECORDED)
        self._hits = 0
        self._named = 0
        self._on_begin: list[Callable[[ActiveRule], None]] = []
        self._on_end: list[Callable[[ActiveRule], None]] = []

    def observe(self, *, begin: Callable[[ActiveRule], None], end: Callable[[ActiveRule], None]) -> None:
        """Hear of rules as they begin to hold, and as they no longer do: they were removed, or their time is over."""
        self._on_begin.append(begin)
        self._on_end.append(end)

    # --- the rules ---

    @property
    def rules(self) -> Sequence[ActiveRule]:
        return tuple(self._rules.values())

    def rule(self, name: str) -> ActiveRule | None:
        return self._rules.get(name)

    def add(self, rules: Sequence[Rule]) -> list[ActiveRule]:
        """All of them or, if a name is taken or there would be too many, none. Raises RuleExists, and ValueError."""
        names: set[str] = set()
        for name in (rule.name for rule in rules if rule.name):
            if name in self._rules or name in names:
                raise RuleExists(f'there are two rules named "{name}"; remove the first one, or give another name')
            names.add(name)
        if len(self._rules) + len(rules) > _MOST_RULES:
            raise ValueError(f"a plane has at most {_MOST_RULES} rules")
        from .active_rule import ActiveRule  # a plane without rules starts without it

        active = [ActiveRule(rule, rule.name or self._new_name(names)) for rule in rules]
        for one in active:
            self._rules[one.rule.name] = one
        self._sort()
        for one in active:
            self._begin(one)
        return active

    def remove(self, name: str) -> bool:
        """Whether there was one of this name."""
        one = self._rules.pop(name, None)
        if one is None:
            return False
        self._end(one)
        return True

    def clear(self) -> int:
        """Remove all rules and forget what was recorded; how many rules there were."""
        gone = list(self._rules.values())
        self._rules.clear()
        for one in gone:
            self._end(one)
        self._record.clear()
        return len(gone)

    def _new_name(self, taken: Collection[str]) -> str:
        while True:
            self._named += 1
            name = f"fault-{self._named}"
            if name not in self._rules and name not in taken:
                return name

    def _sort(self) -> None:
        """What each kind of question has to look at."""
        live = [one for one in self._rules.values() if not one.is_over]
        self.outside = tuple(one for one in live if one.rule.fault.down is None)
        self.inside = tuple(one for one in self.outside if one.rule.match.inside)
        self._down = tuple(one for one in live if one.rule.fault.down is not None)

    def _begin(self, one: ActiveRule) -> None:
        lasts = one.rule.when.lasts
        if lasts is not None:
            one.timer = asyncio.get_running_loop().call_later(lasts.total_seconds(), self._end, one)
        for begin in self._on_begin:
            begin(one)

    def _end(self, one: ActiveRule) -> None:
        if one.is_over:
            self._sort()
            return
        one.is_over = True
        if one.timer is not None:
            one.timer.cancel()
        self._sort()
        for end in self._on_end:
            end(one)

    # --- what they strike ---

    def striking(self, request: Request, *, name: str, inside: bool = False) -> ActiveRule | None:
        """The rule that strikes a request, which is recorded. `name` is that of its object."""
        for one in self.inside if inside else self.outside:
            if one.is_about(request, name=name) and one.strikes():
                self.note(one, one.subject(request, inside=inside))
                return one
        return None

    def looks_at_created_names(self) -> bool:
        """Whether a rule wants to know how an object is called that is about to be created."""
        return any(
            one.rule.match.names and (not one.rule.match.verbs or "create" in one.rule.match.verbs)
            for one in self.outside
        )

    async def webhook_failure(self, name: str, url: str) -> str:
        """Why a webhook can't be called, in Go's words; empty if it can."""
        return await self._failure("webhooks", name, url) if self._down else ""

    async def api_service_failure(self, name: str, url: str) -> str:
        """The same for another server's API: v1beta1.metrics.k8s.io."""
        return await self._failure("apiServices", name, url) if self._down else ""

    async def _failure(self, what: str, name: str, url: str) -> str:
        for one in self._down:
            if one.rule.fault.down == what and one.rule.match.names_one(name, url) and one.strikes():
                self.note(one, one.subject_of_call(name or url))
                await asyncio.sleep(one.rule.fault.latency.total_seconds())
                return _REFUSED
        return ""

    def note(self, one: ActiveRule, subject: Subject) -> None:
        self._hits += 1
        self._record.append(one.hit(self._hits, subject))

    @property
    def record(self) -> Sequence[Hit]:
        """The last hits, the oldest first."""
        return tuple(self._record)
