"""The spec as a whole, and the difference between a pod and a template."""

from __future__ import annotations

from typing import Any

from .containers import default_container
from .resources import default_requests, default_resource_list, default_resources
from .volumes import default_volume

_GRACE_SECONDS = 30
_CONTAINERS = ("initContainers", "containers")


def default_pod_template(template: dict[str, Any]) -> None:
    default_pod_spec(template.setdefault("spec", {}))


def default_pod_spec(spec: dict[str, Any]) -> None:
    _default_service_account(spec)
    _fill(spec, "dnsPolicy", "ClusterFirst")
    _fill(spec, "restartPolicy", "Always")
    _fill(spec, "schedulerName", "default-scheduler")
    spec.setdefault("securityContext", {})
    spec.setdefault("terminationGracePeriodSeconds", _GRACE_SECONDS)
    for volume in spec.get("volumes") or ():
        default_volume(volume)
    for kind in (*_CONTAINERS, "ephemeralContainers"):
        for container in spec.get(kind) or ():
            default_container(container)
    default_resource_list(spec.get("overhead"))
    default_resources(spec.get("resources"))


def _fill(spec: dict[str, Any], field: str, value: str) -> None:
    if not spec.get(field):
        spec[field] = value


def _default_service_account(spec: dict[str, Any]) -> None:
    """The old name of the field says the same as the new one, which wins."""
    if name := spec.get("serviceAccountName") or spec.get("serviceAccount"):
        spec["serviceAccountName"] = spec["serviceAccount"] = name


def default_pod(pod: dict[str, Any]) -> None:
    """What a template goes without comes first: limits are requests too, and service links are on."""
    spec = pod.setdefault("spec", {})
    if spec.get("terminationGracePeriodSeconds", 0) < 0:
        spec["terminationGracePeriodSeconds"] = 1
    for kind in _CONTAINERS:
        for container in spec.get(kind) or ():
            default_requests(container)
            if spec.get("hostNetwork"):
                _default_host_ports(container)
    spec.setdefault("enableServiceLinks", True)
    default_pod_spec(spec)
    _default_addresses(pod.get("status") or {})


def _default_host_ports(container: dict[str, Any]) -> None:
    for port in container.get("ports") or ():
        if not port.get("hostPort") and port.get("containerPort"):
            port["hostPort"] = port["containerPort"]


def _default_addresses(status: dict[str, Any]) -> None:
    """`podIP` is the first of `podIPs`, and wins where they differ."""
    address, addresses = status.get("podIP"), status.get("podIPs") or []
    if address and (not addresses or addresses[0].get("ip") != address):
        status["podIPs"] = [{"ip": address}]
    elif addresses and not address and addresses[0].get("ip"):
        status["podIP"] = addresses[0]["ip"]
