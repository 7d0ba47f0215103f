"""Events: what happened to an object. They go by themselves after an hour.

The core group declares the kind, and the group events.k8s.io shows the same objects in a shape of its own
(`catalog.events`). The rules look at the group that is asked: loose in the core group, as they always were, and strict
in the other. Events of the old kind have no `eventTime`; the new kind must tell more, and once written hardly changes.
Kubernetes: pkg/registry/core/event; pkg/apis/core/validation/events.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, invalid, required
from localplane.apimachinery.names import qualified_name, size
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import same
from localplane.apimachinery.times import InvalidTime, age, parse_time
from localplane.apiserver.request import Request
from localplane.catalog.declarations import builtin
from localplane.catalog.internal_form import internal_form
from localplane.catalog.strategy import BuiltinStrategy
from localplane.catalog.validation.metadata import IMMUTABLE, metadata_update_errors

_OBJECT = Path("involvedObject") / "namespace"
_NO_MATCH = "does not match event.namespace"
_LONGEST = {"reportingInstance": 128, "action": 128, "reason": 128, "message": 1024}


def _legacy_errors(event: JSONObject, *, controller_field: str) -> Iterator[FieldError]:
    """What holds for all events. `controller_field` is what the reporting controller is called in the group asked."""
    namespace = (event.get("metadata") or {}).get("namespace", "")
    involved = (event.get("involvedObject") or {}).get("namespace", "")
    if not event.get("eventTime"):
        if namespace != involved and (involved or namespace != "default"):
            yield invalid(_OBJECT, involved, _NO_MATCH)
        return
    if not involved and namespace not in ("default", "kube-system"):
        yield invalid(_OBJECT, involved, _NO_MATCH)
    controller = event.get("reportingComponent") or ""
    if not controller:
        yield required(controller_field)
    yield from (invalid(controller_field, controller, problem) for problem in qualified_name(controller))
    for field, longest in _LONGEST.items():
        text = event.get(field) or ""
        if not text and field != "message":
            yield required(field)
        if size(text) > longest:
            yield invalid(field, "", f"can have at most {longest} characters")


def _strict_errors(event: JSONObject) -> Iterator[FieldError]:
    """What a new event must fulfil beside."""
    yield from _series_errors(event.get("series"))
    if not event.get("eventTime"):
        yield required("eventTime")
    kind = event.get("type") or ""
    if kind not in ("Normal", "Warning"):
        yield invalid("type", "", f"has invalid value: {kind}")
    for field in ("firstTimestamp", "lastTimestamp", "count"):
        if event.get(field):
            yield invalid(field, "", "needs to be unset")
    if any((event.get("source") or {}).values()):
        yield invalid("source", "", "needs to be unset")


def _series_errors(series: JSONObject | None) -> Iterator[FieldError]:
    if series is None:
        return
    if (series.get("count") or 0) < 2:
        yield invalid("series.count", "", "should be at least 2")
    if not series.get("lastObservedTime"):
        yield required("series.lastObservedTime")


# What may not change, what it is called in messages, and what type it is there.
_FIXED = (
    ("involvedObject", "involvedObject", "core.ObjectReference"),
    ("reason", "reason", "string"),
    ("message", "message", "string"),
    ("source", "source", "core.EventSource"),
    ("firstTimestamp", "firstTimestamp", ""),
    ("lastTimestamp", "lastTimestamp", ""),
    ("count", "count", "int32"),
    ("type", "type", "string"),
    ("eventTime", "eventTime", ""),
    ("action", "action", "string"),
    ("related", "related", "*core.ObjectReference"),
    ("reportingComponent", "reportingController", "string"),
    ("reportingInstance", "reportingInstance", "string"),
)


def _strict_change_errors(event: JSONObject, old: JSONObject) -> Iterator[FieldError]:
    """All but the series stays as it was."""
    yield from metadata_update_errors(event, old)
    if not same(event.get("series"), old.get("series")):
        yield from _series_errors(event.get("series"))
    for field, called, kind in _FIXED:
        new, before = event.get(field), old.get(field)
        if not kind:
            if not _same_time(new, before):
                yield invalid(called, new, IMMUTABLE)
            continue
        shown = internal_form(new, kind)
        if not same(shown, internal_form(before, kind)):
            yield invalid(called, shown, IMMUTABLE)


def _same_time(one: str | None, other: str | None) -> bool:
    if not one or not other:
        return not one and not other
    try:
        return parse_time(one) == parse_time(other)
    except InvalidTime:
        return one == other


class EventStrategy(BuiltinStrategy):
    allow_create_on_update = True
    allow_unconditional_update = True
    tracks_generation = False
    ttl = timedelta(hours=1)

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        if not request.info.group:
            return list(_legacy_errors(obj, controller_field="reportingComponent"))
        legacy = _legacy_errors(obj, controller_field="reportingController")
        return collected(legacy, self.metadata_errors(obj), _strict_errors(obj))

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        if not request.info.group:
            return list(_legacy_errors(obj, controller_field="reportingComponent"))
        return collected(_legacy_errors(obj, controller_field="reportingController"), _strict_change_errors(obj, old))

    def default_garbage_collection_policy(self, request: Request) -> str:
        """Nothing hangs on an event, and nobody looks after those that do."""
        return "Unsupported"


def _source_of(obj: JSONObject) -> str:
    """Who tells of it, as a field selector names them: new events have a reporting component instead."""
    return str((obj.get("source") or {}).get("component") or obj.get("reportingComponent") or "")


def event_cells(obj: JSONObject) -> list[Any]:
    """Kubernetes: pkg/printers/internalversion, printEvent."""
    series, involved = obj.get("series"), obj.get("involvedObject") or {}
    first = age(obj.get("firstTimestamp") or obj.get("eventTime"))
    last = age(obj["lastTimestamp"]) if obj.get("lastTimestamp") else first
    count = obj.get("count") or 1
    if series is not None:
        last, count = age(series.get("lastObservedTime")), series.get("count") or 0
    kind = str(involved.get("kind", "")).lower()
    return [
        last,
        obj.get("type") or "",
        obj.get("reason") or "",
        f"{kind}/{involved['name']}" if involved.get("name") else kind,
        involved.get("fieldPath", ""),
        _source(obj),
        (obj.get("message") or "").strip(),
        first,
        count,
        (obj.get("metadata") or {}).get("name", ""),
    ]


def _source(obj: JSONObject) -> str:
    """Which program, and where it runs."""
    source = obj.get("source") or {}
    component = source.get("component") or obj.get("reportingComponent") or ""
    instance = source.get("host") or obj.get("reportingInstance") or ""
    return f"{component}, {instance}" if instance else str(component)


EVENTS = builtin("events", strategy=EventStrategy(), cells=event_cells, selectable={"source": _source_of})
