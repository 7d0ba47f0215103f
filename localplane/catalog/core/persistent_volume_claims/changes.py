"""What may change of a claim. Kubernetes: pkg/apis/core/validation, ValidatePersistentVolumeClaimUpdate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apimachinery.quantity import ZERO, Quantity, parse
from localplane.catalog.core.persistent_volumes.warnings import CLASS_ANNOTATION
from localplane.catalog.core.pods.semantics import equal
from localplane.catalog.internal_form import diff
from localplane.catalog.validation.metadata import IMMUTABLE, immutable_errors

from .data_sources import normalized

_SPEC = Path("spec")
_STORAGE = _SPEC / "resources" / "requests" / "storage"
_ATTRIBUTES = _SPEC / "volumeAttributesClassName"
_STAYS = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"


def claim_change_errors(claim: JSONObject, old: JSONObject) -> Iterator[FieldError]:
    spec, before = claim.get("spec") or {}, normalized(old.get("spec") or {})
    yield from _annotation_errors(claim, old)
    wanted, known = _comparable(claim, old)
    if not equal(wanted, known):
        yield forbidden(_SPEC, f"{_STAYS}\n{diff(known, wanted, 'core.PersistentVolumeClaimSpec')}")
    yield from _size_errors(spec, before, old.get("status") or {})
    yield from immutable_errors(spec.get("volumeMode"), before.get("volumeMode"), Path("volumeMode"))
    yield from _attributes_errors(spec, before, old.get("status") or {})


def _size_errors(spec: JSONObject, before: JSONObject, status: JSONObject) -> Iterator[FieldError]:
    """Who asked for too much may ask for less again, as long as it is more than there is: no volume shrinks."""
    size = _storage((spec.get("resources") or {}).get("requests"))
    is_less = size < _storage((before.get("resources") or {}).get("requests"))
    if is_less and size <= _storage(status.get("capacity")):
        yield forbidden(_STORAGE, "field can not be less than status.capacity")


def _comparable(claim: JSONObject, old: JSONObject) -> tuple[dict[str, Any], dict[str, Any]]:
    """Both specs, without the differences that are allowed."""
    wanted: dict[str, Any] = copied(dict(claim.get("spec") or {}))
    known = normalized(old.get("spec") or {})
    if not known.get("volumeName") and "volumeName" in wanted:
        known["volumeName"] = wanted["volumeName"]
    if known.get("storageClassName") is None and _may_get_class(claim, old):
        wanted.pop("storageClassName", None)
    if (claim.get("status") or {}).get("phase") == "Bound":
        requests = (wanted.get("resources") or {}).get("requests")
        if requests:
            requests["storage"] = ((known.get("resources") or {}).get("requests") or {}).get("storage", "0")
        wanted.pop("volumeAttributesClassName", None)
        if "volumeAttributesClassName" in known:
            wanted["volumeAttributesClassName"] = known["volumeAttributesClassName"]
    return _without_nulls(wanted), _without_nulls(known)


def _without_nulls(spec: dict[str, Any]) -> dict[str, Any]:
    """A group that is not there is told as null, or not at all."""
    for field in ("dataSource", "dataSourceRef"):
        if (source := spec.get(field)) is not None:
            spec[field] = {name: value for name, value in source.items() if value is not None}
    return spec


def _class_annotation(claim: JSONObject) -> str | None:
    annotation: str | None = ((claim.get("metadata") or {}).get("annotations") or {}).get(CLASS_ANNOTATION)
    return annotation


def _may_get_class(claim: JSONObject, old: JSONObject) -> bool:
    """A claim without a class may get one later: any, or the one that its annotation has always named."""
    name, annotation = (claim.get("spec") or {}).get("storageClassName"), _class_annotation(old)
    return name is not None and annotation in (None, name)


def _moves_to_field(claim: JSONObject, old: JSONObject) -> bool:
    """The class that was an annotation becomes a field; then the annotation may go."""
    before, annotation = _class_annotation(old), _class_annotation(claim)
    return (
        before is not None
        and (old.get("spec") or {}).get("storageClassName") is None
        and (claim.get("spec") or {}).get("storageClassName") == before
        and annotation in (None, before)
    )


def _annotation_errors(claim: JSONObject, old: JSONObject) -> Iterator[FieldError]:
    annotation = _class_annotation(claim) or ""
    if annotation != (_class_annotation(old) or "") and not _moves_to_field(claim, old):
        yield invalid(Path("metadata") / "annotations" / CLASS_ANNOTATION, annotation, IMMUTABLE)


def _storage(amounts: Mapping[str, str] | None) -> Quantity:
    return parse(amounts["storage"]) if amounts and "storage" in amounts else ZERO


def _attributes_errors(spec: JSONObject, before: JSONObject, status: JSONObject) -> Iterator[FieldError]:
    """A volume that has got attributes once can only get others."""
    name = spec.get("volumeAttributesClassName")
    if name == before.get("volumeAttributesClassName") or status.get("currentVolumeAttributesClassName") is None:
        return
    condition = "is forbidden when status.currentVolumeAttributesClassName is not nil"
    if name is None:
        yield forbidden(_ATTRIBUTES, f"update to nil {condition}")
    elif not name:
        yield forbidden(_ATTRIBUTES, f"update to empty string {condition}")
