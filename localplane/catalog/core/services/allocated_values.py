"""What a client left out of a Service that it sends again, and the two fields that say the same.

A client may send what it once created: the values that were found for it then are carried over. `clusterIP` is the
first of `clusterIPs`, and old clients know only the former. Kubernetes: pkg/registry/core/service/storage,
patchAllocatedValues and normalizeClusterIPs.
"""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject

from .shape import allocates_node_ports, needs_cluster_ip, needs_health_check, node_ports_of, ports_of


def carry_over(spec: JSONObject, before: JSONObject) -> None:
    if needs_cluster_ip(before) and needs_cluster_ip(spec):
        _take(spec, before, "clusterIP")
        _take(spec, before, "clusterIPs")
    if allocates_node_ports(before) and allocates_node_ports(spec):
        _carry_node_ports(spec, before)
    if needs_health_check(before) and needs_health_check(spec):
        _take(spec, before, "healthCheckNodePort")


def _take(spec: JSONObject, before: JSONObject, name: str) -> None:
    if not spec.get(name) and before.get(name):
        value = before[name]
        spec[name] = list(value) if isinstance(value, list) else value


def _carry_node_ports(spec: JSONObject, before: JSONObject) -> None:
    """By the name of the port, unless the number now serves another one."""
    used = set(node_ports_of(before)) & set(node_ports_of(spec))
    by_name = {port.get("name", ""): port.get("nodePort", 0) for port in ports_of(before)}
    for port in ports_of(spec):
        number = by_name.get(port.get("name", ""), 0)
        if not port.get("nodePort") and number and number not in used:
            port["nodePort"] = number


def align_new_cluster_ips(spec: JSONObject) -> None:
    if spec.get("clusterIP") and not spec.get("clusterIPs"):
        spec["clusterIPs"] = [spec["clusterIP"]]


def align_cluster_ips(spec: JSONObject, before: JSONObject) -> None:
    """On update: who changes or clears the one means the other too."""
    ip, ips = spec.get("clusterIP") or "", spec.get("clusterIPs") or []
    old_ip, old_ips = before.get("clusterIP") or "", before.get("clusterIPs") or []
    if old_ips and not ips and ip == old_ip:
        spec["clusterIPs"] = ips = list(old_ips)
    if ip == old_ip or ips != old_ips:
        return
    if old_ip and not ip:
        spec.pop("clusterIPs", None)
    else:
        spec["clusterIPs"] = [ip]
