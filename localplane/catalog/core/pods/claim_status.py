"""What a pod's status says of its resource claims.

Kubernetes: pkg/apis/core/validation (validatePodResourceClaimStatuses, validatePodExtendedResourceClaimStatus).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, invalid, required
from localplane.apimachinery.names import dns1123_label, dns1123_subdomain

JSONObject = Mapping[str, Any]

_STATUS = Path("status")


def claim_status_errors(status: JSONObject, spec: JSONObject) -> Iterator[FieldError]:
    yield from _statuses_errors(status.get("resourceClaimStatuses") or (), spec)
    if (extended := status.get("extendedResourceClaimStatus")) is not None:
        yield from _extended_errors(extended, spec, _STATUS / "extendedResourceClaimStatus")


def _statuses_errors(statuses: Any, spec: JSONObject) -> Iterator[FieldError]:
    declared = {claim.get("name") for claim in spec.get("resourceClaims") or ()}
    seen = set()
    for index, status in enumerate(statuses):
        path, name = (_STATUS / "resourceClaimStatuses")[index], status.get("name", "")
        if name not in declared:
            yield invalid(path / "name", name, "must match the name of an entry in `spec.resourceClaims`")
        if name in seen:
            yield duplicate(path / "name", name)
        seen.add(name)
        if (claim := status.get("resourceClaimName")) is not None:
            yield from (invalid(path / "resourceClaimName", claim, problem) for problem in dns1123_subdomain(claim))


def _extended_errors(status: JSONObject, spec: JSONObject, path: Path) -> Iterator[FieldError]:
    mappings = status.get("requestMappings") or ()
    if not mappings:
        yield required(path / "requestMappings", "at least one request mapping is required")
    containers = {each.get("name"): each for kind in ("initContainers", "containers") for each in spec.get(kind) or ()}
    seen = set()
    for index, mapping in enumerate(mappings):
        place = (path / "requestMappings")[index]
        named = {name: mapping.get(name, "") for name in ("containerName", "resourceName", "requestName")}
        yield from _mapping_errors(named, containers, place)
        problems = dns1123_label(named["requestName"])
        yield from (invalid(path / "requestName", named["requestName"], problem) for problem in problems)
        if (key := tuple(named.values())) in seen:
            yield from (duplicate(place / name, value) for name, value in named.items())
        seen.add(key)
    if not (claim := status.get("resourceClaimName", "")):
        yield required(path / "resourceClaimName")
    yield from (invalid(path / "resourceClaimName", claim, each) for each in dns1123_subdomain(claim) if claim)


def _mapping_errors(named: Mapping[str, str], containers: Mapping[Any, Any], path: Path) -> Iterator[FieldError]:
    container = containers.get(named["containerName"])
    if container is None:
        why = "must match the name of an entry in spec.initContainers.name or spec.containers.name"
        yield invalid(path / "containerName", named["containerName"], why)
    elif named["resourceName"] not in ((container.get("resources") or {}).get("requests") or {}):
        why = (
            "must match the extended resource name of an entry in spec.initContainers.resources.requests or "
            "spec.containers.resources.requests"
        )
        yield invalid(path / "resourceName", named["resourceName"], why)
