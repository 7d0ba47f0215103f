"""A node as it is. Kubernetes: pkg/apis/core/validation, ValidateNode."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, internal, invalid
from localplane.apimachinery.gotext import go_quote
from localplane.apimachinery.names import dns1123_subdomain, size
from localplane.apimachinery.quantity import parse
from localplane.catalog.core.pods.validation.resource_names import resource_value_errors
from localplane.catalog.validation.addresses import legacy_cidr_errors, parse_cidr
from localplane.catalog.validation.metadata import metadata_errors

from .annotations import annotation_errors
from .taints import taint_errors

JSONObject = Mapping[str, Any]

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
    spec, status = node.get("spec") or {}, node.get("status") or {}
    yield from metadata_errors(node, namespaced=False, name=dns1123_subdomain)
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
