"""/localplane/v1/history: what happened, and what there was.

    GET history/object?group=G&resource=R&namespace=N&name=NAME     every revision of one object that is known
    GET history/changes?at=A&to=B&namespace=N                       what is another at B than it was at A
    GET history/at/A/api/v1/namespaces/N/pods                       what the API would have answered at A: gets, lists

A and B are a revision, a time (RFC 3339), or how long ago (5m); without B it is now. It reaches as far back as the
server's chronicle (`storage/cacher/chronicle`), and no further than its start.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from urllib.parse import parse_qs

import orjson

from localplane.apimachinery.errors import BadRequest, NotFound
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.time_slices import TimeSlices
from localplane.apimachinery.times import format_micro_time
from localplane.apiserver.endpoints.installer import Installer
from localplane.apiserver.endpoints.request_info import resolve
from localplane.apiserver.registry.errors import interpret_list
from localplane.apiserver.request import Answer, Query, Request, RequestInfo, Response, whole_body
from localplane.apiserver.request_log import LoggedRequest, RequestLog
from localplane.apiserver.storage.cacher import Cacher
from localplane.apiserver.storage.cacher.chronicle import Chronicle
from localplane.apiserver.storage.cacher.window import Entry, LoggedEvent
from localplane.apiserver.storage.errors import StorageError
from localplane.apiserver.storage.objects import StoredObject

from .parameters import moment
from .table import allow, answer_items, answer_json, missing

_MOST_DIGITS: Final = 19
_WRITES: Final = frozenset({"create", "update", "patch", "delete", "deletecollection"})

_NAMELESS: Final = ("create", "deletecollection")
_INFO: Final = LoggedRequest._fields.index("info")
_OWNING: Final = ("create", "update", "patch")
_DO: Final = {
    "ADDED": ("create", "update", "patch"),
    "MODIFIED": ("update", "patch", "delete", "deletecollection", "create"),  # a pod is bound by a create
    "DELETED": ("delete", "deletecollection", "update", "patch"),
}
_AFTER_ANSWER: Final = 0.25  # seconds

Dispatch = Callable[[Request], Awaitable[Answer | None]]


@dataclass(frozen=True, slots=True)
class _Moment:
    revision: int
    word: str


@dataclass(frozen=True, slots=True)
class _Subject:
    """Whose past somebody asks for."""

    group: str
    resource: str
    namespace: str
    name: str

    @classmethod
    def of(cls, query: Query) -> _Subject:
        return cls(query.get("group"), query.get("resource"), query.get("namespace"), query.get("name"))


class History:
    """The instrument. `dispatch` answers what the API answers."""

    def __init__(self, cacher: Cacher, installer: Installer, log: RequestLog, dispatch: Dispatch) -> None:
        self._cacher = cacher
        self._installer = installer
        self._log = log
        self._dispatch = dispatch

    async def handle(self, request: Request, rest: str) -> Answer:
        allow(request, "GET")
        try:
            await self._cacher.catch_up()
        except StorageError as error:
            raise interpret_list(error) from error
        what, _, below = rest.partition("/")
        match what:
            case "object" if not below:
                return await self._object(request.query)
            case "changes" if not below:
                return await self._changes(request.query)
            case "at" if below:
                at, _, path = below.partition("/")
                return await self._at(request, self._moment(at), f"/{path}")
        raise missing("of the past there are: object, changes and at/REVISION/PATH")

    async def _object(self, query: Query) -> Answer:
        subject = _Subject.of(query)
        key = self._key(subject)
        events = self._cacher.chronicle.of(key)
        slices = TimeSlices()
        writers = _Writers(await _writes(self._log, subject, slices))
        revisions: list[bytes] = []
        oldest = events[0].old if events else self._cacher.index.get(key)
        if isinstance(oldest, StoredObject):
            first = {"revision": oldest.revision, "type": "", "object": orjson.Fragment(oldest.data)}
            revisions.append(orjson.dumps(first))
        for event in events:
            revisions.append(_revision(event, writers, self._cacher.chronicle))
            if slices.is_over:
                await slices.next()
        return answer_items({"reachesBackTo": self._reach()}, "revisions", revisions)

    async def _changes(self, query: Query) -> Answer:
        before, after = self._moment(query.get("at")), self._moment(query.get("to"))
        if before.revision > after.revision:
            raise BadRequest(f"{before.word} is after {after.word}: the earlier one comes first")
        namespace, slices = query.get("namespace"), TimeSlices()
        changes: dict[str, tuple[bytes, bytes]] = {}
        for event in self._cacher.chronicle.after(before.revision):
            if event.revision > after.revision:
                break
            if not namespace or _is_in(namespace, event):
                was, _ = changes.get(event.key) or (_shown(event.old), b"")
                changes[event.key] = was, _shown(event.new)
            if slices.is_over:
                await slices.next()
        items = (b'{"before":%b,"after":%b}' % changes[key] for key in sorted(changes) if len({*changes[key]}) > 1)
        return answer_items({"from": before.revision, "to": after.revision}, "changes", items)

    async def _at(self, request: Request, moment: _Moment, path: str) -> Answer:
        """A get is a list of one."""
        info = resolve("GET", path, request.query)
        if not info.is_resource or info.subresource or info.verb not in ("get", "list"):
            raise BadRequest(f"of the past there are objects and lists of them, and {path} is neither")
        values = {name: list(request.query.all(name)) for name in request.query}
        if "continue" not in values:
            values |= {"resourceVersion": [str(moment.revision)], "resourceVersionMatch": ["Exact"]}
        name = info.name if info.verb == "get" else ""
        if name:
            path = path.removesuffix("/").removesuffix(name).rstrip("/")
            values["fieldSelector"] = [f"metadata.name={name}"]
        query = Query(values)
        notes = {**request.notes, "remembered": True}
        asked = replace(request, path=path, query=query, info=resolve("GET", path, query), notes=notes)
        answer = await self._dispatch(asked)
        if answer is None:
            raise missing(f"nobody serves {path}")
        return await _only(answer, name) if name and isinstance(answer, Response) else answer

    def _moment(self, word: str) -> _Moment:
        """Raises BadRequest for what is no moment, or is one that is gone."""
        chronicle, now = self._cacher.chronicle, self._cacher.revision
        if not word:
            return _Moment(now, "now")
        if word.isascii() and word.isdigit() and len(word) <= _MOST_DIGITS:
            revision = int(word)
            if revision > now:
                raise BadRequest(f"revision {word} is in the future: the plane is at {now}")
        else:
            revision = chronicle.revision_then(_time(word))
        if revision < chronicle.base:
            raise BadRequest(f"{word} is gone: the history of this plane {self._reach_sentence()}")
        return _Moment(revision, word)

    def _reach(self) -> JSONObject:
        chronicle = self._cacher.chronicle
        return {"revision": chronicle.base, "time": format_micro_time(chronicle.moment_of(chronicle.began))}

    def _reach_sentence(self) -> str:
        reach = self._reach()
        return f"reaches back to revision {reach['revision']}, {reach['time']} (see `kctl up --history`)"

    def _key(self, subject: _Subject) -> str:
        prefix = self._prefix(subject.group, subject.resource)
        if prefix is None:
            shown = go_quote(f"{subject.resource}.{subject.group}" if subject.group else subject.resource)
            raise BadRequest(f"the objects of {shown} are not stored here, so nobody knows their past")
        if not subject.name:
            raise BadRequest("the past of one object is asked for by its name")
        place = f"{subject.namespace}/{subject.name}" if subject.namespace else subject.name
        return self._cacher.root + prefix + place

    def _prefix(self, group: str, resource: str) -> str | None:
        for definition in self._installer.definitions():
            if definition.resource.resource == resource and definition.resource.group == group:
                return definition.prefix
        return None


class _Writers:
    """The requests that may have written to an object, and were answered so. One that is taken for an event has done
    nothing else."""

    def __init__(self, writes: Iterable[LoggedRequest]) -> None:
        self._to_come = deque(sorted(writes, key=_began))
        self._begun: dict[str, dict[str, deque[LoggedRequest]]] = {}  # by verb and manager

    def of(self, event: LoggedEvent, kind: str, managers: set[str]) -> LoggedRequest | None:
        """The first of those that can have done it. It had begun, and was not over yet or had just been: the feed may
        bring an event a moment after its answer. Both times are of the same clock, and events come in their order.

        `managers` are those of the object: none of them means the create of another one, whose name is in its body.
        """
        while self._to_come and self._to_come[0].began <= event.time:
            logged = self._to_come.popleft()
            self._begun.setdefault(logged.info.verb, {}).setdefault(_manager(logged), deque()).append(logged)
        candidates: list[deque[LoggedRequest]] = []
        for verb in _DO[kind]:
            queues = self._begun.get(verb, {})
            owners = managers if managers and verb in _OWNING else queues
            for queue in (queues[owner] for owner in owners if owner in queues):
                while queue and queue[0].began + (queue[0].seconds or 0.0) + _AFTER_ANSWER < event.time:
                    queue.popleft()
                if queue:
                    candidates.append(queue)
        return min(candidates, key=lambda queue: queue[0].began).popleft() if candidates else None


async def _writes(log: RequestLog, subject: _Subject, slices: TimeSlices) -> list[LoggedRequest]:
    """Others may be logged meanwhile: they wrote nothing that is told here."""
    found = []
    for entry in (*log.requests.entries, *log.internal.entries):
        if slices.is_over:
            await slices.next()
        info: RequestInfo = entry[_INFO]
        if info.verb not in _WRITES or info.resource != subject.resource or info.group != subject.group:
            continue
        if info.name != subject.name and (info.name or info.verb not in _NAMELESS):
            continue
        logged = LoggedRequest._make(entry)
        if info.namespace == subject.namespace and 200 <= logged.status < 300:
            found.append(logged)
    return found


def _began(logged: LoggedRequest) -> float:
    return logged.began


def _revision(event: LoggedEvent, writers: _Writers, chronicle: Chronicle) -> bytes:
    kind = "DELETED" if event.new is None else "ADDED" if event.old is None else "MODIFIED"
    entry = event.new if event.new is not None else event.old
    said: JSONObject = {
        "revision": event.revision,
        "time": format_micro_time(chronicle.moment_of(event.time)),
        "type": kind,
        "object": orjson.Fragment(_shown(entry)),
    }
    write = writers.of(event, kind, _managers(entry))
    if write is not None:
        user = write.user.name if write.user is not None else ""
        said |= {"verb": write.info.verb, "user": user, "userAgent": write.user_agent}
    return orjson.dumps(said)


def _managers(entry: Entry | None) -> set[str]:
    return {str(owner.get("manager")) for owner in _metadata(entry).get("managedFields") or []}


def _manager(logged: LoggedRequest) -> str:
    """Whom a write's fields belong to, as the server has it: who is named, or the first word of the user agent."""
    named = parse_qs(logged.target.partition("?")[2]).get("fieldManager")
    return (named[0] if named else logged.user_agent.partition("/")[0]) or "unknown"


