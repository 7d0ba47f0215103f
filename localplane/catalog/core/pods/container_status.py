"""What a pod's status says of each container beside its state: its user, and the health of its devices.

Kubernetes: pkg/apis/core/validation (validateContainerStatusUsers, validateContainerStatusAllocatedResourcesStatus).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, forbidden, invalid, required, too_long
from localplane.apimachinery.names import size
from localplane.apimachinery.quantity import ZERO, parse
from localplane.catalog.validation.values import in_range, one_of

JSONObject = Mapping[str, Any]

_INT32_MAX, _UINT32_MAX = 2**31 - 1, 2**32 - 1
_HEALTH = ("Healthy", "Unhealthy", "Unknown")
_MESSAGE_MAX = 1024
_CLAIM = "claim:"
_NO_CLAIM = (
    "must match one of the container's resource claims as 'claim:<claimName>/<requestName>' when "
    "container.resources.claims[*].request is set or 'claim:<claimName>' when it is empty"
)


def user_errors(statuses: Sequence[JSONObject], path: Path, *, os: str) -> Iterator[FieldError]:
    for index, status in enumerate(statuses):
        user = (status.get("user") or {}).get("linux")
        if user is None:
            continue
        place = path[index] / "user" / "linux"
        if os == "windows":
            yield forbidden(place, "cannot be set for a windows pod")
            continue
        yield from in_range(user.get("uid") or 0, 0, _UINT32_MAX, place / "uid")
        yield from in_range(user.get("gid") or 0, 0, _INT32_MAX, place / "gid")
        for number, group in enumerate(user.get("supplementalGroups") or ()):
            yield from in_range(group, 0, _INT32_MAX, (place / "supplementalGroups")[number])


def no_allocation_errors(statuses: Sequence[JSONObject], path: Path) -> Iterator[FieldError]:
    """Ephemeral containers have no resources of their own."""
    for index, status in enumerate(statuses):
        if status.get("allocatedResourcesStatus"):
            yield forbidden(path[index] / "allocatedResourcesStatus", "must not be specified in container status")


def allocation_errors(
    statuses: Sequence[JSONObject], path: Path, containers: Sequence[JSONObject], pod_status: JSONObject
) -> Iterator[FieldError]:
    for index, status in enumerate(statuses):
        container = next((each for each in containers if each.get("name") == status.get("name")), None)
        for number, allocated in enumerate(status.get("allocatedResourcesStatus") or ()):
            place, name = (path[index] / "allocatedResourcesStatus")[number], allocated.get("name", "")
            if container is not None and not _is_of(name, container, pod_status):
                why = _NO_CLAIM if name.startswith(_CLAIM) else "must match one of the container's resource requests"
                yield invalid(place / "name", name, why)
            yield from _health_errors(allocated.get("resources") or (), place / "resources")


def _is_of(name: str, container: JSONObject, pod_status: JSONObject) -> bool:
    """Whether a container has a resource of this name."""
    resources = container.get("resources") or {}
    requests = resources.get("requests") or {}
    if not name.startswith(_CLAIM):
        return name in requests
    claims = {
        _CLAIM + each.get("name", "") + (f"/{each['request']}" if each.get("request") else "")
        for each in resources.get("claims") or ()
    }
    return name in claims or _is_extended(name, container, requests, pod_status.get("extendedResourceClaimStatus"))


def _is_extended(name: str, container: JSONObject, requests: Mapping[str, str], status: JSONObject | None) -> bool:
    claim, _, request = name.removeprefix(_CLAIM).partition("/")
    if status is None or not claim or not request or claim != status.get("resourceClaimName"):
        return False
    return any(
        each.get("containerName") == container.get("name")
        and each.get("requestName") == request
        and parse(requests.get(each.get("resourceName", ""), "0")) != ZERO
        for each in status.get("requestMappings") or ()
    )


def _health_errors(resources: Sequence[JSONObject], path: Path) -> Iterator[FieldError]:
    seen = set()
    for index, resource in enumerate(resources):
        place, message = path[index], resource.get("message")
        yield from one_of(resource.get("health", ""), _HEALTH, place / "health")
        if message == "":
            yield required(place / "message", "must be non-empty if specified")
        elif message is not None and size(message) > _MESSAGE_MAX:
            yield too_long(place / "message", _MESSAGE_MAX)
        if (identifier := resource.get("resourceID", "")) in seen:
            yield duplicate(place / "resourceID", identifier)
        seen.add(identifier)
