"""The rules around a write of an event, for both groups that serve them. Kubernetes: pkg/registry/core/event."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from localplane.apimachinery.fieldpath import FieldError, collected
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request

from .validation import legacy_errors, strict_change_errors, strict_errors


class EventStrategy(Strategy):
    validates_schema = False
    allow_create_on_update = True
    allow_unconditional_update = True
    tracks_generation = False
    ttl = timedelta(hours=1)

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        if not request.info.group:
            return list(legacy_errors(obj, controller_field="reportingComponent"))
        return collected(legacy_errors(obj, controller_field="reportingController"), strict_errors(obj))

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        if not request.info.group:
            return list(legacy_errors(obj, controller_field="reportingComponent"))
        return collected(legacy_errors(obj, controller_field="reportingController"), strict_change_errors(obj, old))

    def default_garbage_collection_policy(self, request: Request) -> str:
        """Nothing hangs on an event, and nobody looks after those that do."""
        return "Unsupported"


def source_of(obj: JSONObject) -> str:
    """Who tells of it, as a field selector names them: new events have a reporting component instead."""
    return str((obj.get("source") or {}).get("component") or obj.get("reportingComponent") or "")
