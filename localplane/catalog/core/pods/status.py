"""What a node and others may say of a pod, through its status.

Kubernetes: pkg/registry/core/pod (podStatusStrategy) and pkg/apis/core/validation (ValidatePodStatusUpdate).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, forbidden, invalid
from localplane.apimachinery.names import dns1123_subdomain, qualified_name
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apiserver.registry.strategy import StatusStrategy, Strategy
from localplane.apiserver.request import Request
from localplane.catalog.validation.addresses import ip_warnings
from localplane.catalog.validation.metadata import immutable_errors, metadata_update_errors

from .addresses import host_ip_errors, pod_ip_errors
from .annotations import annotation_update_errors
from .claim_status import claim_status_errors
from .container_status import allocation_errors, no_allocation_errors, user_errors
from .restarts import all_could_restart, should_restart

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
