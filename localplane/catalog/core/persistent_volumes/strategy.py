"""The rules around a write of a volume. Kubernetes: pkg/registry/core/persistentvolume."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from localplane.apimachinery.fieldpath import FieldError
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import now
from localplane.apiserver.request import Request
from localplane.catalog.strategy import Asked, BuiltinStatusStrategy, BuiltinStrategy

from .changes import persistent_volume_change_errors
from .validation import persistent_volume_errors
from .warnings import persistent_volume_warnings

_SINCE = "lastPhaseTransitionTime"


class PersistentVolumeStrategy(BuiltinStrategy):
    allow_unconditional_update = True
    tracks_generation = False
    on_update = (Asked.OBJECT, Asked.CHANGES)

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        obj["status"] = {"phase": "Pending", _SINCE: now()}

    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
        return persistent_volume_errors(obj)

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return list(persistent_volume_warnings(obj))

    def change_errors(self, obj: JSONObject, old: JSONObject) -> Iterator[FieldError]:
        return persistent_volume_change_errors(obj, old)

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        return list(persistent_volume_warnings(obj))


class PersistentVolumeStatusStrategy(BuiltinStatusStrategy):
    """Whoever changes the phase without saying when gets the time of now."""

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        super().prepare_for_update(request, obj, old)
        status, before = obj.setdefault("status", {}), old.get("status") or {}
        if status.get("phase") == before.get("phase"):
            if not status.get(_SINCE) and before.get(_SINCE):
                status[_SINCE] = before[_SINCE]
        elif not status.get(_SINCE) or status[_SINCE] == before.get(_SINCE):
            status[_SINCE] = now()
