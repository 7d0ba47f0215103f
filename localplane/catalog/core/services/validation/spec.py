"""A whole Service, on every write. Kubernetes: validateService, with validateServicePort and
ValidateServiceClusterIPsRelatedFields: clusterIP, clusterIPs, ipFamilies and ipFamilyPolicy must agree, which is also
asked before addresses are allocated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import (
    FieldError,
    Path,
    collected,
    duplicate,
    forbidden,
    invalid,
    required,
)
from localplane.apimachinery.names import dns1123_label, dns1123_subdomain
from localplane.apimachinery.objectmeta import validate_labels
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.core.services.shape import (
    CLUSTER_IP,
    EXTERNAL_NAME,
    HEADLESS,
    LOAD_BALANCER,
    NODE_PORT,
    PREFER_DUAL_STACK,
    REQUIRE_DUAL_STACK,
    SINGLE_STACK,
    is_headless,
    ports_of,
)
from localplane.catalog.validation.addresses import IPV4, IPV6, endpoint_ip_errors, family_of, legacy_ip_errors
from localplane.catalog.validation.ports import PROTOCOLS, port_or_name_errors
from localplane.catalog.validation.rules import (
    PORT_NUMBER,
    QUALIFIED_NAME,
    Always,
    Each,
    Fields,
    OneOf,
    Required,
    Unique,
)

from .traffic import affinity_errors, load_balancer_errors, policy_errors, source_range_errors

Port = Mapping[str, Any]

_PORTS = Path("spec") / "ports"


_PORT = Fields(
    port=Always(PORT_NUMBER, absent=0),
    protocol=Required(OneOf(*PROTOCOLS)),
    targetPort=Always(port_or_name_errors, absent=0),
    appProtocol=QUALIFIED_NAME,
)


def port_errors(ports: Sequence[Port]) -> Iterator[FieldError]:
    names: set[str] = set()
    for index, port in enumerate(ports):
        yield from _name_errors(port.get("name") or "", names, _PORTS[index] / "name", needed=len(ports) > 1)
        yield from _PORT(port, _PORTS[index])


def _name_errors(name: str, names: set[str], path: Path, *, needed: bool) -> Iterator[FieldError]:
    if not name:
        if needed:
            yield required(path)
        return
    for problem in dns1123_label(name):
        yield invalid(path, name, problem)
    if name in names:
        yield duplicate(path, name)
    names.add(name)


def port_use_errors(ports: Sequence[Port], service_type: str) -> Iterator[FieldError]:
    """What may not be there, or not twice."""
    if service_type == CLUSTER_IP:
        for index, port in enumerate(ports):
            if port.get("nodePort"):
                yield forbidden(_PORTS[index] / "nodePort", "may not be used when `type` is 'ClusterIP'")
    seen: set[tuple[str, int]] = set()
    for index, port in enumerate(ports):
        number = port.get("nodePort")
        if number:
            if (port.get("protocol", ""), number) in seen:
                yield duplicate(_PORTS[index] / "nodePort", number)
            seen.add((port.get("protocol", ""), number))
    seen.clear()
    for index, port in enumerate(ports):
        key = port.get("protocol", ""), port.get("port", 0)
        if key in seen:
            yield duplicate(_PORTS[index], _as_go_prints(*key))
        seen.add(key)


def _as_go_prints(protocol: str, port: int) -> dict[str, Any]:
    """The internal ServicePort has no names for JSON, and its fields go by their own."""
    return {"Name": "", "Protocol": protocol, "AppProtocol": None, "Port": port, "TargetPort": 0, "NodePort": 0}


_SPEC = Path("spec")
_IPS = _SPEC / "clusterIPs"
_FAMILIES = _SPEC / "ipFamilies"
_EACH_FAMILY = Each(OneOf(IPV4, IPV6), Unique())
_POLICY = Fields(ipFamilyPolicy=OneOf(PREFER_DUAL_STACK, REQUIRE_DUAL_STACK, SINGLE_STACK))


def cluster_ips_errors(spec: Mapping[str, Any], before: Mapping[str, Any] | None) -> list[FieldError]:
    if spec.get("type") == EXTERNAL_NAME:
        return []
    ips: list[str] = spec.get("clusterIPs") or []
    families: list[str] = spec.get("ipFamilies") or []
    errors = collected(_agreement_errors(spec.get("clusterIP") or "", ips), _EACH_FAMILY(families, _FAMILIES))
    errors += _POLICY(spec, _SPEC)
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


_TYPE = Fields(type=Required(OneOf(*sorted((CLUSTER_IP, EXTERNAL_NAME, LOAD_BALANCER, NODE_PORT)))))
TOPOLOGY_HINTS = "service.kubernetes.io/topology-aware-hints"
TOPOLOGY_MODE = "service.kubernetes.io/topology-mode"


def service_errors(service: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
    """All but metadata."""
    spec, before = service.get("spec") or {}, None if old is None else old.get("spec") or {}
    ports = ports_of(spec)
    yield from _topology_errors((service.get("metadata") or {}).get("annotations") or {})
    if not ports and not is_headless(spec) and spec.get("type") != EXTERNAL_NAME:
        yield required(_SPEC / "ports")
    yield from _type_errors(spec)
    yield from port_errors(ports)
    yield from validate_labels(spec.get("selector"), _SPEC / "selector")
    yield from affinity_errors(spec)
    yield from cluster_ips_errors(spec, before)
    yield from _external_ip_errors(spec, before)
    yield from _TYPE(spec, _SPEC)
    yield from port_use_errors(ports, spec.get("type") or "")
    yield from source_range_errors(service, old)
    yield from load_balancer_errors(spec)
    yield from policy_errors(spec)


def _topology_errors(annotations: Mapping[str, str]) -> Iterator[FieldError]:
    hints, mode = annotations.get(TOPOLOGY_HINTS), annotations.get(TOPOLOGY_MODE)
    if hints is not None and mode is not None and hints != mode:
        path = (Path("metadata") / "annotations")[TOPOLOGY_MODE]
        yield invalid(path, mode, f"must match annotations[{TOPOLOGY_HINTS}] when both are specified")


def _type_errors(spec: JSONObject) -> Iterator[FieldError]:
    match spec.get("type"):
        case ("LoadBalancer" | "NodePort") as kind if is_headless(spec):
            why = f"may not be set to 'None' for {kind} services"
            yield invalid((_SPEC / "clusterIPs")[0], spec["clusterIPs"][0], why)
        case "ExternalName":
            for field in ("clusterIPs", "ipFamilies", "ipFamilyPolicy"):
                value = spec.get(field)
                if value or (field == "ipFamilyPolicy" and value is not None):
                    yield forbidden(_SPEC / field, "may not be set for ExternalName services")
            yield from _external_name_errors((spec.get("externalName") or "").removesuffix("."))


def _external_name_errors(name: str) -> Iterator[FieldError]:
    if not name:
        yield required(_SPEC / "externalName")
        return
    for problem in dns1123_subdomain(name):
        yield invalid(_SPEC / "externalName", name, problem)


def _external_ip_errors(spec: JSONObject, before: JSONObject | None) -> Iterator[FieldError]:
    known = frozenset((before or {}).get("externalIPs") or ())
    for index, ip in enumerate(spec.get("externalIPs") or ()):
        path = (_SPEC / "externalIPs")[index]
        yield from legacy_ip_errors(ip, path, known=known) or endpoint_ip_errors(ip, path)
