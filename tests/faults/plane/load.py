"""Clients of a plane: creates under a name and under names that the server makes up, counters by compare-and-swap,
appends by JSON patch, deletes, and reads that look at it all."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field, replace
from random import Random

from tests.faults.history import Kind, Operation, Outcome, Version
from tests.faults.plane.client import Client, Reply, Unanswered
from tests.faults.plane.objects import LISTS, VALUES, key_of, request_of, resource_of, revision_of, value_of
from tests.faults.plane.processes import PlaneProcess
from tests.faults.recorder import Recorder

_THINKING = 0.012
_AFTER_AN_ERROR = 0.05
_LONGEST_LIST = 30
_MOST_MADE = 150

_NOT_FOUND, _CONFLICT, _LOWEST_REFUSAL, _LOWEST_SERVER_ERROR = 404, 409, 400, 500


@dataclass(slots=True)
class Known:
    """What the clients have learnt together. Of a key that is not in `current` nobody knows anything."""

    namespaces: tuple[str, ...]
    current: dict[str, Version | None] = field(default_factory=dict)
    made: list[str] = field(default_factory=list)
    newest: int = 1

    @property
    def counters(self) -> list[str]:
        return [f"{VALUES}{self.namespaces[number % 2]}/counter-{number}" for number in range(12)]

    @property
    def lists(self) -> list[str]:
        return [f"{LISTS}{self.namespaces[number % 2]}/list-{number}" for number in range(6)]

    @property
    def named(self) -> list[str]:
        return [f"{VALUES}{self.namespaces[number % 2]}/named-{number}" for number in range(12)]

    def learn(self, operation: Operation) -> None:
        key = operation.key
        self.newest = max(self.newest, operation.revision)
        if operation.kind is Kind.LIST:
            return
        gone = operation.kind is Kind.DELETE and operation.outcome is Outcome.OK
        if gone or operation.outcome is Outcome.NOT_FOUND:
            self.current[key] = None
        elif operation.outcome is not Outcome.OK:
            self.current.pop(key, None)
        elif operation.revision > self._revision(key):
            self.current[key] = Version(operation.revision, operation.found or "")
            if "/made-" in key and operation.kind is Kind.CREATE:
                self.made.append(key)

    def _revision(self, key: str) -> int:
        version = self.current.get(key)
        return version.revision if version else 0


class Worker:
    def __init__(
        self,
        number: int,
        client: Client,
        plane: PlaneProcess,
        known: Known,
        *,
        recorder: Recorder,
        seed: int = 0,
    ) -> None:
        self._number = number
        self._client = client
        self._plane = plane
        self._known = known
        self._recorder = recorder
        self._random = Random(seed)

    async def run(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            await self._plane.up.wait()
            operation = await self.perform(self._choose())
            failed = operation is None or operation.outcome in (Outcome.UNKNOWN, Outcome.FAILED)
            await asyncio.sleep(_AFTER_AN_ERROR if failed else self._random.uniform(0, 2 * _THINKING))

    async def perform(self, request: Operation) -> Operation | None:
        """One call, written down; None when not even its first try could be sent."""
        request = replace(request, called=self._recorder.now())
        try:
            reply = await self._client.ask(request_of(request))
        except Unanswered as error:
            if not error.sent and error.tries == 1:
                return None
            operation = replace(request, tries=error.tries, left=self._recorder.now())
            if not error.sent:
                operation = replace(operation, outcome=Outcome.FAILED, returned=self._recorder.now())
            return self._done(operation, str(error))
        operation = completed(request, reply, self._recorder.now())
        return self._done(operation, f"{reply.answer.status}")

    def _done(self, operation: Operation, error: str) -> Operation:
        self._recorder.record(operation, error)
        self._known.learn(operation)
        return operation

    def request(
        self, kind: Kind, key: str, *, expected: int | None = None, not_older_than: int | None = None, count: int = -1
    ) -> Operation:
        """A request to come; a write gets the value that no other write has, after its count if it has one."""
        number = self._recorder.number()
        marker = f"{self._number}-{number}" if kind in (Kind.CREATE, Kind.UPDATE, Kind.APPEND) else None
        value = f"{count}:{marker}" if marker and count >= 0 else marker
        return Operation(
            number, self._number, kind, key, 0.0, value=value, expected=expected, not_older_than=not_older_than
        )

    def _choose(self) -> Operation:
        pick = self._random.choice
        match self._random.choices(("count", "make", "append", "delete", "name", "get", "list"), _WEIGHTS)[0]:
            case "count":
                return self._count(pick(self._known.counters))
            case "append":
                return self._append(pick(self._known.lists))
            case "name":
                return self._name(pick(self._known.named))
            case "get":
                return self._get(pick([*self._known.counters, *self._known.lists, *self._known.named]))
            case "list":
                return self._list(pick([VALUES, LISTS, *(f"{VALUES}{name}/" for name in self._known.namespaces)]))
            case "delete" if self._known.made:
                return self._delete(self._known.made.pop(self._random.randrange(len(self._known.made))))
            case _ if len(self._known.made) > _MOST_MADE:
                return self._delete(self._known.made.pop(0))
            case _:
                return self.request(Kind.CREATE, f"{VALUES}{pick(self._known.namespaces)}/made-")

    def _count(self, key: str) -> Operation:
        if key not in self._known.current:
            return self.request(Kind.GET, key)
        current = self._known.current[key]
        if current is None:
            return self.request(Kind.CREATE, key, count=0)
        count = int(current.value.partition(":")[0]) + 1
        return self.request(Kind.UPDATE, key, expected=current.revision, count=count)

    def _append(self, key: str) -> Operation:
        if key not in self._known.current:
            return self.request(Kind.GET, key)
        current = self._known.current[key]
        if current is None:
            return self.request(Kind.CREATE, key)
        if current.value.count(",") >= _LONGEST_LIST:
            return self.request(Kind.DELETE, key, expected=current.revision)
        return self.request(Kind.APPEND, key)

    def _name(self, key: str) -> Operation:
        """A create where nothing is, or now and then where something is; else a delete."""
        current = self._known.current.get(key)
        if current is None or self._random.random() < 0.2:
            return self.request(Kind.CREATE, key)
        return self.request(Kind.DELETE, key, expected=current.revision)

    def _delete(self, key: str) -> Operation:
        current = self._known.current.pop(key, None)
        if current is None:
            return self.request(Kind.GET, key)
        return self.request(Kind.DELETE, key, expected=current.revision)

    def _get(self, key: str) -> Operation:
        return self.request(Kind.GET, key, not_older_than=self._past())

    def _list(self, prefix: str) -> Operation:
        return self.request(Kind.LIST, prefix, not_older_than=self._past())

    def _past(self) -> int | None:
        """Every third read may be stale, but not staler than that."""
        return max(1, self._known.newest - self._random.randrange(20)) if self._random.random() < 0.3 else None


_WEIGHTS = (30, 20, 18, 10, 8, 9, 5)


def completed(request: Operation, reply: Reply, now: float) -> Operation:
    """What an answer says about what was done. Only one that invites another try promises that nothing was."""
    status = reply.answer.status
    tried = replace(request, tries=reply.tries, left=now)
    if reply.invites_another_try or (_LOWEST_REFUSAL <= status < _LOWEST_SERVER_ERROR):
        return replace(tried, outcome=_refusal(status, reply), returned=now)
    if status >= _LOWEST_SERVER_ERROR:
        return tried
    operation = replace(tried, outcome=Outcome.OK, returned=now)
    if request.kind is Kind.DELETE:
        return operation
    shown = json.loads(reply.answer.body)
    if request.kind is Kind.LIST:
        resource = resource_of(request.key)
        items = {key_of(item, resource): Version(revision_of(item), value_of(item)) for item in shown["items"]}
        return replace(operation, revision=revision_of(shown), items=items)
    key = key_of(shown, resource_of(request.key))
    return replace(operation, key=key, revision=revision_of(shown), found=value_of(shown))


def _refusal(status: int, reply: Reply) -> Outcome:
    if status == _NOT_FOUND:
        return Outcome.NOT_FOUND
    if status == _CONFLICT:
        taken = json.loads(reply.answer.body).get("reason") == "AlreadyExists"
        return Outcome.EXISTS if taken else Outcome.CONFLICT
    return Outcome.FAILED
