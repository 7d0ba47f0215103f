"""StorageVersionMigrations: which resource is to be written anew, and how far that has come.

Kubernetes: pkg/registry/storagemigration/storagemigration and pkg/apis/storagemigration/validation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, invalid, required
from localplane.apimachinery.names import dns1035_label, dns1123_subdomain
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.strategy import StatusStrategy, Strategy
from localplane.apiserver.request import Request
from localplane.catalog.declaring import builtin
from localplane.catalog.validation.conditions import CONDITIONS
from localplane.catalog.validation.metadata import (
    IMMUTABLE,
    immutable_errors,
    metadata_errors,
    metadata_update_errors,
)

_SPEC, _STATUS = Path("spec"), Path("status")
_RESOURCE = _SPEC / "resource"
_SHOWN = ("Running", "Failed", "Succeeded")


class StorageVersionMigrationStrategy(Strategy):
    tracks_generation = False
    validates_schema = False

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return collected(
            metadata_errors(obj, namespaced=False, name=dns1123_subdomain), _resource_errors(_resource_of(obj))
        )

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(
            self.validate(request, obj),
            metadata_update_errors(obj, old),
            immutable_errors(_internal_spec(obj), _internal_spec(old), _SPEC),
        )


class StorageVersionMigrationStatusStrategy(StatusStrategy):
    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        errors = _status_errors(obj.get("status") or {}, old.get("status") or {})
        return collected(metadata_update_errors(obj, old), errors)


def _resource_of(obj: JSONObject) -> JSONObject:
    return (obj.get("spec") or {}).get("resource") or {}


def _internal_spec(obj: JSONObject) -> JSONObject:
    """As Go prints it."""
    resource = _resource_of(obj)
    return {"Resource": {"group": resource.get("group", ""), "resource": resource.get("resource", "")}}


def _resource_errors(resource: Mapping[str, Any]) -> Iterator[FieldError]:
    name, group = resource.get("resource") or "", resource.get("group") or ""
    if not name:
        yield required(_RESOURCE / "resource", "resource is required to be set")
    elif problems := dns1035_label(name):
        yield invalid(_RESOURCE / "resource", name, ",".join(problems))
    if group and (problems := dns1123_subdomain(group)):
        yield invalid(_RESOURCE / "group", group, ",".join(problems))


def _status_errors(status: Mapping[str, Any], old: Mapping[str, Any]) -> Iterator[FieldError]:
    version, before = status.get("resourceVersion") or "", old.get("resourceVersion") or ""
    conditions, path = status.get("conditions") or [], _STATUS / "conditions"
    if version and (problem := _version_problem(version)):
        yield invalid(_STATUS / "resourceVersion", version, problem)
    yield from CONDITIONS(conditions, path)
    if before and before != version:
        yield invalid(_STATUS / "resourceVersion", version, IMMUTABLE)
    succeeded, failed = (_is_true(conditions, kind) for kind in ("Succeeded", "Failed"))
    if succeeded and failed:
        both = "Both success and failed conditions cannot be true at the same time"
        yield invalid(path, conditions, both)
    known = old.get("conditions") or []
    if _is_true(known, "Succeeded") and not succeeded:
        yield invalid(path, conditions, "Success condition cannot be set to false once it is true")
    if _is_true(known, "Failed") and not failed:
        yield invalid(path, conditions, "Failed condition cannot be set to false once it is true")


def _version_problem(version: str) -> str:
    """Kubernetes: apimachinery/pkg/util/resourceversion, CompareResourceVersion."""
    if version.isascii() and version.isdigit() and not version.startswith("0"):
        return ""
    return f"resource version is not well formed: {version}"


def _is_true(conditions: Sequence[Mapping[str, Any]], kind: str) -> bool:
    """The first of its type counts."""
    found = next((each for each in conditions if each.get("type") == kind), {})
    return found.get("status") == "True"


def storage_version_migration_cells(obj: JSONObject) -> list[Any]:
    resource = _resource_of(obj)
    name, group = resource.get("resource") or "", resource.get("group") or ""
    state = "Unknown"
    for condition in (obj.get("status") or {}).get("conditions") or ():
        if condition.get("status") == "True" and condition.get("type") in _SHOWN:
            state = condition["type"]
    return [(obj.get("metadata") or {}).get("name", ""), f"{name}.{group}" if group else name, state]


STORAGE_VERSION_MIGRATIONS = builtin(
    "storagemigration.k8s.io/storageversionmigrations",
    strategy=StorageVersionMigrationStrategy(),
    status_strategy=StorageVersionMigrationStatusStrategy,
    cells=storage_version_migration_cells,
)
