"""Pods and pod templates: what every write of one is asked, and what only the first of a pod."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import orjson

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objectmeta import validate_annotations, validate_labels
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.validation.metadata import metadata_errors
from localplane.catalog.validation.values import not_negative

from .annotations import annotation_errors, profile_match_errors
from .containers import image_space_errors, placed_containers
from .spec import pod_spec_errors

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


_METADATA, _SPEC = Path("metadata"), Path("spec")


def pod_errors(pod: JSONObject) -> Iterator[FieldError]:
    """On create and on every update. Kubernetes: validatePodMetadataAndSpec."""
    spec, metadata = pod.get("spec") or {}, pod.get("metadata") or {}
    annotations = metadata.get("annotations") or {}
    yield from metadata_errors(pod, namespaced=True, name=dns1123_subdomain)
    yield from annotation_errors(annotations, spec, placed_containers(spec, _SPEC), _METADATA / "annotations")
    yield from pod_spec_errors(spec, metadata, _SPEC)
    yield from _token_errors(spec)
    yield from not_negative(spec.get("terminationGracePeriodSeconds"), _SPEC / "terminationGracePeriodSeconds")
    for kind in ("containers", "initContainers"):
        for index, container in enumerate(spec.get(kind) or ()):
            yield from image_space_errors(container, (_SPEC / kind)[index])


def pod_create_errors(pod: JSONObject) -> Iterator[FieldError]:
    """On create, after `pod_errors`. Kubernetes: ValidatePodCreate."""
    spec, metadata = pod.get("spec") or {}, pod.get("metadata") or {}
    if spec.get("ephemeralContainers"):
        yield forbidden(_SPEC / "ephemeralContainers", "cannot be set on create")
    if spec.get("nodeName") and spec.get("schedulingGates"):
        yield forbidden(_SPEC / "nodeName", "cannot be set until all schedulingGates have been cleared")
    containers = placed_containers(spec, _SPEC)
    yield from profile_match_errors(metadata.get("annotations") or {}, spec, containers, _SPEC)


def _token_errors(spec: JSONObject) -> Iterator[FieldError]:
    """Without an account there is no token to project."""
    if spec.get("serviceAccountName"):
        return
    for index, volume in enumerate(spec.get("volumes") or ()):
        for number, source in enumerate((volume.get("projected") or {}).get("sources") or ()):
            if source.get("serviceAccountToken") is not None:
                place = ((_SPEC / "volumes")[index] / "projected" / "sources")[number] / "serviceAccountToken"
                yield forbidden(place, "must not be specified when serviceAccountName is not set")
