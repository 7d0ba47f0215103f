"""/localplane/v1/requests: what was asked lately, by whom, and what came of it.

    GET ?user=U&verb=V&resource=R&namespace=N&status=S&since=5m&tail=20&internal=true     {"requests": [...]}
    GET ?follow=true&...     a line of JSON for each, then for each that comes; {"missed": N} for those that are lost

Parameters that are given several times, or with commas, mean any of their values. What asks an instrument is left out,
as is what asks from inside of the server, unless `internal` says otherwise.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import orjson

from localplane.apimachinery.errors import BadRequest
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.time_slices import TimeSlices
from localplane.apimachinery.times import format_micro_time
from localplane.apiserver.request import Answer, Query, Request, StreamResponse
from localplane.apiserver.request_log import LoggedRequest, RequestLog

from .parameters import expect, moment, switch
from .table import ROOT, allow, answer_items, missing

_PARAMETERS: Final = frozenset(
    {"user", "verb", "resource", "namespace", "name", "status", "since", "tail", "internal", "follow"}
)
_CLASSES: Final = {f"{digit}xx": range(digit * 100, digit * 100 + 100) for digit in range(1, 6)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which requests somebody wants to see: what is empty selects all. A user's name may end in `*`. A resource is
    `pods`, `pods/status`, `pods/*` or `deployments.apps`. `tail` is how many of them at most, the last ones."""

    users: Sequence[str] = ()
    verbs: Sequence[str] = ()
    resources: Sequence[str] = ()
    namespaces: Sequence[str] = ()
    names: Sequence[str] = ()
    statuses: Sequence[range] = ()
    since: datetime | None = None
    tail: int | None = None
    internal: bool = False

    @classmethod
    def of(cls, query: Query) -> Selection:
        """Raises BadRequest for what can't be read."""
        expect(query, _PARAMETERS)
        return cls(
            users=_values(query, "user"),
            verbs=[verb.lower() for verb in _values(query, "verb")],
            resources=[resource.lower() for resource in _values(query, "resource")],
            namespaces=_values(query, "namespace"),
            names=_values(query, "name"),
            statuses=[statuses_of(text) for text in _values(query, "status")],
            since=moment(query.get("since")) if query.get("since") else None,
            tail=_tail(query.get("tail")) if query.get("tail") else None,
            internal=switch(query, "internal"),
        )

    def matches(self, request: LoggedRequest) -> bool:
        info = request.info
        if info.path.startswith(ROOT) and not self.internal:
            return False
        if self.verbs and info.verb not in self.verbs:
            return False
        if self.namespaces and info.namespace not in self.namespaces:
            return False
        if self.names and info.name not in self.names:
            return False
        if self.resources and not self._has_resource(request):
            return False
        if self.statuses and not any(request.status in status for status in self.statuses):
            return False
        if self.users and not self._has_user(request):
            return False
        return self.since is None or request.moment >= self.since

    def _has_user(self, request: LoggedRequest) -> bool:
        name = request.user.name if request.user else ""
        return any(name == user or (user.endswith("*") and name.startswith(user[:-1])) for user in self.users)

    def _has_resource(self, request: LoggedRequest) -> bool:
        info = request.info
        if not info.is_resource:
            return False
        plain = (info.resource, f"{info.resource}.{info.group}")
        names = {*plain} if not info.subresource else {f"{name}/{info.subresource}" for name in plain}
        names |= {f"{name}/*" for name in plain}
        return not names.isdisjoint(self.resources)

    async def last(self, requests: Iterable[LoggedRequest]) -> Sequence[LoggedRequest]:
        """Those that match, as many as are wanted."""
        slices, matching = TimeSlices(), deque[LoggedRequest](maxlen=self.tail)
        for request in requests:
            if self.matches(request):
                matching.append(request)
            if slices.is_over:
                await slices.next()
        return matching


def statuses_of(text: str) -> range:
    """`404`, or `4xx` for all that begin so. Raises BadRequest."""
    if found := _CLASSES.get(text.lower()):
        return found
    if text.isascii() and text.isdigit() and (text == "0" or 100 <= int(text[:4]) <= 599):
        return range(int(text), int(text) + 1)
    raise BadRequest(f"{go_quote(text)} is no status: it is a number such as 404, or 4xx")


def _values(query: Query, name: str) -> list[str]:
    return [part.strip() for text in query.all(name) for part in text.split(",") if part.strip()]


def _tail(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise BadRequest(f"tail is how many requests to show, not {go_quote(text)}")
    return int(text)


def document(request: LoggedRequest) -> JSONObject:
    """How a request is told. What it has not is left out; `durationSeconds` is missing while it lasts."""
    info, user = request.info, request.user
    told: JSONObject = {
        "time": format_micro_time(request.moment),
        "method": request.method,
        "uri": _clean(request.target),
        "verb": info.verb,
        "apiGroup": info.group,
        "apiVersion": info.version,
        "resource": info.resource,
        "subresource": info.subresource,
        "namespace": info.namespace,
        "name": info.name,
        "user": user.name if user else "",
        "groups": list(user.groups) if user else [],
        "impersonator": request.impersonator.name if request.impersonator else "",
        "userAgent": request.user_agent,
        "requestID": request.request_id,
        "internal": request.internal,
    }
    shown = {name: _clean(value) if isinstance(value, str) else value for name, value in told.items() if value}
    shown |= {"status": request.status, "watch": info.verb == "watch", "bytes": request.sent}
    if request.seconds is not None:
        shown["durationSeconds"] = round(request.seconds, 6)
    return shown


def _clean(text: str) -> str:
    """Bytes of a header that were no UTF-8 can't be written as JSON."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


class Requests:
    """The instrument."""

    def __init__(self, log: RequestLog) -> None:
        self.log = log

    async def handle(self, request: Request, rest: str) -> Answer:
        if rest:
            raise missing(f"requests has nothing below it: ask {ROOT}requests")
        allow(request, "GET")
        selection = Selection.of(request.query)
        if not switch(request.query, "follow"):
            entries = await selection.last(self.log.entries(internal=selection.internal))
            return answer_items({}, "requests", (orjson.dumps(document(entry)) for entry in entries))
        pieces = self._followed(selection)
        return StreamResponse(pieces, pieces.aclose, content_type="application/x-ndjson")

    async def _followed(self, selection: Selection) -> AsyncGenerator[bytes, None]:
        slices = TimeSlices()
        first = True
        async with aclosing(self.log.follow(internal=selection.internal)) as pages:
            async for page in pages:
                slices.begin()
                if page.missed:
                    yield orjson.dumps({"missed": page.missed}) + b"\n"
                for entry in await selection.last(page.requests) if first else page.requests:
                    if first or selection.matches(entry):
                        yield orjson.dumps(document(entry)) + b"\n"
                    if slices.is_over:
                        await slices.next()
                first = False
