"""Clients that write and read, one request at a time each, mostly compare-and-swap updates."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from random import Random

from tests.faults.history import WRITES, Kind, Operation, Outcome, Version
from tests.faults.hosts import HostProcess
from tests.faults.recorder import Recorder
from tests.faults.wire import Disconnected, Line, Message

NAMESPACES = ("/configmaps/one/", "/configmaps/two/")
EVERYTHING = "/configmaps/"

_TIMEOUT = 1.5
_THINKING = 0.006
_AFTER_AN_ERROR = 0.1
_RECONNECT = 0.01

# What is done to an object that is there. "Stale" requests ask for trouble on purpose: they must be refused.
_ON_PRESENT = {
    "update": 66,
    "get": 10,
    "list": 6,
    "delete": 6,
    "create": 3,
    "stale update": 4,
    "old get": 3,
    "old list": 2,
}
_ON_ABSENT = {"create": 80, "get": 12, "list": 4, "stale update": 4}


@dataclass(slots=True)
class Knowledge:
    """What the clients have learnt of the keys together, so that most of their updates have a chance.

    `current` has the revision of an object, or None for one that is absent; of a key that is not in it nobody
    knows anything. `newest` is the highest revision that anyone was shown.
    """

    keys: list[str]
    current: dict[str, int | None] = field(default_factory=dict)
    newest: int = 1

    def learn(self, operation: Operation) -> None:
        key = operation.key
        self.newest = max(self.newest, operation.revision)
        if operation.outcome is Outcome.NOT_FOUND:
            self.current[key] = None
        elif operation.outcome is not Outcome.OK:
            self.current.pop(key, None)
        elif operation.kind is Kind.DELETE:
            self.current[key] = None
        elif operation.kind is not Kind.LIST:
            self.current[key] = max(operation.revision, self.current.get(key) or 0)


class Client:
    def __init__(self, number: int, host: HostProcess, knowledge: Knowledge, recorder: Recorder, seed: int) -> None:
        self._number = number
        self._host = host
        self._knowledge = knowledge
        self._recorder = recorder
        self._random = Random(seed)
        self._line: Line | None = None

    async def run(self, stop: asyncio.Event) -> None:
        try:
            while not stop.is_set():
                operation = await self.perform(self._choose())
                failed = operation is None or operation.outcome in (Outcome.UNKNOWN, Outcome.FAILED)
                await asyncio.sleep(_AFTER_AN_ERROR if failed else self._random.uniform(0, 2 * _THINKING))
        finally:
            self.close()

    def close(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None

    def request(
        self, kind: Kind, key: str, *, expected: int | None = None, not_older_than: int | None = None
    ) -> Operation:
        """A request to come; a write gets the value that no other write has."""
        number = self._recorder.number()
        value = f"{self._number}-{number}" if kind in (Kind.CREATE, Kind.UPDATE) else None
        return Operation(
            number, self._number, kind, key, 0.0, value=value, expected=expected, not_older_than=not_older_than
        )

    async def perform(self, request: Operation) -> Operation | None:
        """Send it and write down what came of it; None when it could not even be sent."""
        line = await self._connected()
        if line is None:
            return None
        called = self._recorder.now()
        message = {
            "op": request.kind.value,
            "key": request.key,
            "value": request.value,
            "expected": request.expected,
            "not_older_than": request.not_older_than,
        }
        try:
            async with asyncio.timeout(_TIMEOUT):
                answer = await line.ask(message)
        except (Disconnected, TimeoutError) as error:
            # The answer to this may still come, so the line is of no more use.
            self.close()
            answer = {"outcome": "unknown", "error": f"{type(error).__name__}:"}
        operation = _completed(replace(request, called=called), answer, self._recorder.now())
        self._recorder.record(operation, answer.get("error", ""))
        self._knowledge.learn(operation)
        return operation

    async def _connected(self) -> Line | None:
        if self._line is None:
            await self._host.up.wait()
            try:
                self._line = await Line.connect(self._host.socket)
            except Disconnected:
                await asyncio.sleep(_RECONNECT)
        return self._line

    def _choose(self) -> Operation:
        key = self._random.choice(self._knowledge.keys)
        if key not in self._knowledge.current:
            return self.request(Kind.GET, key)
        current = self._knowledge.current[key]
        weights = _ON_ABSENT if current is None else _ON_PRESENT
        match self._random.choices(list(weights), list(weights.values()))[0]:
            case "list":
                return self.request(Kind.LIST, self._prefix())
            case "old list":
                return self.request(Kind.LIST, self._prefix(), not_older_than=self._a_while_ago())
            case "old get":
                return self.request(Kind.GET, key, not_older_than=self._a_while_ago())
            case "stale update":
                return self.request(Kind.UPDATE, key, expected=self._a_while_ago())
            case "update" | "delete" as kind:
                return self.request(Kind(kind), key, expected=current)
            case kind:
                return self.request(Kind(kind), key)

    def _prefix(self) -> str:
        return self._random.choice((EVERYTHING, *NAMESPACES))

    def _a_while_ago(self) -> int:
        return max(1, self._knowledge.newest - self._random.randrange(20))


def _completed(request: Operation, answer: Message, now: float) -> Operation:
    outcome = Outcome(answer["outcome"])
    if outcome is Outcome.UNKNOWN:
        return request
    operation = replace(request, outcome=outcome, returned=now)
    if outcome is not Outcome.OK:
        return operation
    if request.kind is Kind.LIST:
        items = {key: Version(revision, value) for key, (revision, value) in answer["items"].items()}
        return replace(operation, revision=answer["revision"], items=items)
    assert request.kind in WRITES or request.kind is Kind.GET
    return replace(operation, revision=answer["revision"], found=answer["value"])
