"""/localplane/v1/history: what happened, and what there was.

    GET history/object?group=G&resource=R&namespace=N&name=NAME     every revision of one object that is known
    GET history/changes?at=A&to=B&namespace=N                       what is another at B than it was at A
    GET history/at/A/api/v1/namespaces/N/pods                       what the API would have answered at A: gets, lists

A and B are a revision, a time (RFC 3339), or how long ago (5m); without B it is now. It reaches as far back as the
server's chronicle (`storage/cacher/chronicle`), and no further than its start.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import parse_qs

import orjson

from localplane.apimachinery.errors import BadRequest, NotFound
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.time_slices import TimeSlices
from localplane.apimachinery.times import (
    InvalidDuration,
    InvalidTime,
    format_micro_time,
    parse_duration,
    parse_time,
)
from localplane.apiserver.endpoints.installer import Installer
from localplane.apiserver.endpoints.request_info import resolve
from localplane.apiserver.registry.errors import interpret_list
from localplane.apiserver.request import Answer, Query, Request, Response, whole_body
from localplane.apiserver.request_log import LoggedRequest, RequestLog, Ring
from localplane.apiserver.storage.cacher import Cacher
from localplane.apiserver.storage.cacher.chronicle import moment_of
from localplane.apiserver.storage.cacher.window import Entry, LoggedEvent
from localplane.apiserver.storage.errors import StorageError
from localplane.apiserver.storage.objects import StoredObject

from .table import allow, answer_json, missing

_MOST_DIGITS: Final = 19
_WRITES: Final = frozenset({"create", "update", "patch", "delete", "deletecollection"})

_NAMELESS: Final = ("create", "deletecollection")
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
        writes = [logged for ring in (self._log.requests, self._log.internal) for logged in _writes(ring, subject)]
        writes.sort(key=_began)
        revisions = [_revision(event, writes) for event in events]
        oldest = events[0].old if events else self._cacher.index.get(key)
        if isinstance(oldest, StoredObject):
            revisions.insert(0, {"revision": oldest.revision, "type": "", "object": _shown(oldest)})
        return answer_json({"reachesBackTo": self._reach(), "revisions": revisions})

    async def _changes(self, query: Query) -> Answer:
        before, after = self._moment(query.get("at")), self._moment(query.get("to"))
        if before.revision > after.revision:
            raise BadRequest(f"{before.word} is after {after.word}: the earlier one comes first")
        namespace, slices = query.get("namespace"), TimeSlices()
        first: dict[str, Entry | None] = {}
        last: dict[str, Entry | None] = {}
        for event in self._cacher.chronicle.after(before.revision):
            if event.revision > after.revision:
                break
            if not namespace or f"/{namespace}/" in event.key:
                first.setdefault(event.key, event.old)
                last[event.key] = event.new
            if slices.is_over:
                await slices.next()
        changes = [
            {"before": _shown(first[key]), "after": _shown(last[key])}
            for key in sorted(first)
            if _is_of(namespace, first[key], last[key])
        ]
        return answer_json({"from": before.revision, "to": after.revision, "changes": changes})

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
        return {"revision": chronicle.base, "time": format_micro_time(moment_of(chronicle.began))}

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


def _writes(ring: Ring, subject: _Subject) -> Iterator[LoggedRequest]:
    """Those that may have written to an object, and were answered so."""
    for entry in ring.entries:
        logged = LoggedRequest._make(entry)
        info = logged.info
        if info.verb not in _WRITES or info.resource != subject.resource or info.group != subject.group:
            continue
        if info.name in ("", subject.name) and info.namespace == subject.namespace and 200 <= logged.status < 300:
            yield logged


def _began(logged: LoggedRequest) -> float:
    return logged.began


def _revision(event: LoggedEvent, writes: list[LoggedRequest]) -> JSONObject:
    kind = "DELETED" if event.new is None else "ADDED" if event.old is None else "MODIFIED"
    said: JSONObject = {
        "revision": event.revision,
        "time": format_micro_time(moment_of(event.time)),
        "type": kind,
        "object": _shown(event.new if event.new is not None else event.old),
    }
    write = _taken(event, kind, _managers(said["object"]), writes)
    if write is not None:
        user = write.user.name if write.user is not None else ""
        said |= {"verb": write.info.verb, "user": user, "userAgent": write.user_agent}
    return said


def _taken(event: LoggedEvent, kind: str, managers: set[str], writes: list[LoggedRequest]) -> LoggedRequest | None:
    """The first of the requests that can have done it, which has done nothing else then. It had begun, and was not over
    yet or had just been: the feed may bring an event a moment after its answer. Both times are of the same clock."""
    for position, logged in enumerate(writes):
        if logged.began > event.time:
            return None
        verb = logged.info.verb
        is_over = logged.began + (logged.seconds or 0.0) + _AFTER_ANSWER < event.time
        if not is_over and verb in _DO[kind] and (logged.info.name or verb in _NAMELESS):
            if managers and verb in _OWNING and _manager(logged) not in managers:
                continue  # the create of another object, which says its name in its body
            return writes.pop(position)
    return None


def _managers(obj: JSONObject | None) -> set[str]:
    entries = ((obj or {}).get("metadata") or {}).get("managedFields") or []
    return {str(entry.get("manager")) for entry in entries}


def _manager(logged: LoggedRequest) -> str:
    """Whom a write's fields belong to, as the server has it: who is named, or the first word of the user agent."""
    named = parse_qs(logged.target.partition("?")[2]).get("fieldManager")
    return (named[0] if named else logged.user_agent.partition("/")[0]) or "unknown"


def _time(word: str) -> datetime:
    try:
        return datetime.now(UTC) - parse_duration(word)
    except InvalidDuration:
        pass
    try:
        return parse_time(word)
    except InvalidTime as error:
        raise BadRequest(
            f"{go_quote(word)} is no moment: give a revision, a time such as 2026-01-31T12:00:00Z, or how long ago: 5m"
        ) from error


def _shown(entry: Entry | None) -> JSONObject | None:
    return entry.decode() if isinstance(entry, StoredObject) else None


def _is_of(namespace: str, *entries: Entry | None) -> bool:
    """What differs, and is in that namespace if one is named."""
    before, after = (_shown(entry) for entry in entries)
    if before == after or (before is None and after is None):
        return False
    found: Any = ((after or before or {}).get("metadata") or {}).get("namespace", "")
    return not namespace or found == namespace


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
