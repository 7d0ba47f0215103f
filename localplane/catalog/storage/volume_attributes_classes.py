"""VolumeAttributesClasses: what a driver can be told to make of a volume that is there.

Kubernetes: pkg/registry/storage/volumeattributesclass.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import Asked, BuiltinStrategy
from localplane.catalog.validation.rules import Changes, Fields, Required

from .parameters import PROVISIONER, parameters_errors


def _nothing_changes(obj: JSONObject, old: JSONObject, path: Path) -> Iterator[FieldError]:
    for field in ("driverName", "parameters"):
        if (obj.get(field) or None) != (old.get(field) or None):
            yield forbidden(path / field, f"updates to {field} are forbidden.")


class VolumeAttributesClassStrategy(BuiltinStrategy):
    allow_unconditional_update = True
    tracks_generation = False
    rules = Fields(
        driverName=PROVISIONER,
        parameters=Required(parameters_errors, detail="must contain at least one key/value pair"),
    )
    changes = Changes(_nothing_changes)
    on_update = (Asked.METADATA, Asked.CHANGES, Asked.OBJECT)


def volume_attributes_class_cells(obj: JSONObject) -> list[Any]:
    metadata = obj.get("metadata") or {}
    return [metadata.get("name", ""), obj.get("driverName", ""), age(metadata.get("creationTimestamp"))]


VOLUME_ATTRIBUTES_CLASSES = builtin(
    "storage.k8s.io/volumeattributesclasses",
    strategy=VolumeAttributesClassStrategy(),
    cells=volume_attributes_class_cells,
)