def _time(word: str) -> datetime:
    try:
        return moment(word)
    except BadRequest as error:
        raise BadRequest(
            f"{go_quote(word)} is no moment: give a revision, a time such as 2026-01-31T12:00:00Z, or how long ago: 5m"
        ) from error


def _is_in(namespace: str, event: LoggedEvent) -> bool:
    """Only those are looked at whose key says so: it may also be the name of a resource that stands there."""
    if f"/{namespace}/" not in event.key:
        return False
    return bool(_metadata(event.new if event.new is not None else event.old).get("namespace") == namespace)


def _metadata(entry: Entry | None) -> JSONObject:
    return entry.decode_metadata() if isinstance(entry, StoredObject) else {}


def _shown(entry: Entry | None) -> bytes:
    return entry.data if isinstance(entry, StoredObject) else b"null"


async def _only(answer: Response, name: str) -> Answer:
    """The one object of a list, or the table of it."""
    if answer.status != 200:
        return answer
    listed = orjson.loads(await whole_body(answer.body))
    if listed.get("kind") == "Table":
        if not listed.get("rows"):
            raise NotFound(f"{go_quote(name)} was not there")
        return answer_json(listed)
    items = listed.get("items") or []
    if not items:
        raise NotFound(f"{go_quote(name)} was not there")
    kind = str(listed.get("kind", "")).removesuffix("List")
    return answer_json({"kind": kind, "apiVersion": listed.get("apiVersion"), **items[0]})
