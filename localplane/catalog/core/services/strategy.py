"""The hooks around writes of a Service. Kubernetes: pkg/registry/core/service/strategy.go."""

from __future__ import annotations

from collections.abc import Sequence

from localplane.apimachinery.fieldpath import FieldError, collected
from localplane.apimachinery.names import dns1123_label
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.strategy import StatusStrategy, Strategy
from localplane.apiserver.request import Request
from localplane.catalog.validation.metadata import metadata_errors, metadata_update_errors

from .advice import service_warnings, status_warnings
from .defaults import forget_internal_traffic
from .dropping import drop_type_dependent_fields
from .validation.changes import change_errors
from .validation.spec import service_errors
from .validation.status import status_errors


class ServiceStrategy(Strategy):
    allow_create_on_update = True
    allow_unconditional_update = True
    tracks_generation = False
    validates_schema = False

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return collected(metadata_errors(obj, namespaced=True, name=dns1123_label), service_errors(obj, None))

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return list(service_warnings(obj))

    def canonicalize(self, obj: JSONObject) -> None:
        forget_internal_traffic(obj)

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        drop_type_dependent_fields(obj, old)

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(
            metadata_update_errors(obj, old),
            change_errors(obj.get("spec") or {}, old.get("spec") or {}),
            service_errors(obj, old),
        )

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        return list(service_warnings(obj))


class ServiceStatusStrategy(StatusStrategy):
    """Labels and annotations may come with a status."""

    def __init__(self, main: Strategy) -> None:
        super().__init__(main, changes_metadata=True)

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(metadata_update_errors(obj, old), status_errors(obj, old))

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        return list(status_warnings(obj))
