"""What a Service that a client sends is completed with. Kubernetes: pkg/apis/core/v1, SetDefaults_Service."""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject

from .shape import CLUSTER_IP, EXTERNAL_NAME, LOAD_BALANCER, NODE_PORT, is_externally_accessible, ports_of

_AFFINITY_SECONDS = 10800


def default_service(service: JSONObject) -> None:
    spec = service.setdefault("spec", {})
    _default_affinity(spec)
    spec["type"] = spec.get("type") or CLUSTER_IP
    for port in ports_of(spec):
        port["protocol"] = port.get("protocol") or "TCP"
        port["targetPort"] = port.get("targetPort") or port.get("port", 0)
    if is_externally_accessible(spec) and not spec.get("externalTrafficPolicy"):
        spec["externalTrafficPolicy"] = "Cluster"
    if spec["type"] in (CLUSTER_IP, NODE_PORT, LOAD_BALANCER):
        spec.setdefault("internalTrafficPolicy", "Cluster")
    if spec["type"] == LOAD_BALANCER:
        spec.setdefault("allocateLoadBalancerNodePorts", True)
        _default_ingress(service)


def _default_affinity(spec: JSONObject) -> None:
    affinity = spec["sessionAffinity"] = spec.get("sessionAffinity") or "None"
    if affinity == "None":
        spec.pop("sessionAffinityConfig", None)
    elif affinity == "ClientIP":
        client = (spec.get("sessionAffinityConfig") or {}).get("clientIP") or {}
        if client.get("timeoutSeconds") is None:
            spec["sessionAffinityConfig"] = {"clientIP": {"timeoutSeconds": _AFFINITY_SECONDS}}


def _default_ingress(service: JSONObject) -> None:
    balancer = (service.get("status") or {}).get("loadBalancer") or {}
    for ingress in balancer.get("ingress") or ():
        if ingress.get("ip"):
            ingress.setdefault("ipMode", "VIP")


def forget_internal_traffic(service: JSONObject) -> None:
    """A name for something outside has no traffic inside. Kubernetes: defaultOnReadInternalTrafficPolicy."""
    spec = service.get("spec") or {}
    if spec.get("type") == EXTERNAL_NAME:
        spec.pop("internalTrafficPolicy", None)
