"""Warnings about a Service that is valid, but does not mean what it says. Kubernetes: pkg/api/service/warnings.go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import Path
from localplane.catalog.validation.addresses import cidr_warnings, ip_warnings
from localplane.catalog.validation.balancers import INGRESS, ingress_of

from .shape import CLUSTER_IP, EXTERNAL_NAME, HEADLESS
from .validation.spec import TOPOLOGY_HINTS, TOPOLOGY_MODE

JSONObject = Mapping[str, Any]

_SPEC = Path("spec")


def service_warnings(service: JSONObject) -> Iterator[str]:
    spec = service.get("spec") or {}
    if TOPOLOGY_HINTS in ((service.get("metadata") or {}).get("annotations") or {}):
        yield f"annotation {TOPOLOGY_HINTS} is deprecated, please use {TOPOLOGY_MODE} instead"
    yield from _address_warnings(spec)
    if spec.get("type") == EXTERNAL_NAME:
        if spec.get("externalIPs"):
            yield 'spec.externalIPs is ignored when spec.type is "ExternalName"'
    elif spec.get("externalName"):
        yield 'spec.externalName is ignored when spec.type is not "ExternalName"'
    if spec.get("trafficDistribution") == "PreferClose":
        yield 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'


def _address_warnings(spec: JSONObject) -> Iterator[str]:
    if spec.get("clusterIP") not in (None, "", HEADLESS):
        for index, ip in enumerate(spec.get("clusterIPs") or ()):
            yield from ip_warnings(ip, (_SPEC / "clusterIPs")[index])
    headless = spec.get("type") == CLUSTER_IP and spec.get("clusterIP") == HEADLESS
    external = spec.get("externalIPs") or ()
    if headless:
        yield from _headless_warnings(spec)
    for index, ip in enumerate(external):
        yield from ip_warnings(ip, (_SPEC / "externalIPs")[index])
    if external and not headless and spec.get("type") != EXTERNAL_NAME:
        yield "spec.externalIPs is deprecated and may no longer be implemented in some clusters"
    if spec.get("loadBalancerIP"):
        yield from ip_warnings(spec["loadBalancerIP"], _SPEC / "loadBalancerIP")
    for index, block in enumerate(spec.get("loadBalancerSourceRanges") or ()):
        yield from cidr_warnings(block, (_SPEC / "loadBalancerSourceRanges")[index])


def _headless_warnings(spec: JSONObject) -> Iterator[str]:
    if spec.get("loadBalancerIP"):
        yield "spec.loadBalancerIP is ignored for headless services"
    if spec.get("externalIPs"):
        yield "spec.externalIPs is ignored for headless services"
    if spec.get("sessionAffinity") != "None":
        yield "spec.SessionAffinity is ignored for headless services"


def status_warnings(obj: JSONObject) -> Iterator[str]:
    """For whatever has a load balancer in its status."""
    for index, entry in enumerate(ingress_of(obj)):
        if entry.get("ip"):
            yield from ip_warnings(entry["ip"], INGRESS[index])
