"""How a pod's status is written, and what it is asked: containers, addresses, claims, restarts.

Kubernetes: pkg/registry/core/pod, podStatusStrategy; pkg/apis/core/validation, ValidatePodStatusUpdate and what it
calls; pkg/api/v1/pod, ContainerShouldRestart.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import (
    FieldError,
    Path,
    collected,
    duplicate,
    forbidden,
    internal,
    invalid,
    required,
    too_long,
)
from localplane.apimachinery.names import dns1123_label, dns1123_subdomain, qualified_name, size
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apimachinery.quantity import ZERO, parse
from localplane.apiserver.registry.strategy import StatusStrategy, Strategy
from localplane.apiserver.request import Request
from localplane.catalog.validation.addresses import family_of, ip_warnings, legacy_ip_errors
from localplane.catalog.validation.metadata import immutable_errors, metadata_update_errors
from localplane.catalog.validation.values import in_range, one_of

from .validation.annotations import annotation_update_errors

_ALL = "RestartAllContainers"
_RESTARTING = ("Restart", _ALL)


def all_could_restart(spec: JSONObject) -> bool:
    """Whether the end of one container may restart all others, whatever their own policy."""
    containers = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    return any(rule.get("action") == _ALL for each in containers for rule in each.get("restartPolicyRules") or ())


def should_restart(container: JSONObject, spec: JSONObject, exit_code: int) -> bool:
    """A rule for the exit code comes first, then the container's policy, then the pod's."""
    policy = container.get("restartPolicy")
    if policy is not None and (_matching_rule(container, exit_code) or {}).get("action") in _RESTARTING:
        return True
    if policy not in ("Always", "OnFailure", "Never"):
        policy = spec.get("restartPolicy")
    return policy != "Never" and (policy != "OnFailure" or exit_code != 0)


def _matching_rule(container: JSONObject, exit_code: int) -> JSONObject | None:
    for rule in container.get("restartPolicyRules") or ():
        codes = rule.get("exitCodes")
        if codes is None:
            continue
        is_listed = exit_code in (codes.get("values") or ())
        if (codes.get("operator"), is_listed) in (("In", True), ("NotIn", False)):
            return dict(rule)
    return None


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


_STATUS = Path("status")
_ONE_EACH = "may specify no more than one IP for each IP family"


def pod_ip_errors(status: JSONObject, before: JSONObject) -> Iterator[FieldError]:
    path, addresses, first = _STATUS / "podIPs", _texts(status, "podIPs"), status.get("podIP", "")
    yield from _each(addresses, path, known=_texts(before, "podIPs"))
    yield from _pair_errors(addresses, path)
    if bool(first) != bool(addresses):
        shown = _shown(addresses) or None
        yield invalid(path, shown, "podIP and podIPs must either both be set or both be unset")
    elif addresses and first != addresses[0]:
        yield invalid(path[0] / "ip", addresses[0], "must be equal to `podIP`")


def host_ip_errors(status: JSONObject, before: JSONObject) -> Iterator[FieldError]:
    path, addresses = _STATUS / "hostIPs", _texts(status, "hostIPs")
    if not addresses:
        return
    if status.get("hostIP", "") != addresses[0]:
        yield invalid(path[0] / "ip", addresses[0], "must be equal to `hostIP`")
    yield from _each(addresses, path, known=_texts(before, "hostIPs"))
    yield from _pair_errors(addresses, path)


def _texts(status: JSONObject, field: str) -> list[str]:
    return [each.get("ip") or "" for each in status.get(field) or ()]


def _each(addresses: Sequence[str], path: Path, *, known: Sequence[str]) -> Iterator[FieldError]:
    """What was there before may stay, however it is written."""
    before = frozenset(known)
    for index, address in enumerate(addresses):
        yield from legacy_ip_errors(address, path[index], known=before)


def _pair_errors(addresses: Sequence[str], path: Path) -> Iterator[FieldError]:
    """One of each family, at most."""
    if len(addresses) < 2:
        return
    families = [family_of(address) for address in addresses]
    for index, (family, address) in enumerate(zip(families, addresses, strict=True)):
        if not family:
            why = f"invalid IP[{index}]: {address}"
            yield internal(path, f"failed to check for dual stack with error:{why}")
            break
    if "" in families or len(set(families)) < 2 or len(addresses) > 2:
        yield invalid(path, _shown(addresses), _ONE_EACH)


def _shown(addresses: Sequence[str]) -> list[dict[str, str]]:
    """As Go prints the internal type."""
    return [{"IP": address} for address in addresses]


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


STATUS = Path("status")

_KEPT = ("resourceClaimStatuses", "extendedResourceClaimStatus")
_DROPPED = ("nodeAllocatableResourceClaimStatuses", "volumeHealth")
_SYSTEM_CONDITIONS = ("PodScheduled", "Ready", "Initialized")
_STATUSES = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")
_NOT_NEGATIVE = "must be a non-negative integer"


class PodStatusStrategy(StatusStrategy):
    """Labels, annotations and finalizers may come with a status; spec and owners stay."""

    def __init__(self, main: Strategy) -> None:
        super().__init__(main, changes_metadata=True)
        self.reset_fields = ("spec", "metadata.deletionTimestamp", "metadata.ownerReferences")

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        super().prepare_for_update(request, obj, old)
        metadata, before = obj["metadata"], old["metadata"]
        metadata.pop("ownerReferences", None)
        if "ownerReferences" in before:
            metadata["ownerReferences"] = copied(before["ownerReferences"])
        _keep_what_clients_forget(obj.setdefault("status", {}), old.get("status") or {})

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(
            metadata_update_errors(obj, old),
            annotation_update_errors(obj, old),
            status_errors(obj, old),
        )

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        status = obj.get("status") or {}
        return [
            warning
            for field in ("podIPs", "hostIPs")
            for index, address in enumerate(status.get(field) or ())
            for warning in ip_warnings(address.get("ip") or "", (STATUS / field)[index] / "ip")
        ]


def _keep_what_clients_forget(status: JSONObject, old: JSONObject) -> None:
    """Old nodes know fewer fields than the server: what they leave out stays as it was."""
    for name in ("qosClass", "observedGeneration"):
        if not status.get(name) and old.get(name):
            status[name] = old[name]
    for name in _KEPT:
        if name not in status and name in old:
            status[name] = copied(old[name])
    for name in _DROPPED:
        status.pop(name, None)
    generations: dict[str, deque[int]] = {}
    for condition in old.get("conditions") or ():
        generations.setdefault(condition.get("type", ""), deque()).append(condition.get("observedGeneration") or 0)
    for condition in status.get("conditions") or ():
        known = generations.get(condition.get("type", ""))
        generation = known.popleft() if known else 0
        if generation and not condition.get("observedGeneration"):
            condition["observedGeneration"] = generation


def status_errors(pod: JSONObject, old: JSONObject) -> Iterator[FieldError]:
    status, before, spec = pod.get("status") or {}, old.get("status") or {}, pod.get("spec") or {}
    yield from _condition_errors(status.get("conditions") or ())
    yield from _nomination_errors(status, before, is_bound=bool((old.get("spec") or {}).get("nodeName")))
    generation = status.get("observedGeneration") or 0
    if generation < 0:
        yield invalid(STATUS / "observedGeneration", generation, _NOT_NEGATIVE)
    yield from immutable_errors(status.get("qosClass", ""), before.get("qosClass", ""), STATUS / "qosClass")
    yield from transition_errors(status, before, old.get("spec") or {})
    yield from claim_status_errors(status, spec)
    yield from pod_ip_errors(status, before)
    yield from host_ip_errors(status, before)
    for name in _STATUSES:
        yield from user_errors(status.get(name) or (), STATUS / name, os=(spec.get("os") or {}).get("name", "linux"))
    for name, kind in (("containerStatuses", "containers"), ("initContainerStatuses", "initContainers")):
        yield from allocation_errors(status.get(name) or (), STATUS / name, spec.get(kind) or (), status)
    yield from no_allocation_errors(status.get(_STATUSES[2]) or (), STATUS / _STATUSES[2])


def _condition_errors(conditions: Sequence[Mapping[str, Any]]) -> Iterator[FieldError]:
    for index, condition in enumerate(conditions):
        path = (STATUS / "conditions")[index]
        generation, kind = condition.get("observedGeneration") or 0, condition.get("type", "")
        if generation < 0:
            yield invalid(path / "observedGeneration", generation, _NOT_NEGATIVE)
        if kind not in _SYSTEM_CONDITIONS:
            yield from (invalid(path / "Type", kind, problem) for problem in qualified_name(kind))


def _nomination_errors(status: JSONObject, before: JSONObject, *, is_bound: bool) -> Iterator[FieldError]:
    """A pod may be promised to a node, until it is on one."""
    path, name = STATUS / "nominatedNodeName", status.get("nominatedNodeName", "")
    if not name or name == before.get("nominatedNodeName", ""):
        return
    yield from (invalid(path, name, problem) for problem in dns1123_subdomain(name))
    if is_bound:
        yield forbidden(path, "may not be set on pods that are already bound to a node")


def transition_errors(status: JSONObject, before: JSONObject, spec: JSONObject) -> Iterator[FieldError]:
    """A container that has ended for good stays so."""
    if not all_could_restart(spec):
        for name, kind in (("containerStatuses", "containers"), ("initContainerStatuses", "initContainers")):
            containers = {each.get("name"): each for each in reversed(spec.get(kind) or ())}
            for index, ended in _revived(status.get(name) or (), before.get(name) or ()):
                container = containers.get(ended.get("name"))
                code = ended["state"]["terminated"].get("exitCode") or 0
                if container is None or not should_restart(container, spec, code):
                    yield _revival(STATUS / name, index)
    name = _STATUSES[2]
    for index, _ in _revived(status.get(name) or (), before.get(name) or ()):
        yield _revival(STATUS / name, index)


def _revived(
    statuses: Sequence[Mapping[str, Any]], before: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The containers that had ended and are told to run, as they were."""
    alive = {each.get("name") for each in statuses if (each.get("state") or {}).get("terminated") is None}
    for index, old in enumerate(before):
        if (old.get("state") or {}).get("terminated") is not None and old.get("name") in alive:
            yield index, old


def _revival(path: Path, index: int) -> FieldError:
    return forbidden(path[index] / "state", "may not be transitioned to non-terminated state")
