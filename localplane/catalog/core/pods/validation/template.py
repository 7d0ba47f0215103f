"""Pod templates: a spec with labels and annotations, whose pods get their names later."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import orjson

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden
from localplane.apimachinery.objectmeta import validate_annotations, validate_labels

from .annotations import annotation_errors, profile_match_errors
from .spec import placed_containers, pod_spec_errors

_LONGEST_REMEMBERED = 8192  # in bytes: what is longer is looked at each time, so that the memory is not filled with it


def pod_template_errors(template: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    """Kubernetes: ValidatePodTemplateSpec."""
    metadata, spec = template.get("metadata") or {}, template.get("spec") or {}
    annotations = metadata.get("annotations") or {}
    containers = placed_containers(spec, path / "spec")
    yield from validate_labels(metadata.get("labels") or {}, path / "labels")
    yield from validate_annotations(annotations, path / "annotations")
    yield from annotation_errors(annotations, spec, containers, path / "annotations")
    if not _is_known_to_be_valid(spec):
        yield from pod_spec_errors(spec, None, path / "spec")
    yield from profile_match_errors(annotations, spec, containers, path / "spec")
    if spec.get("ephemeralContainers"):
        yield forbidden(path / "spec" / "ephemeralContainers", "ephemeral containers not allowed in pod template")


def _is_known_to_be_valid(spec: Mapping[str, Any]) -> bool:
    """Controllers are written much more often than what they start changes: with every status, and to scale them."""
    try:
        text = orjson.dumps(spec)
    except orjson.JSONEncodeError:
        return False
    return len(text) <= _LONGEST_REMEMBERED and _is_valid(text)


@lru_cache(maxsize=256)
def _is_valid(spec: bytes) -> bool:
    return next(pod_spec_errors(orjson.loads(spec), None, Path()), None) is None
