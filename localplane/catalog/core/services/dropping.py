"""When a Service changes its type: what no longer applies goes, if the client did not touch it.

What a client set itself stays, and validation tells that it does not belong. Kubernetes: pkg/registry/core/service,
dropTypeDependentFields.
"""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.objects import JSONObject

from .shape import (
    LOAD_BALANCER,
    is_externally_accessible,
    needs_cluster_ip,
    needs_health_check,
    needs_node_ports,
    node_ports_of,
    ports_of,
    spec_of,
)


def drop_type_dependent_fields(service: JSONObject, old: JSONObject) -> None:
    spec, before = spec_of(service), old.get("spec") or {}
    if needs_cluster_ip(before) and not needs_cluster_ip(spec):
        _drop_unchanged(spec, before, "clusterIP", "clusterIPs")
        _drop_unchanged(spec, before, "ipFamilies")
        _drop_unchanged(spec, before, "ipFamilyPolicy")
    if (
        needs_node_ports(before)
        and not needs_node_ports(spec)
        and set(node_ports_of(spec)) <= set(node_ports_of(before))
    ):
        for port in ports_of(spec):
            port.pop("nodePort", None)
    if needs_health_check(before) and not needs_health_check(spec):
        _drop_unchanged(spec, before, "healthCheckNodePort")
    if before.get("type") == LOAD_BALANCER and spec.get("type") != LOAD_BALANCER:
        _drop_unchanged(spec, before, "allocateLoadBalancerNodePorts")
        _drop_unchanged(spec, before, "loadBalancerClass")
    if is_externally_accessible(before) and not is_externally_accessible(spec):
        _drop_unchanged(spec, before, "externalTrafficPolicy")
    if spec.get("type") != LOAD_BALANCER:
        service.setdefault("status", {})["loadBalancer"] = {}


def _drop_unchanged(spec: dict[str, Any], before: dict[str, Any], *names: str) -> None:
    """Fields that belong together go together."""
    if all((spec.get(name) or None) == (before.get(name) or None) for name in names):
        for name in names:
            spec.pop(name, None)
