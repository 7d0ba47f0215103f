"""A whole Service, on every write. Kubernetes: validateService."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, required
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objectmeta import validate_labels
from localplane.catalog.core.services.shape import (
    CLUSTER_IP,
    EXTERNAL_NAME,
    LOAD_BALANCER,
    NODE_PORT,
    is_headless,
    ports_of,
)
from localplane.catalog.validation.addresses import endpoint_ip_errors, legacy_ip_errors
from localplane.catalog.validation.values import one_of

from .cluster_ips import cluster_ips_errors
from .ports import port_errors, port_use_errors
from .traffic import affinity_errors, load_balancer_errors, policy_errors, source_range_errors

JSONObject = Mapping[str, Any]

_SPEC = Path("spec")
_TYPES = (CLUSTER_IP, EXTERNAL_NAME, LOAD_BALANCER, NODE_PORT)
TOPOLOGY_HINTS = "service.kubernetes.io/topology-aware-hints"
TOPOLOGY_MODE = "service.kubernetes.io/topology-mode"


def service_errors(service: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
    """All but metadata."""
    spec, before = service.get("spec") or {}, None if old is None else old.get("spec") or {}
    ports = ports_of(spec)
    yield from _topology_errors((service.get("metadata") or {}).get("annotations") or {})
    if not ports and not is_headless(spec) and spec.get("type") != EXTERNAL_NAME:
        yield required(_SPEC / "ports")
    yield from _type_errors(spec)
    yield from port_errors(ports)
    yield from validate_labels(spec.get("selector"), _SPEC / "selector")
    yield from affinity_errors(spec)
    yield from cluster_ips_errors(spec, before)
    yield from _external_ip_errors(spec, before)
    yield from one_of(spec.get("type"), _TYPES, _SPEC / "type", missing="")
    yield from port_use_errors(ports, spec.get("type") or "")
    yield from source_range_errors(service, old)
    yield from load_balancer_errors(spec)
    yield from policy_errors(spec)


def _topology_errors(annotations: Mapping[str, str]) -> Iterator[FieldError]:
    hints, mode = annotations.get(TOPOLOGY_HINTS), annotations.get(TOPOLOGY_MODE)
    if hints is not None and mode is not None and hints != mode:
        path = (Path("metadata") / "annotations")[TOPOLOGY_MODE]
        yield invalid(path, mode, f"must match annotations[{TOPOLOGY_HINTS}] when both are specified")


def _type_errors(spec: JSONObject) -> Iterator[FieldError]:
    match spec.get("type"):
        case ("LoadBalancer" | "NodePort") as kind if is_headless(spec):
            why = f"may not be set to 'None' for {kind} services"
            yield invalid((_SPEC / "clusterIPs")[0], spec["clusterIPs"][0], why)
        case "ExternalName":
            for field in ("clusterIPs", "ipFamilies", "ipFamilyPolicy"):
                value = spec.get(field)
                if value or (field == "ipFamilyPolicy" and value is not None):
                    yield forbidden(_SPEC / field, "may not be set for ExternalName services")
            yield from _external_name_errors((spec.get("externalName") or "").removesuffix("."))


def _external_name_errors(name: str) -> Iterator[FieldError]:
    if not name:
        yield required(_SPEC / "externalName")
        return
    for problem in dns1123_subdomain(name):
        yield invalid(_SPEC / "externalName", name, problem)


def _external_ip_errors(spec: JSONObject, before: JSONObject | None) -> Iterator[FieldError]:
    known = frozenset((before or {}).get("externalIPs") or ())
    for index, ip in enumerate(spec.get("externalIPs") or ()):
        path = (_SPEC / "externalIPs")[index]
        yield from legacy_ip_errors(ip, path, known=known) or endpoint_ip_errors(ip, path)
