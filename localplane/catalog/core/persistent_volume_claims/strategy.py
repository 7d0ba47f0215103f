"""The rules around a write of a claim. Kubernetes: pkg/registry/core/persistentvolumeclaim."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from localplane.apimachinery.fieldpath import FieldError, Path, collected
from localplane.apimachinery.gotext import go_quote
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import parse
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request
from localplane.catalog.core.persistent_volumes.advice import CLASS_ANNOTATION, CLASS_ANNOTATION_WARNING
from localplane.catalog.core.pods.validation.claims import claim_spec_errors
from localplane.catalog.validation.metadata import metadata_errors, metadata_update_errors

from .changes import claim_change_errors
from .data_sources import prepare_data_sources

_SPEC = Path("spec")


class ClaimStrategy(Strategy):
    validates_schema = False
    allow_unconditional_update = True
    tracks_generation = False

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        obj["status"] = {"phase": "Pending"}
        prepare_data_sources(obj.setdefault("spec", {}), {})

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        spec = obj.get("spec") or {}
        return collected(
            metadata_errors(obj, namespaced=True, name=dns1123_subdomain),
            claim_spec_errors(spec, _SPEC),
        )

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return list(_warnings(obj))

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        prepare_data_sources(obj.setdefault("spec", {}), old.get("spec") or {})

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(metadata_update_errors(obj, old), self.validate(request, obj), claim_change_errors(obj, old))

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        return list(_warnings(obj))


def _warnings(obj: JSONObject) -> Iterator[str]:
    """Kubernetes: pkg/api/persistentvolumeclaim, GetWarningsForPersistentVolumeClaim."""
    if CLASS_ANNOTATION in ((obj.get("metadata") or {}).get("annotations") or {}):
        yield CLASS_ANNOTATION_WARNING
    resources = (obj.get("spec") or {}).get("resources") or {}
    for part in ("requests", "limits"):
        amount = (resources.get(part) or {}).get("storage")
        if amount is not None and parse(amount).milli_value() % 1000:
            place = (_SPEC / "resources" / part)["storage"]
            yield f"{place}: fractional byte value {go_quote(amount)} is invalid, must be an integer"
