"""Annotations of nodes from the time before taints were fields: JSON, which must make sense.

Kubernetes: pkg/apis/core/validation, ValidateNodeSpecificAnnotations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, required
from localplane.apimachinery.gotext import json_type
from localplane.apimachinery.serializers.errors import SerializationError
from localplane.apimachinery.serializers.json import parse_json

from .taints import taint_errors

TAINTS = "scheduler.alpha.kubernetes.io/taints"
AVOID_PODS = "scheduler.alpha.kubernetes.io/preferAvoidPods"

_ANNOTATIONS = Path("metadata") / "annotations"


def annotation_errors(node: Mapping[str, Any]) -> Iterator[FieldError]:
    annotations = (node.get("metadata") or {}).get("annotations") or {}
    if text := annotations.get(TAINTS):
        yield from _taints_errors(text)
    if text := annotations.get(AVOID_PODS):
        yield from _avoid_pods_errors(text)


def _taints_errors(text: str) -> Iterator[FieldError]:
    taints, problem = _read(text, list, "[]core.Taint")
    if problem:
        yield invalid(_ANNOTATIONS, TAINTS, problem)
        return
    # They were read into a type without names for JSON, which takes a name in any case.
    named = [{name.lower(): value for name, value in taint.items()} for taint in taints if isinstance(taint, dict)]
    yield from taint_errors(named, _ANNOTATIONS / TAINTS)


def _avoid_pods_errors(text: str) -> Iterator[FieldError]:
    avoided, problem = _read(text, dict, "v1.AvoidPods")
    if problem:
        yield invalid(_ANNOTATIONS / "AvoidPods", AVOID_PODS, problem)
        return
    for index, entry in enumerate(avoided.get("preferAvoidPods") or ()):
        place = (_ANNOTATIONS / AVOID_PODS)[index] / "PodSignature"
        controller = ((entry or {}).get("podSignature") or {}).get("podController")
        if controller is None:
            yield required(place)
        elif not controller.get("controller"):
            yield invalid(place / "PodController" / "Controller", value=False, detail="must point to a controller")


def _read(text: str, kind: type, go_type: str) -> tuple[Any, str]:
    """What a text holds, and why it can't be read, in Go's words."""
    try:
        value = parse_json(text.encode("utf-8", "surrogatepass")).value
    except SerializationError as error:
        return None, str(error)
    if value is None:
        return kind(), ""
    if not isinstance(value, kind):
        return None, f"json: cannot unmarshal {json_type(value)} into Go value of type {go_type}"
    return value, ""
