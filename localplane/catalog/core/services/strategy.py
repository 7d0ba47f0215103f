"""The hooks around writes of a Service. Kubernetes: pkg/registry/core/service/strategy.go; pkg/api/service/warnings.go.

When a Service changes its type, what no longer applies goes if the client did not touch it (dropTypeDependentFields);
what a client set itself stays, and validation tells that it does not belong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected
from localplane.apimachinery.names import dns1123_label
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.request import Request
from localplane.catalog.strategy import Asked, BuiltinStatusStrategy, BuiltinStrategy
from localplane.catalog.validation.addresses import cidr_warnings, ip_warnings
from localplane.catalog.validation.balancers import INGRESS, ingress_of
from localplane.catalog.validation.metadata import metadata_update_errors

from .defaults import forget_internal_traffic
from .shape import (
    CLUSTER_IP,
    EXTERNAL_NAME,
    HEADLESS,
    LOAD_BALANCER,
    is_externally_accessible,
    needs_cluster_ip,
    needs_health_check,
    needs_node_ports,
    node_ports_of,
    ports_of,
    spec_of,
)
from .validation.changes import change_errors
from .validation.spec import TOPOLOGY_HINTS, TOPOLOGY_MODE, service_errors
from .validation.traffic import status_errors


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


class ServiceStrategy(BuiltinStrategy):
    allow_create_on_update = True
    allow_unconditional_update = True
    tracks_generation = False
    valid_name = staticmethod(dns1123_label)
    on_update = (Asked.METADATA, Asked.CHANGES, Asked.RULES)

    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
        return service_errors(obj, old)

    def change_errors(self, obj: JSONObject, old: JSONObject) -> Iterator[FieldError]:
        return change_errors(obj.get("spec") or {}, old.get("spec") or {})

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return list(service_warnings(obj))

    def canonicalize(self, obj: JSONObject) -> None:
        forget_internal_traffic(obj)

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        drop_type_dependent_fields(obj, old)

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        return list(service_warnings(obj))


class ServiceStatusStrategy(BuiltinStatusStrategy):
    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(metadata_update_errors(obj, old), status_errors(obj, old))

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        return list(status_warnings(obj))
