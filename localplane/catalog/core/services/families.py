"""IP families of a Service: found from what it says and from what the cluster has.

Kubernetes: pkg/registry/core/service/storage, initIPFamilyFields.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from localplane.apimachinery.errors import Invalid
from localplane.apimachinery.fieldpath import FieldError, Path, invalid
from localplane.apimachinery.groups import GroupKind
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.validation.addresses import IPV4, IPV6, family_of

from .shape import (
    EXTERNAL_NAME,
    HEADLESS,
    PREFER_DUAL_STACK,
    REQUIRE_DUAL_STACK,
    SINGLE_STACK,
    needs_cluster_ip,
)
from .validation.spec import cluster_ips_errors

SERVICE = GroupKind("", "Service")
_SPEC = Path("spec")
_POLICY = _SPEC / "ipFamilyPolicy"


def settle_families(name: str, spec: JSONObject, before: JSONObject | None, families: Sequence[str]) -> None:
    """Fill in ipFamilyPolicy and ipFamilies; raises Invalid for what the cluster's `families` can't give."""
    if spec.get("type") == EXTERNAL_NAME or keeps_dual_stack(spec, before):
        return
    if spec.get("ipFamilyPolicy") is None:
        spec["ipFamilyPolicy"] = _policy_of(spec, before)
    _refuse(name, cluster_ips_errors(spec, before))
    errors: list[FieldError] = []
    if before is not None:
        errors += _shrink(spec, before)
    errors += _policy_errors(spec)
    errors += _infer(spec, families)
    _refuse(name, errors)
    if _is_selectorless_headless(spec):
        _add_family(spec, families, both=True)
        return
    _refuse(name, list(_availability_errors(spec, families)))
    _add_family(spec, families, both=len(families) == 2)


def _refuse(name: str, errors: Sequence[FieldError]) -> None:
    if errors:
        raise Invalid.of(SERVICE, name, errors)


def keeps_dual_stack(spec: JSONObject, before: JSONObject | None) -> bool:
    """One that only prefers two families is not touched when nothing about its addresses changes: the cluster may have
    changed meanwhile. Kubernetes: isMatchingPreferDualStackClusterIPFields."""
    if before is None or spec.get("ipFamilyPolicy") != PREFER_DUAL_STACK:
        return False
    return (
        before.get("type") == spec.get("type")
        and needs_cluster_ip(spec)
        and before.get("ipFamilyPolicy", PREFER_DUAL_STACK) == PREFER_DUAL_STACK
        and (before.get("clusterIPs") or []) == (spec.get("clusterIPs") or [])
        and (before.get("ipFamilies") or []) == (spec.get("ipFamilies") or [])
    )


def _policy_of(spec: JSONObject, before: JSONObject | None) -> str:
    if before is not None and before.get("ipFamilyPolicy") is not None:
        return str(before["ipFamilyPolicy"])
    return REQUIRE_DUAL_STACK if _is_selectorless_headless(spec) else SINGLE_STACK


def _is_selectorless_headless(spec: JSONObject) -> bool:
    return spec.get("clusterIP") == HEADLESS and not spec.get("selector")


def _shrink(spec: JSONObject, before: JSONObject) -> Iterator[FieldError]:
    """To one family: the policy alone says it, fewer addresses without the policy are a mistake."""
    fields = (("clusterIPs", "cluster IP"), ("ipFamilies", "IP family"))
    if spec["ipFamilyPolicy"] == SINGLE_STACK:
        for field, _ in fields:
            values = spec.get(field) or []
            if len(values) > 1 and values == (before.get(field) or []):
                spec[field] = values[:1]
        return
    for field, what in fields:
        if 0 < len(spec.get(field) or []) < len(before.get(field) or []):
            yield invalid(_POLICY, spec["ipFamilyPolicy"], f"must be 'SingleStack' to release the secondary {what}")


def _policy_errors(spec: JSONObject) -> Iterator[FieldError]:
    if spec["ipFamilyPolicy"] != SINGLE_STACK:
        return
    for field, what in (("clusterIPs", "cluster IPs"), ("ipFamilies", "IP families")):
        if len(spec.get(field) or []) == 2:
            why = f"must be 'RequireDualStack' or 'PreferDualStack' when multiple {what} are specified"
            yield invalid(_POLICY, spec["ipFamilyPolicy"], why)


def _infer(spec: JSONObject, families: Sequence[str]) -> Iterator[FieldError]:
    """An address tells its family."""
    given = spec.get("clusterIPs") or []
    for index, ip in enumerate(given):
        if ip == HEADLESS:
            return
        if index < len(spec.get("ipFamilies") or []):
            continue
        family = family_of(ip)
        if family in families:
            spec["ipFamilies"] = [*(spec.get("ipFamilies") or []), family]
        else:
            yield invalid((_SPEC / "clusterIPs")[index], given, f"{family} is not configured on this cluster")


def _availability_errors(spec: JSONObject, families: Sequence[str]) -> Iterator[FieldError]:
    if spec["ipFamilyPolicy"] == REQUIRE_DUAL_STACK and len(families) < 2:
        yield invalid(_POLICY, spec["ipFamilyPolicy"], "this cluster is not configured for dual-stack services")
    for index, family in enumerate(spec.get("ipFamilies") or ()):
        if family not in families:
            yield invalid((_SPEC / "ipFamilies")[index], family, "not configured on this cluster")


def _add_family(spec: JSONObject, families: Sequence[str], *, both: bool) -> None:
    """The cluster's first family if there is none yet, and the other one where two are wanted and can be had."""
    found = list(spec.get("ipFamilies") or families[:1])
    if both and spec["ipFamilyPolicy"] != SINGLE_STACK and len(found) == 1:
        found.append(IPV6 if found[0] == IPV4 else IPV4)
    spec["ipFamilies"] = found
