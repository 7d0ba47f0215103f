"""What a node is asked: its taints and addresses, and annotations from the time before taints were fields.

Kubernetes: pkg/apis/core/validation (ValidateNode, validateNodeTaints, ValidateNodeSpecificAnnotations).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, internal, invalid, required
from localplane.apimachinery.golang.text import go_quote, json_type
from localplane.apimachinery.names import label_value, qualified_name, size
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import parse
from localplane.apimachinery.serializers.errors import SerializationError
from localplane.apimachinery.serializers.json import parse_json
from localplane.catalog.core.pods.validation.resources import resource_value_errors
from localplane.catalog.core.pods.validation.scheduling import taint_effect_errors
from localplane.catalog.internal_form import internal_form
from localplane.catalog.validation.addresses import legacy_cidr_errors, parse_cidr


def taint_errors(taints: Sequence[Mapping[str, Any]], path: Path) -> Iterator[FieldError]:
    seen = set()
    for index, taint in enumerate(taints):
        place, key, value = path[index], taint.get("key", ""), taint.get("value", "")
        effect = taint.get("effect", "")
        yield from (invalid(place / "key", key, problem) for problem in qualified_name(key))
        if problems := label_value(value):
            yield invalid(place / "value", value, ";".join(problems))
        yield from taint_effect_errors(effect, place / "effect")
        if (key, effect) in seen:
            repeated = duplicate(place, internal_form(taint, "core.Taint"))
            yield replace(repeated, detail="taints must be unique by key and effect pair")
        seen.add((key, effect))


_TAINTS_ANNOTATION = "scheduler.alpha.kubernetes.io/taints"
AVOID_PODS = "scheduler.alpha.kubernetes.io/preferAvoidPods"

_ANNOTATIONS = Path("metadata") / "annotations"


def annotation_errors(node: Mapping[str, Any]) -> Iterator[FieldError]:
    annotations = (node.get("metadata") or {}).get("annotations") or {}
    if text := annotations.get(_TAINTS_ANNOTATION):
        yield from _taints_errors(text)
    if text := annotations.get(AVOID_PODS):
        yield from _avoid_pods_errors(text)


def _taints_errors(text: str) -> Iterator[FieldError]:
    taints, problem = _read(text, list, "[]core.Taint")
    if problem:
        yield invalid(_ANNOTATIONS, _TAINTS_ANNOTATION, problem)
        return
    # They were read into a type without names for JSON, which takes a name in any case.
    named = [{name.lower(): value for name, value in taint.items()} for taint in taints if isinstance(taint, dict)]
    yield from taint_errors(named, _ANNOTATIONS / _TAINTS_ANNOTATION)


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


STATUS = Path("status")
TAINTS = Path("metadata") / "taints"  # where Kubernetes says that they are
POD_CIDRS = Path("spec") / "podCIDRs"

_FEATURE_MAX = 253
_is_feature = re.compile(r"[A-Z][a-zA-Z0-9]*(/[a-zA-Z][a-zA-Z0-9]*)*").fullmatch
_NO_FEATURE = (
    "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or "
    "MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"
)


def node_errors(node: JSONObject) -> Iterator[FieldError]:
    """All but metadata."""
    spec, status = node.get("spec") or {}, node.get("status") or {}
    yield from annotation_errors(node)
    yield from taint_errors(spec.get("taints") or (), TAINTS)
    yield from resource_errors(status)
    yield from _swap_errors((status.get("nodeInfo") or {}).get("swap") or {})
    yield from feature_errors(status.get("declaredFeatures") or ())
    yield from _cidr_errors(spec.get("podCIDRs") or [])


def resource_errors(status: JSONObject) -> Iterator[FieldError]:
    for part in ("capacity", "allocatable"):
        for name, amount in sorted((status.get(part) or {}).items()):
            yield from resource_value_errors(name, parse(amount), STATUS / part / name)


def _swap_errors(swap: JSONObject) -> Iterator[FieldError]:
    capacity = swap.get("capacity")
    if capacity is not None and capacity <= 0:
        yield invalid(Path("metadata") / "nodeSwapStatus" / "capacity", capacity, "must be greater than zero")


def feature_errors(features: Sequence[str]) -> Iterator[FieldError]:
    """Sorted, each once, each a name."""
    path = STATUS / "declaredFeatures"
    for index, feature in enumerate(features):
        if size(feature) > _FEATURE_MAX:
            too_long = f"invalid feature name {go_quote(feature)}: must be no more than {_FEATURE_MAX} characters"
            yield invalid(path[index], feature, too_long)
        elif not _is_feature(feature):
            yield invalid(path[index], feature, f"invalid feature name {go_quote(feature)}: {_NO_FEATURE}")
        following = features[index + 1] if index + 1 < len(features) else None
        if following == feature:
            yield duplicate(path[index + 1], following)
        elif following is not None and feature > following:
            yield invalid(path[index + 1], following, "list must be sorted alphabetically")


def _cidr_errors(blocks: list[str]) -> Iterator[FieldError]:
    """One block of each family."""
    for index, block in enumerate(blocks):
        yield from legacy_cidr_errors(block, POD_CIDRS[index])
    if len(blocks) < 2:
        return
    unreadable = next((block for block in blocks if parse_cidr(block) is None), None)
    if unreadable is not None:
        reason = f"invalid CIDR[{blocks.index(unreadable)}]: <nil> (invalid CIDR address: {unreadable})"
        detail = f"invalid PodCIDRs. failed to check with dual stack with error:{reason}"
        yield internal(POD_CIDRS, detail)
    families = {found.version for block in blocks if (found := parse_cidr(block)) is not None}
    if unreadable is not None or len(families) < 2 or len(blocks) > 2:
        yield invalid(POD_CIDRS, blocks, "may specify no more than one CIDR for each IP family")
