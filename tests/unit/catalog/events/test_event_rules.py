"""Events in their two shapes: loose rules for the one group, strict ones for the other."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.request import Query, Request, RequestInfo
from localplane.catalog.core.events import EVENTS as CORE_EVENTS
from localplane.catalog.core.events import event_cells
from localplane.catalog.events.events import EVENTS, from_core, to_core

METADATA = {"name": "e", "namespace": "n", "uid": "u", "resourceVersion": "1"}
OLD_KIND: JSONObject = {"metadata": METADATA, "involvedObject": {"namespace": "n"}}
NEW_KIND: JSONObject = {
    "metadata": METADATA,
    "involvedObject": {"kind": "Pod", "namespace": "n", "name": "p"},
    "eventTime": "2020-01-01T00:00:00.000000Z",
    "reportingComponent": "a.io/b",
    "reportingInstance": "i",
    "action": "Act",
    "reason": "R",
    "message": "m",
    "type": "Normal",
}


def asked(group: str) -> Request:
    async def nothing(_: int) -> bytes:
        return b""

    info = RequestInfo(is_resource=True, path="", verb="create", group=group, version="v1")
    return Request("POST", "", Query({}), {}, nothing, info=info)


CORE, STRICT = asked(""), asked("events.k8s.io")


@pytest.mark.parametrize(
    ("request_", "event", "expected"),
    [
        (CORE, OLD_KIND, []),
        (CORE, NEW_KIND, []),
        (STRICT, NEW_KIND, []),
        (
            CORE,
            OLD_KIND | {"involvedObject": {}},
            ['involvedObject.namespace: Invalid value: "": does not match event.namespace'],
        ),
        (CORE, OLD_KIND | {"metadata": METADATA | {"namespace": "default"}, "involvedObject": {}}, []),
        (
            CORE,
            NEW_KIND | {"reportingComponent": "", "action": "", "reason": "x" * 129},
            [
                "reportingComponent: Required value",
                'reportingComponent: Invalid value: "": name part must be non-empty',
                (
                    "reportingComponent: Invalid value: \"\": name part must consist of alphanumeric characters, '-', "
                    "'_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  "
                    "or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
                ),
                "action: Required value",
                'reason: Invalid value: "": can have at most 128 characters',
            ],
        ),
        (
            STRICT,
            NEW_KIND | {"type": "Loud", "count": 1, "source": {"host": "h"}, "series": {"count": 1}},
            [
                'series.count: Invalid value: "": should be at least 2',
                "series.lastObservedTime: Required value",
                'type: Invalid value: "": has invalid value: Loud',
                'count: Invalid value: "": needs to be unset',
                'source: Invalid value: "": needs to be unset',
            ],
        ),
    ],
)
def test_new_events(request_: Request, event: JSONObject, expected: list[str]) -> None:
    assert [str(error) for error in EVENTS.strategy.validate(request_, event)] == expected


SERIES = {"series": {"count": 2, "lastObservedTime": "2020-01-01T00:00:00.000000Z"}}


@pytest.mark.parametrize(
    ("request_", "change", "expected"),
    [
        (CORE, {"message": "other", "count": 2}, []),
        (STRICT, SERIES, []),
        (STRICT, {"eventTime": "2020-01-01T01:00:00.000000+01:00"}, []),
        (STRICT, {"message": "other"}, ['message: Invalid value: "other": field is immutable']),
        (STRICT, {"count": 2}, ["count: Invalid value: 2: field is immutable"]),
        (
            STRICT,
            {"involvedObject": {"namespace": "n"}},
            [
                (
                    'involvedObject: Invalid value: {"Kind":"","Namespace":"n","Name":"","UID":"","APIVersion":"",'
                    '"ResourceVersion":"","FieldPath":""}: field is immutable'
                )
            ],
        ),
    ],
)
def test_changes(request_: Request, change: JSONObject, expected: list[str]) -> None:
    errors = EVENTS.strategy.validate_update(request_, NEW_KIND | change, NEW_KIND)
    assert [str(error) for error in errors] == expected


def test_the_way_there_and_back_leaves_an_event_as_it_was() -> None:
    event = {
        "metadata": {"name": "e"},
        "regarding": {"kind": "Pod"},
        "note": "n",
        "deprecatedCount": 2,
        "reportingController": "c",
        "eventTime": None,
        "deprecatedSource": {},
        "deprecatedFirstTimestamp": None,
        "deprecatedLastTimestamp": None,
    }
    core = to_core(dict(event))
    assert core["involvedObject"] == {"kind": "Pod"}
    assert (core["message"], core["count"], core["reportingComponent"], core["source"]) == ("n", 2, "c", {})
    assert from_core(core) == event


@pytest.mark.parametrize(
    ("event", "cells"),
    [
        (
            {
                "involvedObject": {"kind": "Pod", "name": "p"},
                "message": " m ",
                "source": {"component": "c", "host": "h"},
            },
            ["<unknown>", "", "", "pod/p", "", "c, h", "m", "<unknown>", 1],
        ),
        (
            NEW_KIND | {"series": {"count": 7}},
            ["<unknown>", "Normal", "R", "pod/p", "", "a.io/b, i", "m", None, 7],
        ),
    ],
)
def test_rows(event: JSONObject, cells: list[Any]) -> None:
    row = event_cells(event)[:9]
    assert [None if wanted is None else cell for cell, wanted in zip(row, cells, strict=True)] == cells


def test_both_groups_keep_events_for_an_hour() -> None:
    spans = [resource.strategy.ttl for resource in (CORE_EVENTS, EVENTS)]
    assert [span and span.total_seconds() for span in spans] == [3600, 3600]
