"""Metadata as the built-in kinds check it: the common rules, with each kind's own idea of a name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, invalid
from localplane.apimachinery.names import NameValidator
from localplane.apimachinery.objectmeta import (
    METADATA,
    validate_kube_finalizers,
    validate_object_meta,
    validate_object_meta_update,
)
from localplane.apimachinery.patch.values import same

IMMUTABLE = "field is immutable"


def metadata_errors(obj: Mapping[str, Any], *, namespaced: bool, name: NameValidator) -> list[FieldError]:
    """On create. Kubernetes: pkg/apis/core/validation, ValidateObjectMeta."""
    metadata = obj.get("metadata") or {}
    return collected(
        validate_object_meta(metadata, namespaced=namespaced, validate_name=name),
        validate_kube_finalizers(metadata),
    )


def metadata_update_errors(obj: Mapping[str, Any], old: Mapping[str, Any]) -> list[FieldError]:
    """On update. Kubernetes: ValidateObjectMetaUpdate."""
    metadata, before = obj.get("metadata") or {}, old.get("metadata") or {}
    return collected(validate_object_meta_update(metadata, before), validate_kube_finalizers(metadata, METADATA))


def immutable_errors(new: Any, old: Any, path: Path) -> list[FieldError]:
    """Nothing, or that a field changed that may not. Kubernetes: ValidateImmutableField."""
    return [] if same(new, old) else [invalid(path, new, IMMUTABLE)]
