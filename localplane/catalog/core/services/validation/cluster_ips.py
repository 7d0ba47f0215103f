"""clusterIP, clusterIPs, ipFamilies and ipFamilyPolicy, which must agree.

Also asked before addresses are allocated. Kubernetes: ValidateServiceClusterIPsRelatedFields.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, duplicate, invalid, not_supported, required
from localplane.catalog.core.services.shape import (
    EXTERNAL_NAME,
    HEADLESS,
    PREFER_DUAL_STACK,
    REQUIRE_DUAL_STACK,
    SINGLE_STACK,
    is_headless,
)
from localplane.catalog.validation.addresses import IPV4, IPV6, family_of, legacy_ip_errors
from localplane.catalog.validation.values import repeated

_SPEC = Path("spec")
_IPS = _SPEC / "clusterIPs"
_FAMILIES = _SPEC / "ipFamilies"
_POLICIES = (PREFER_DUAL_STACK, REQUIRE_DUAL_STACK, SINGLE_STACK)


def cluster_ips_errors(spec: Mapping[str, Any], before: Mapping[str, Any] | None) -> list[FieldError]:
    if spec.get("type") == EXTERNAL_NAME:
        return []
    ips: list[str] = spec.get("clusterIPs") or []
    families: list[str] = spec.get("ipFamilies") or []
    errors = collected(_agreement_errors(spec.get("clusterIP") or "", ips), _family_errors(families))
    policy = spec.get("ipFamilyPolicy")
    if policy is not None and policy not in _POLICIES:
        errors.append(not_supported(_SPEC / "ipFamilyPolicy", policy, _POLICIES))
    wrong = _ip_errors(ips, (before or {}).get("clusterIPs") or [])
    errors += wrong
    if len(ips) > 2:
        errors.append(invalid(_IPS, ips, "may only hold up to 2 values"))
    if wrong:
        return errors  # what follows compares addresses
    if len(ips) > 1 and len({family_of(ip) for ip in ips}) < 2:
        errors.append(invalid(_IPS, ips, "may specify no more than one IP for each IP family"))
    if not is_headless(spec):
        errors += _match_errors(ips, families)
    return errors


def _agreement_errors(ip: str, ips: list[str]) -> Iterator[FieldError]:
    if not ip:
        if ips:
            yield invalid(_IPS, ips, "must be empty when `clusterIP` is not specified")
    elif not ips:
        yield required(_IPS)
    elif ips[0] != ip:
        yield invalid(_IPS, ips, "first value must match `clusterIP`")


def _family_errors(families: list[str]) -> Iterator[FieldError]:
    for index, (family, is_repeated) in enumerate(zip(families, repeated(families), strict=True)):
        if family not in (IPV4, IPV6):
            yield not_supported(_FAMILIES[index], family, (IPV4, IPV6))
        if is_repeated:
            yield duplicate(_FAMILIES[index], family)


def _ip_errors(ips: list[str], known: list[str]) -> list[FieldError]:
    errors, before = [], frozenset(known)
    for index, ip in enumerate(ips):
        if index == 0 and ip == HEADLESS:
            if len(ips) > 1:
                errors.append(invalid(_IPS, ips, "'None' must be the first and only value"))
            continue
        errors += legacy_ip_errors(ip, _IPS[index], known=before)
    return errors


def _match_errors(ips: list[str], families: list[str]) -> Iterator[FieldError]:
    for index, (ip, family) in enumerate(zip(ips, families, strict=False)):
        if family in (IPV4, IPV6) and (family == IPV6) != (family_of(ip) == IPV6):
            yield invalid(_IPS[index], ip, f"expected an {family} value as indicated by `ipFamilies[{index}]`")
