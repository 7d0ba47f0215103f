"""What kind of a Service an object is: the questions that its rules keep asking.

Kubernetes: pkg/api/service and pkg/registry/core/service.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from localplane.apimachinery.objects import JSONObject

CLUSTER_IP = "ClusterIP"
NODE_PORT = "NodePort"
LOAD_BALANCER = "LoadBalancer"
EXTERNAL_NAME = "ExternalName"
HEADLESS = "None"

SINGLE_STACK = "SingleStack"
PREFER_DUAL_STACK = "PreferDualStack"
REQUIRE_DUAL_STACK = "RequireDualStack"


def spec_of(service: JSONObject) -> JSONObject:
    """The spec, made if it is missing."""
    spec: JSONObject = service.setdefault("spec", {})
    return spec


def ports_of(spec: Mapping[str, Any]) -> list[JSONObject]:
    return spec.get("ports") or []


def is_headless(spec: Mapping[str, Any]) -> bool:
    return (spec.get("clusterIPs") or []) == [HEADLESS]


def needs_cluster_ip(spec: Mapping[str, Any]) -> bool:
    return spec.get("type") != EXTERNAL_NAME


def needs_node_ports(spec: Mapping[str, Any]) -> bool:
    """By its type; a load balancer may still be told to do without."""
    return spec.get("type") in (NODE_PORT, LOAD_BALANCER)


def allocates_node_ports(spec: Mapping[str, Any]) -> bool:
    """Ports that are not asked for by number are found for it."""
    if spec.get("type") == LOAD_BALANCER:
        return spec.get("allocateLoadBalancerNodePorts") is not False
    return spec.get("type") == NODE_PORT


def needs_health_check(spec: Mapping[str, Any]) -> bool:
    return spec.get("type") == LOAD_BALANCER and spec.get("externalTrafficPolicy") == "Local"


def is_externally_accessible(spec: Mapping[str, Any]) -> bool:
    return needs_node_ports(spec) or (spec.get("type") == CLUSTER_IP and bool(spec.get("externalIPs")))


def node_ports_of(spec: Mapping[str, Any]) -> list[int]:
    return [port["nodePort"] for port in ports_of(spec) if port.get("nodePort")]
