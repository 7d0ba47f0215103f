"""What a load balancer reports. Kubernetes: ValidateLoadBalancerStatus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, required
from localplane.catalog.core.services.shape import LOAD_BALANCER
from localplane.catalog.validation.addresses import legacy_ip_errors
from localplane.catalog.validation.balancers import INGRESS, hostname_errors, ingress_of
from localplane.catalog.validation.values import one_of

JSONObject = Mapping[str, Any]


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
