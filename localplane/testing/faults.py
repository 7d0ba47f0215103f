"""`cluster.faults`: what goes wrong on purpose, for clients over the socket.

    with cluster.faults.add(verb="update", resource="deployments", answer=409, first=2) as conflicts:
        reconcile(cluster.kubeconfig)
    assert conflicts.hits == 2

Nothing here waits, so it is the same for a Cluster and an AsyncCluster, and `async with` means what `with` does. What a
test does itself, through the cluster's own methods, comes without a socket: only a rule with `inside` strikes it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import timedelta
from types import TracebackType
from typing import Any, Self, TypeVar

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import format_duration
from localplane.apiserver.faults import Faults
from localplane.apiserver.faults.active_rule import ActiveRule
from localplane.apiserver.faults.rule_form import read_rules
from localplane.instruments.faults import hit_shown

T = TypeVar("T")

Words = str | Sequence[str]
Duration = str | timedelta
"""`300ms`, `5s`, or a timedelta."""


class ClusterFaults:
    """`resource_of` makes a resource's full name of what somebody wrote."""

    def __init__(self, faults: Faults, loop: asyncio.AbstractEventLoop, resource_of: Callable[[str], str]) -> None:
        self._faults = faults
        self._loop = loop
        self._resource_of = resource_of

    def add(
        self,
        rule: str = "",
        *,
        user: Words = (),
        group: Words = (),
        user_agent: Words = (),
        verb: Words = (),
        resource: Words = (),
        namespace: Words = (),
        name: Words = (),
        path: Words = (),
        inside: bool = False,
        first: int | None = None,
        every: int | None = None,
        start: int | None = None,
        end: int | None = None,
        probability: float | None = None,
        seed: int | None = None,
        lasts: Duration | None = None,
        answer: int | None = None,
        after_write: bool = False,
        retry_after: Duration | None = None,
        message: str = "",
        latency: Duration | None = None,
        cut: str | None = None,
        watch_end: str | None = None,
        watch_after_events: int | None = None,
        watch_after: Duration | None = None,
        watch_delay: Duration | None = None,
        bookmarks: bool = True,
        stale: Duration | None = None,
        down: str | None = None,
    ) -> FaultRule:
        """A rule that holds from now on, until it is removed or its block ends. `rule` is its name; the others say
        which requests, which of them (`start` is the first number that is struck, `end` the last), and what happens, as
        the flags of `kctl faults add` do. Raises ValueError for a rule that makes no sense, and UnknownKind."""
        match = {
            "users": user,
            "groups": group,
            "userAgents": user_agent,
            "verbs": verb,
            "resources": [self._resource(word) for word in _words(resource)],
            "namespaces": namespace,
            "names": name,
            "paths": path,
        }
        when = {"first": first, "every": every, "from": start, "to": end, "probability": probability, "seed": seed}
        watch = {
            "end": watch_end,
            "afterEvents": watch_after_events,
            "after": _text(watch_after),
            "delay": _text(watch_delay),
            "bookmarks": None if bookmarks else False,
        }
        fault = {
            "answer": answer,
            "afterWrite": after_write or None,
            "retryAfter": _text(retry_after),
            "message": message or None,
            "latency": _text(latency),
            "cut": cut,
            "watch": _present(watch) or None,
            "stale": _text(stale),
            "down": down,
        }
        selection: JSONObject = {key: _words(words) for key, words in match.items() if words}
        form: JSONObject = {
            "match": {**selection, "inside": True} if inside else selection,
            "when": _present({**when, "for": _text(lasts)}),
            "do": _present(fault),
        }
        return self.add_rules([{**form, "name": rule} if rule else form])[0]

    def add_rules(self, rules: Any) -> list[FaultRule]:
        """Rules in full, as `kctl faults list -o json` shows them: all or none. Raises ValueError."""
        read = read_rules(rules)
        return [FaultRule(self, active) for active in self.run(lambda: self._faults.add(read))]

    def remove(self, rule: str) -> None:
        """It is no fault if there is none of this name any more."""
        self.run(lambda: self._faults.remove(rule))

    def clear(self) -> None:
        """Remove all rules, and forget what was recorded."""
        self.run(self._faults.clear)

    def hits(self, rule: str = "") -> list[JSONObject]:
        """What was struck, by one rule or by all, in order: number, time, rule, verb, path, user and userAgent."""
        return [hit_shown(hit) for hit in self.run(lambda: self._faults.record) if rule in ("", hit.rule)]

    def run(self, work: Callable[[], T]) -> T:
        """Done in the cluster's own event loop, which may be another thread's."""
        try:
            if asyncio.get_running_loop() is self._loop:
                return work()
        except RuntimeError:
            pass  # whoever calls has no loop at all

        async def there() -> T:
            return work()

        return asyncio.run_coroutine_threadsafe(there(), self._loop).result()

    def _resource(self, word: str) -> str:
        """What has a group, or a star, stays: it may be defined later."""
        name, slash, subresource = word.partition("/")
        return word if "." in name or "*" in name else f"{self._resource_of(name)}{slash}{subresource}"


class FaultRule:
    """A rule that was added; it is removed when its block ends, and what it struck is still known."""

    def __init__(self, faults: ClusterFaults, active: ActiveRule) -> None:
        self._faults = faults
        self._active = active

    @property
    def name(self) -> str:
        return self._active.rule.name

    @property
    def matched(self) -> int:
        """How many requests it was about."""
        return self._active.matched

    @property
    def hits(self) -> int:
        """How many of them it struck."""
        return self._active.hits

    @property
    def seed(self) -> int | None:
        """Of a rule with a probability: given again, the same requests in the same order are struck."""
        return self._active.rule.when.seed

    def remove(self) -> None:
        self._faults.remove(self.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()


def _words(words: Words) -> list[str]:
    return [words] if isinstance(words, str) else list(words)


def _text(duration: Duration | None) -> str | None:
    return format_duration(duration) if isinstance(duration, timedelta) else duration


def _present(values: JSONObject) -> JSONObject:
    return {key: value for key, value in values.items() if value is not None}
