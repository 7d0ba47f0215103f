"""What may not change in a Service: its addresses above all, unless it becomes or stops being a mere name.

Kubernetes: ValidateServiceUpdate.
"""

from __future__ import annotations

from collections.abc import Iterator

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.core.services.shape import (
    EXTERNAL_NAME,
    LOAD_BALANCER,
    SINGLE_STACK,
    is_headless,
    needs_health_check,
)

from .traffic import load_balancer_class_errors

_SPEC = Path("spec")
_ONCE_SET = "may not change once set"


def change_errors(spec: JSONObject, before: JSONObject) -> Iterator[FieldError]:
    if EXTERNAL_NAME not in (spec.get("type"), before.get("type")):
        yield from _address_errors(spec, before)
        yield from _family_errors(spec, before)
    if spec.get("type") == before.get("type") == LOAD_BALANCER:
        name = spec.get("loadBalancerClass")
        if name != before.get("loadBalancerClass"):
            yield invalid(_SPEC / "loadBalancerClass", name, _ONCE_SET)
    yield from load_balancer_class_errors(spec)
    port = "healthCheckNodePort"
    if needs_health_check(before) and needs_health_check(spec) and spec.get(port) != before.get(port):
        yield forbidden(_SPEC / port, "field is immutable")


def _address_errors(spec: JSONObject, before: JSONObject) -> Iterator[FieldError]:
    if is_headless(spec) and is_headless(before):
        return
    ips, old, path = spec.get("clusterIPs") or [], before.get("clusterIPs") or [], _SPEC / "clusterIPs"
    if len(ips) == len(old):
        for index, ip in enumerate(old):
            if ip != ips[index]:
                yield invalid(path[index], ips, _ONCE_SET)
        return
    if not ips:
        yield invalid(path[0], None, "primary clusterIP can not be unset")
    elif old and ips[0] != old[0]:
        yield invalid(path[0], ips, _ONCE_SET)
    if len(old) > len(ips) == 1:
        yield from _release_errors(spec, "clusterIP")


def _family_errors(spec: JSONObject, before: JSONObject) -> Iterator[FieldError]:
    if is_headless(spec) or is_headless(before):
        return
    families, old, path = spec.get("ipFamilies") or [], before.get("ipFamilies") or [], (_SPEC / "ipFamilies")[0]
    ips = spec.get("clusterIPs") or None
    if len(families) == len(old):
        for index, family in enumerate(old):
            if family != families[index]:
                yield invalid(path, families, _ONCE_SET)
        return
    if len(old) > len(families) and not ips:
        yield invalid(path, families or None, "primary ipFamily can not be unset")
    if old and families and families[0] != old[0]:
        yield invalid(path, ips, _ONCE_SET)
    if len(old) > len(families) == 1:
        yield from _release_errors(spec, "ipFamily")


def _release_errors(spec: JSONObject, what: str) -> Iterator[FieldError]:
    policy = spec.get("ipFamilyPolicy")
    if policy != SINGLE_STACK:
        why = f"must be set to 'SingleStack' when releasing the secondary {what}"
        yield invalid(_SPEC / "ipFamilyPolicy", policy, why)
