"""Where traffic comes from and where it may go: policies, affinity, load balancers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, not_supported, required
from localplane.apimachinery.names import qualified_name
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.core.services.shape import (
    CLUSTER_IP,
    LOAD_BALANCER,
    NODE_PORT,
    is_externally_accessible,
    needs_health_check,
)
from localplane.catalog.validation.addresses import legacy_cidr_errors, legacy_ip_errors
from localplane.catalog.validation.balancers import INGRESS, hostname_errors, ingress_of
from localplane.catalog.validation.values import one_of, port_number

_SPEC = Path("spec")
_SOURCE_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges"
_ONLY_BALANCERS = "may only be used when `type` is 'LoadBalancer'"
_AFFINITY_MAX = 86400
_DISTRIBUTIONS = ("PreferClose", "PreferSameZone", "PreferSameNode")


def affinity_errors(spec: JSONObject) -> Iterator[FieldError]:
    affinity, path = spec.get("sessionAffinity"), _SPEC / "sessionAffinityConfig"
    yield from one_of(affinity, ("ClientIP", "None"), _SPEC / "sessionAffinity", missing="")
    config = spec.get("sessionAffinityConfig")
    if affinity == "ClientIP":
        yield from _client_ip_errors(config, path)
    elif affinity == "None" and config is not None:
        yield forbidden(path, "must not be set when session affinity is None")


def _client_ip_errors(config: Any, path: Path) -> Iterator[FieldError]:
    for name in ("clientIP", "timeoutSeconds"):
        if config is None:
            break
        config, path = config.get(name), path / name
    if config is None:
        yield required(path, "when session affinity type is ClientIP")
    elif not 0 < config <= _AFFINITY_MAX:
        yield invalid(path, config, f"must be greater than 0 and less than {_AFFINITY_MAX}")


def source_range_errors(service: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
    """From the field or, without it, from the annotation that it grew out of. Spaces are part of the tradition."""
    spec = service.get("spec") or {}
    allowed = spec.get("type") == LOAD_BALANCER
    ranges = spec.get("loadBalancerSourceRanges")
    text = _annotation(service)
    if ranges:
        path = _SPEC / "LoadBalancerSourceRanges"
        known = {each.strip() for each in ((old or {}).get("spec") or {}).get("loadBalancerSourceRanges") or ()}
        if not allowed:
            yield forbidden(path, _ONLY_BALANCERS)
        for index, value in enumerate(ranges):
            yield from legacy_cidr_errors(value.strip(), path[index], known=known)
    elif text is not None:
        path = (Path("metadata") / "annotations")[_SOURCE_RANGES]
        if not allowed:
            yield forbidden(path, _ONLY_BALANCERS)
        if text.strip() and (old is None or (_annotation(old) or "") != text):
            for value in text.split(","):
                yield from legacy_cidr_errors(value.strip(), path)


def _annotation(service: JSONObject) -> str | None:
    annotations = (service.get("metadata") or {}).get("annotations") or {}
    text: str | None = annotations.get(_SOURCE_RANGES)
    return text


def load_balancer_errors(spec: JSONObject) -> Iterator[FieldError]:
    is_balancer = spec.get("type") == LOAD_BALANCER
    allocates = spec.get("allocateLoadBalancerNodePorts")
    if allocates is not None and not is_balancer:
        yield forbidden(_SPEC / "allocateLoadBalancerNodePorts", _ONLY_BALANCERS)
    if allocates is None and is_balancer:
        yield required("allocateLoadBalancerNodePorts")
    yield from load_balancer_class_errors(spec)


def load_balancer_class_errors(spec: JSONObject) -> Iterator[FieldError]:
    name, path = spec.get("loadBalancerClass"), _SPEC / "loadBalancerClass"
    if name is None:
        return
    if spec.get("type") != LOAD_BALANCER:
        yield forbidden(path, _ONLY_BALANCERS)
        return
    for problem in qualified_name(name):
        yield invalid(path, name, problem)


def policy_errors(spec: JSONObject) -> Iterator[FieldError]:
    yield from _external_errors(spec)
    yield from _health_check_errors(spec)
    internal, path = spec.get("internalTrafficPolicy"), _SPEC / "internalTrafficPolicy"
    if internal is not None:
        yield from one_of(internal, ("Cluster", "Local"), path)
    elif spec.get("type") in (CLUSTER_IP, NODE_PORT, LOAD_BALANCER):
        yield required(path)
    distribution = spec.get("trafficDistribution")
    if distribution is not None and distribution not in _DISTRIBUTIONS:
        yield not_supported(_SPEC / "trafficDistribution", distribution, _DISTRIBUTIONS)


def _external_errors(spec: JSONObject) -> Iterator[FieldError]:
    policy, path = spec.get("externalTrafficPolicy") or "", _SPEC / "externalTrafficPolicy"
    if is_externally_accessible(spec):
        yield from one_of(policy, ("Cluster", "Local"), path, missing="")
    elif policy:
        yield invalid(path, policy, "may only be set for externally-accessible services")


def _health_check_errors(spec: JSONObject) -> Iterator[FieldError]:
    port, path = spec.get("healthCheckNodePort") or 0, _SPEC / "healthCheckNodePort"
    if not needs_health_check(spec):
        if port:
            only = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
            yield invalid(path, port, only)
    elif not port:
        yield required(path)
    else:
        yield from port_number(port, path)


def status_errors(service: JSONObject, old: JSONObject) -> Iterator[FieldError]:
    entries = ingress_of(service)
    if entries and (service.get("spec") or {}).get("type") != LOAD_BALANCER:
        yield forbidden(INGRESS, "may only be used when `spec.type` is 'LoadBalancer'")
        return
    known = {each["ip"] for each in ingress_of(old) if each.get("ip")}
    for index, entry in enumerate(entries):
        path, ip = INGRESS[index], entry.get("ip") or ""
        if ip:
            yield from legacy_ip_errors(ip, path / "ip", known=known)
        yield from _mode_errors(entry.get("ipMode"), path / "ipMode", has_ip=bool(ip))
        yield from hostname_errors(entry.get("hostname") or "", path / "hostname")


def _mode_errors(mode: str | None, path: Path, *, has_ip: bool) -> Iterator[FieldError]:
    if mode is None:
        if has_ip:
            yield required(path, "must be specified when `ip` is set")
    elif not has_ip:
        yield forbidden(path, "may not be specified when `ip` is not set")
    else:
        yield from one_of(mode, ("Proxy", "VIP"), path)
