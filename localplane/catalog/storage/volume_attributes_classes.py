"""VolumeAttributesClasses: what a driver can be told to make of a volume that is there.

Kubernetes: pkg/registry/storage/volumeattributesclass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, forbidden
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request
from localplane.catalog.declaring import builtin
from localplane.catalog.validation.metadata import metadata_errors, metadata_update_errors

from .parameters import parameters_errors, provisioner_errors


class VolumeAttributesClassStrategy(Strategy):
    validates_schema = False
    allow_unconditional_update = True
    tracks_generation = False

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return collected(
            metadata_errors(obj, namespaced=False, name=dns1123_subdomain),
            provisioner_errors(obj.get("driverName", ""), Path("driverName")),
            parameters_errors(obj.get("parameters") or {}, Path("parameters"), may_be_empty=False),
        )

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        errors = metadata_update_errors(obj, old)
        for field in ("driverName", "parameters"):
            if (obj.get(field) or None) != (old.get(field) or None):
                errors.append(forbidden(field, f"updates to {field} are forbidden."))
        return collected(errors, self.validate(request, obj))


def volume_attributes_class_cells(obj: JSONObject) -> list[Any]:
    metadata = obj.get("metadata") or {}
    return [metadata.get("name", ""), obj.get("driverName", ""), age(metadata.get("creationTimestamp"))]


VOLUME_ATTRIBUTES_CLASSES = builtin(
    "storage.k8s.io/volumeattributesclasses",
    strategy=VolumeAttributesClassStrategy(),
    cells=volume_attributes_class_cells,
)
