"""Events in the shape of events.k8s.io, from the core group's and back.

Kubernetes: pkg/apis/events/v1, conversion.go.
"""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.catalog.core.events import EventStrategy, event_cells
from localplane.catalog.declarations import Conversion, builtin

# By their names in the core group.
_RENAMED = {
    "involvedObject": "regarding",
    "message": "note",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
    "reportingComponent": "reportingController",
}
_IN_CORE = {name: core_name for core_name, name in _RENAMED.items()}
# What the core group writes even when there is nothing to say.
_ALWAYS_IN_CORE: JSONObject = {
    "involvedObject": {},
    "source": {},
    "firstTimestamp": None,
    "lastTimestamp": None,
    "eventTime": None,
    "reportingComponent": "",
    "reportingInstance": "",
}


def to_core(event: JSONObject) -> JSONObject:
    renamed = {_IN_CORE.get(name, name): value for name, value in event.items()}
    blank = {name: {} if value == {} else value for name, value in _ALWAYS_IN_CORE.items()}
    return blank | renamed


def from_core(event: JSONObject) -> JSONObject:
    """What is empty and only the core group writes is left out."""
    renamed = {_RENAMED.get(name, name): value for name, value in event.items()}
    for name in ("regarding", "reportingController", "reportingInstance"):
        if not renamed.get(name):
            renamed.pop(name, None)
    return renamed


def _cells(event: JSONObject) -> list[Any]:
    return event_cells(to_core(event))


EVENTS = builtin(
    "events.k8s.io/events",
    strategy=EventStrategy(),
    cells=_cells,
    conversions={"v1": Conversion(to_core, from_core)},
)
