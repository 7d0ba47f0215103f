"""StorageVersionMigrations: which resource is to be written anew, and how far that has come.

Kubernetes: pkg/registry/storagemigration/storagemigration and pkg/apis/storagemigration/validation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid
from localplane.apimachinery.names import NameValidator, dns1035_label, dns1123_subdomain
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import ROOT, STATUS, Asked, BuiltinStatusStrategy, BuiltinStrategy
from localplane.catalog.validation.conditions import CONDITIONS
from localplane.catalog.validation.metadata import IMMUTABLE, immutable_errors
from localplane.catalog.validation.rules import Fields, Optional, Required, Rule, Struct

_SHOWN = ("Running", "Failed", "Succeeded")


def _at_once(problems_of: NameValidator) -> Rule:
    """A name of this form; all that is wrong with it is one error."""

    def errors(name: str, path: Path) -> Iterator[FieldError]:
        if problems := problems_of(name):
            yield invalid(path, name, ",".join(problems))

    return errors


def _version_errors(version: str, path: Path) -> Iterator[FieldError]:
    """Kubernetes: apimachinery/pkg/util/resourceversion, CompareResourceVersion."""
    if not (version.isascii() and version.isdigit()) or version.startswith("0"):
        yield invalid(path, version, f"resource version is not well formed: {version}")


_RESOURCE = Fields(
    resource=Required(_at_once(dns1035_label), detail="resource is required to be set"),
    group=Optional(_at_once(dns1123_subdomain)),
)


class StorageVersionMigrationStrategy(BuiltinStrategy):
    tracks_generation = False
    rules = Fields(spec=Struct(Fields(resource=Struct(_RESOURCE))))
    on_update = (Asked.OBJECT, Asked.METADATA, Asked.CHANGES)

    def change_errors(self, obj: JSONObject, old: JSONObject) -> list[FieldError]:
        return immutable_errors(_internal_spec(obj), _internal_spec(old), ROOT / "spec")


class StorageVersionMigrationStatusStrategy(BuiltinStatusStrategy):
    """It only goes forward."""

    changes_metadata = False
    rules = Fields(resourceVersion=Optional(_version_errors), conditions=CONDITIONS)

    def status_errors(self, status: JSONObject, before: JSONObject) -> Iterator[FieldError]:
        yield from super().status_errors(status, before)
        version, known_version = status.get("resourceVersion") or "", before.get("resourceVersion") or ""
        if known_version and known_version != version:
            yield invalid(STATUS / "resourceVersion", version, IMMUTABLE)
        conditions, known = status.get("conditions") or [], before.get("conditions") or []
        path = STATUS / "conditions"
        succeeded, failed = (_is_true(conditions, kind) for kind in ("Succeeded", "Failed"))
        if succeeded and failed:
            yield invalid(path, conditions, "Both success and failed conditions cannot be true at the same time")
        if _is_true(known, "Succeeded") and not succeeded:
            yield invalid(path, conditions, "Success condition cannot be set to false once it is true")
        if _is_true(known, "Failed") and not failed:
            yield invalid(path, conditions, "Failed condition cannot be set to false once it is true")


def _resource_of(obj: JSONObject) -> JSONObject:
    return (obj.get("spec") or {}).get("resource") or {}


def _internal_spec(obj: JSONObject) -> JSONObject:
    """As Go prints it."""
    resource = _resource_of(obj)
    return {"Resource": {"group": resource.get("group", ""), "resource": resource.get("resource", "")}}


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
