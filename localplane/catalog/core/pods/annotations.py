"""Annotations that stay what they were from a pod's first day on.

Kubernetes: pkg/apis/core/validation, ValidatePodSpecificAnnotationUpdates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden

from .validation.annotations import APPARMOR_CONTAINER, MIRROR, annotation_errors
from .validation.spec import placed_containers

_ANNOTATIONS = Path("metadata") / "annotations"


def annotation_update_errors(pod: Mapping[str, Any], old: Mapping[str, Any]) -> Iterator[FieldError]:
    new, before = (each["metadata"].get("annotations") or {} for each in (pod, old))
    for key, value in before.items():
        if new.get(key) != value and (what := _name(key)):
            yield forbidden(_ANNOTATIONS[key], f"may not remove or update {what}")
    for key in new:
        if key not in before and (what := _name(key)):
            yield forbidden(_ANNOTATIONS[key], f"may not add {what}")
    spec = pod.get("spec") or {}
    yield from annotation_errors(new, spec, placed_containers(spec, Path("spec")), _ANNOTATIONS)


def _name(key: str) -> str:
    """What a message calls an annotation that may not change; nothing for one that may."""
    if key.startswith(APPARMOR_CONTAINER):
        return "AppArmor annotations"
    return "mirror pod annotation" if key == MIRROR else ""
