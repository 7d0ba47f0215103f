"""A pod spec from top to bottom, in the order in which Kubernetes goes through it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, forbidden, invalid, required
from localplane.apimachinery.gotext import go_quote
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objectmeta import validate_labels
from localplane.catalog.internal_form import internal_form
from localplane.catalog.validation.values import in_range

from .affinity import affinity_errors
from .annotations import MIRROR
from .containers import Surroundings, container_errors, ephemeral_container_errors, init_container_errors
from .environment import file_volume_errors
from .names import invalid_each, label_errors
from .networking import (
    dns_config_errors,
    dns_policy_errors,
    host_alias_errors,
    host_network_errors,
    host_user_errors,
    hostname_errors,
    hostname_override_errors,
)
from .resources import overhead_errors, pod_resource_errors
from .restarting import restart_policy_errors
from .scheduling import (
    preemption_policy_errors,
    readiness_gate_errors,
    scheduling_gate_errors,
    spread_errors,
    toleration_errors,
)
from .security import pod_security_context_errors
from .volumes import check_volumes
from .windows import host_process_errors, os_errors

JSONObject = Mapping[str, Any]

_DEADLINE_MAX = 2**31 - 1


def placed_containers(spec: JSONObject, path: Path) -> list[tuple[Path, JSONObject]]:
    """All containers and where they stand. Kubernetes: VisitContainersWithPath."""
    return [
        ((path / kind)[index], container)
        for kind in ("initContainers", "containers", "ephemeralContainers")
        for index, container in enumerate(spec.get(kind) or ())
    ]


def pod_spec_errors(
    spec: JSONObject, metadata: JSONObject | None, path: Path, *, is_pod: bool | None = None
) -> Iterator[FieldError]:
    """`metadata` is the pod's; a template has none, because its pods get other names.

    `is_pod` is whether the spec is a pod's own, and follows from the metadata when it is not said.
    Kubernetes: ValidatePodSpec.
    """
    if spec.get("terminationGracePeriodSeconds") is None:
        yield required(path / "terminationGracePeriodSeconds")
    yield from _content_errors(spec, metadata, path)
    in_pod = metadata is not None if is_pod is None else is_pod
    yield from host_network_errors(spec, path, is_pod=in_pod)
    yield from restart_policy_errors(spec.get("restartPolicy", ""), path / "restartPolicy")
    yield from _placement_errors(spec, path)
    yield from _name_errors(spec, path)
    yield from _limit_errors(spec, path)


def _content_errors(spec: JSONObject, metadata: JSONObject | None, path: Path) -> Iterator[FieldError]:
    """Volumes, claims and containers."""
    checked = check_volumes(spec.get("volumes") or (), (metadata or {}).get("name", ""), path / "volumes")
    yield from checked.errors
    claims = spec.get("resourceClaims") or ()
    yield from _claim_errors(claims, metadata or {}, path / "resourceClaims")
    pod = Surroundings(
        volumes=checked.good,
        claims=frozenset(each["name"] for each in claims if each.get("name")),
        grace=spec.get("terminationGracePeriodSeconds"),
        restart_policy=spec.get("restartPolicy", ""),
        host_users=spec.get("hostUsers") is not False,
    )
    regular, init = spec.get("containers") or (), spec.get("initContainers") or ()
    yield from container_errors(regular, pod, path / "containers")
    yield from init_container_errors(init, regular, pod, path / "initContainers")
    yield from ephemeral_container_errors(spec, pod, path / "ephemeralContainers")
    yield from pod_resource_errors(spec, pod.claims, path / "resources")


def _claim_errors(claims: Sequence[JSONObject], metadata: JSONObject, path: Path) -> Iterator[FieldError]:
    is_static = MIRROR in (metadata.get("annotations") or {})
    names: set[str] = set()
    for index, claim in enumerate(claims):
        if is_static:
            yield forbidden("", "static pods do not support resource claims")
            continue
        place, name = path[index], claim.get("name", "")
        if not name:
            yield required(place / "name")
        elif name in names:
            yield duplicate(place / "name", name)
        else:
            yield from label_errors(name, place / "name")
        names.add(name)
        yield from _claim_source_errors(claim, place)


def _claim_source_errors(claim: JSONObject, path: Path) -> Iterator[FieldError]:
    fields = ("resourceClaimName", "resourceClaimTemplateName")
    given = {field: claim[field] for field in fields if claim.get(field) is not None}
    if len(given) > 1:
        detail = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
        yield invalid(path, internal_form(claim, "core.PodResourceClaim"), detail)
    if not given:
        detail = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
        yield invalid(path, internal_form(claim, "core.PodResourceClaim"), detail)
    for field, name in given.items():
        yield from invalid_each(path / field, name, dns1123_subdomain(name))


def _placement_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    """From the DNS policy to the namespaces of the host."""
    containers = placed_containers(spec, path)
    policy = spec.get("dnsPolicy", "")
    yield from dns_policy_errors(policy, path / "dnsPolicy")
    yield from validate_labels(spec.get("nodeSelector") or {}, path / "nodeSelector")
    yield from pod_security_context_errors(spec, path / "securityContext")
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        detail = "ShareProcessNamespace and HostPID cannot both be enabled"
        yield invalid(path / "shareProcessNamespace", spec["shareProcessNamespace"], detail)
    yield from affinity_errors(spec.get("affinity"), path / "affinity")
    yield from dns_config_errors(spec.get("dnsConfig"), policy, path / "dnsConfig")
    yield from readiness_gate_errors(spec.get("readinessGates") or (), path / "readinessGates")
    yield from scheduling_gate_errors(spec.get("schedulingGates") or (), path / "schedulingGates")
    yield from spread_errors(spec.get("topologySpreadConstraints") or (), path / "topologySpreadConstraints")
    yield from host_process_errors(spec, containers, path)
    yield from host_user_errors(spec, containers, path)
    yield from hostname_override_errors(spec, path)


def _name_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    """Names of other objects, and of the pod in its network."""
    account, old_account = spec.get("serviceAccountName", ""), spec.get("serviceAccount", "")
    yield from _object_name_errors(spec, path, "serviceAccountName")
    if old_account != account:
        detail = f"must be the same as serviceAccountName: {go_quote(account)}"
        yield invalid(path / "deprecatedServiceAccount", old_account, detail)
    yield from _object_name_errors(spec, path, "nodeName")
    if (seconds := spec.get("activeDeadlineSeconds")) is not None:
        yield from in_range(seconds, 1, _DEADLINE_MAX, path / "activeDeadlineSeconds")
    yield from hostname_errors(spec, path)


def _object_name_errors(spec: JSONObject, path: Path, field: str) -> Iterator[FieldError]:
    if name := spec.get(field):
        yield from invalid_each(path / field, name, dns1123_subdomain(name))


def _limit_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    """Tolerations, priorities, overhead, and what the operating system allows."""
    yield from toleration_errors(spec.get("tolerations") or (), path / "tolerations")
    yield from host_alias_errors(spec.get("hostAliases") or (), path / "hostAliases")
    yield from _object_name_errors(spec, path, "priorityClassName")
    if (name := spec.get("runtimeClassName")) is not None:
        yield from invalid_each(path / "runtimeClassName", name, dns1123_subdomain(name))
    yield from preemption_policy_errors(spec.get("preemptionPolicy"), path / "preemptionPolicy")
    if overhead := spec.get("overhead"):
        yield from overhead_errors(overhead, path / "overhead")
    containers = placed_containers(spec, path)
    yield from os_errors(spec, containers, path)
    yield from file_volume_errors(containers, spec.get("volumes") or ())
