"""Pod templates: a spec with labels and annotations, whose pods get their names later."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden
from localplane.apimachinery.objectmeta import validate_annotations, validate_labels

from .annotations import annotation_errors, profile_match_errors
from .spec import placed_containers, pod_spec_errors


def pod_template_errors(template: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    """Kubernetes: ValidatePodTemplateSpec."""
    metadata, spec = template.get("metadata") or {}, template.get("spec") or {}
    annotations = metadata.get("annotations") or {}
    containers = placed_containers(spec, path / "spec")
    yield from validate_labels(metadata.get("labels") or {}, path / "labels")
    yield from validate_annotations(annotations, path / "annotations")
    yield from annotation_errors(annotations, spec, containers, path / "annotations")
    yield from pod_spec_errors(spec, None, path / "spec")
    yield from profile_match_errors(annotations, spec, containers, path / "spec")
    if spec.get("ephemeralContainers"):
        yield forbidden(path / "spec" / "ephemeralContainers", "ephemeral containers not allowed in pod template")
