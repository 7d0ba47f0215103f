"""How a claim is written, and its status: its volume's size, and how far a change of it has come.

Kubernetes: pkg/registry/core/persistentvolumeclaim; pkg/apis/core/validation,
ValidatePersistentVolumeClaimStatusUpdate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from localplane.apimachinery.fieldpath import FieldError, Path, collected, invalid, not_supported, required
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.names import qualified_name
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import parse
from localplane.apiserver.request import Request
from localplane.catalog.core.persistent_volumes.warnings import CLASS_ANNOTATION, CLASS_ANNOTATION_WARNING
from localplane.catalog.core.pods.validation.claims import CLAIM_SPEC
from localplane.catalog.core.pods.validation.resources import is_native, resource_value_errors
from localplane.catalog.strategy import Asked, BuiltinStatusStrategy, BuiltinStrategy
from localplane.catalog.validation.metadata import metadata_update_errors
from localplane.catalog.validation.rules import Fields, Struct

from .changes import claim_change_errors
from .data_sources import prepare_data_sources

_SPEC = Path("spec")


class ClaimStrategy(BuiltinStrategy):
    allow_unconditional_update = True
    tracks_generation = False
    rules = Fields(spec=Struct(CLAIM_SPEC))
    on_update = (Asked.METADATA, Asked.OBJECT, Asked.CHANGES)

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        obj["status"] = {"phase": "Pending"}
        prepare_data_sources(obj.setdefault("spec", {}), {})

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return list(_warnings(obj))

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        prepare_data_sources(obj.setdefault("spec", {}), old.get("spec") or {})

    def change_errors(self, obj: JSONObject, old: JSONObject) -> Iterator[FieldError]:
        return claim_change_errors(obj, old)

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


_STATUS = Path("status")
_RESIZES = (
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
)


class ClaimStatusStrategy(BuiltinStatusStrategy):
    """The health of volumes is switched off."""

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        super().prepare_for_update(request, obj, old)
        (obj.get("status") or {}).pop("healthStatus", None)

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(metadata_update_errors(obj, old), _status_errors(obj))


def _status_errors(obj: JSONObject) -> Iterator[FieldError]:
    status = obj.get("status") or {}
    if not (obj.get("spec") or {}).get("accessModes"):
        yield required(Path("Spec") / "accessModes")
    for name, amount in sorted((status.get("capacity") or {}).items()):
        yield from _amount_errors(amount, (_STATUS / "capacity")[name])
    yield from _resize_errors(status.get("allocatedResourceStatuses") or {}, _STATUS / "allocatedResourceStatuses")
    place = _STATUS / "allocatedResources"
    for name, amount in sorted((status.get("allocatedResources") or {}).items()):
        if errors := _key_errors(name, place) or _amount_errors(amount, place[name]):
            yield from errors
        else:
            yield from resource_value_errors("storage", parse(amount), place[name])


def _resize_errors(resizes: Mapping[str, str], path: Path) -> Iterator[FieldError]:
    for name, state in sorted(resizes.items()):
        yield from _key_errors(name, path)
        if state not in _RESIZES:
            yield not_supported(path, name, sorted(_RESIZES))


def _key_errors(name: str, path: Path) -> list[FieldError]:
    """Of Kubernetes' own resources, only storage."""
    if problems := qualified_name(name):
        return [invalid(path, name, problem) for problem in problems]
    return [not_supported(path, name, ("storage",))] if is_native(name) and name != "storage" else []


def _amount_errors(amount: str, path: Path) -> list[FieldError]:
    whole = parse(amount).value()
    return [invalid(path, whole, "must be a valid resource quantity")] if whole < 0 else []
