"""A rule that holds: how many requests it has seen, and which of them it struck."""

from __future__ import annotations

import asyncio
import random
import secrets
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from localplane.apimachinery.times import format_micro_time
from localplane.apiserver.request import Request

from .rule import Rule

_SEED_BITS: Final = 32


@dataclass(frozen=True, slots=True)
class Subject:
    """What a fault struck: a request, or a call to a webhook or another server, whose name or URL `path` is then."""

    verb: str
    path: str = ""
    user: str = ""
    user_agent: str = ""
    inside: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """`number` counts all hits of the plane from 1; `time` is RFC 3339, with microseconds."""

    number: int
    time: str
    rule: str
    subject: Subject


class ActiveRule:
    """One that needs a seed and has none gets one: whoever reads the rule can repeat it."""

    def __init__(self, rule: Rule, name: str) -> None:
        if rule.when.probability is not None and rule.when.seed is None:
            rule = replace(rule, when=replace(rule.when, seed=secrets.randbits(_SEED_BITS)))
        self.rule = replace(rule, name=name)
        self.matched = 0
        self.hits = 0
        self.is_over = False
        self.timer: asyncio.TimerHandle | None = None
        self._random = random.Random(rule.when.seed)  # noqa: S311 - chosen again with the same seed

    def is_about(self, request: Request, *, name: str) -> bool:
        """Who asks for a certain version gets it: only what may be of any version can be stale."""
        if self.rule.fault.stale is not None and request.query.get("resourceVersion") != "0":
            return False
        return self.rule.match.matches(request, name=name)

    def strikes(self) -> bool:
        """Count one more that matched, and whether it is struck."""
        self.matched += 1
        when = self.rule.when
        if not when.includes(self.matched):
            return False
        if when.probability is not None and self._random.random() >= when.probability:
            return False
        self.hits += 1
        return True

    def subject(self, request: Request, *, inside: bool = False) -> Subject:
        user = request.user.name if request.user else ""
        return Subject(request.info.verb, request.path, user, request.headers.get("user-agent", ""), inside)

    def subject_of_call(self, callee: str) -> Subject:
        return Subject(f"call {self.rule.fault.down}", callee)

    def hit(self, number: int, subject: Subject) -> Hit:
        return Hit(number, format_micro_time(datetime.now(UTC)), self.rule.name, subject)
