"""NetworkPolicies: which pods may talk to whom.

Kubernetes: pkg/registry/networking/networkpolicy and pkg/apis/networking/validation, ValidateNetworkPolicy.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import (
    FieldError,
    Path,
    declared,
    forbidden,
    invalid,
    required,
)
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import InvalidSelector, selector_of
from localplane.apimachinery.times import age
from localplane.apiserver.request import Request
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import BuiltinStrategy
from localplane.catalog.validation.addresses import Network, cidr_warnings, legacy_cidr_errors, parse_cidr
from localplane.catalog.validation.ports import port_name
from localplane.catalog.validation.rules import PORT_NUMBER, Each, Fields, Named, OneOf
from localplane.catalog.validation.selectors import selector_errors

_SPEC = Path("spec")
_DIRECTIONS = (("ingress", "from"), ("egress", "to"))
_EACH_TYPE = Each(OneOf("Ingress", "Egress"))
_PROTOCOL = Fields(protocol=OneOf("TCP", "UDP", "SCTP"))
_PORT_NAME = Named(port_name)


class NetworkPolicyStrategy(BuiltinStrategy):
    allow_unconditional_update = True

    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
        """Label values and blocks that were accepted once are accepted again."""
        before = (old or {}).get("spec") or {}
        forgive = any(selector_errors(before.get("podSelector"), Path()))
        known = {cidr for _, cidr in _cidrs(before)}
        return _spec_errors(obj.get("spec") or {}, known=known, forgive_values=forgive)

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return list(_warnings(obj))

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        return list(_warnings(obj))


def _spec_errors(spec: Mapping[str, Any], *, known: Collection[str], forgive_values: bool) -> Iterator[FieldError]:
    yield from selector_errors(spec.get("podSelector") or {}, _SPEC / "podSelector", forgive_values=forgive_values)
    for direction, peers in _DIRECTIONS:
        for index, rule in enumerate(spec.get(direction) or ()):
            path = (_SPEC / direction)[index]
            for number, port in enumerate(rule.get("ports") or ()):
                yield from _port_errors(port, (path / "ports")[number])
            for number, peer in enumerate(rule.get(peers) or ()):
                yield from _peer_errors(peer, (path / peers)[number], known=known, forgive_values=forgive_values)
    types = spec.get("policyTypes") or []
    if len(types) > 2:
        yield invalid(_SPEC / "policyTypes", types, "may not specify more than two policyTypes")
        return
    yield from _EACH_TYPE(types, _SPEC / "policyTypes")


def _port_errors(port: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    yield from _PROTOCOL(port, path)
    value, end = port.get("port"), port.get("endPort")
    if isinstance(value, int):
        yield from PORT_NUMBER(value, path / "port")
        if end is not None:
            if end < value:
                yield invalid(path / "endPort", end, "must be greater than or equal to `port`")
            yield from PORT_NUMBER(end, path / "endPort")
        return
    if end is not None:
        why = "not specified" if value is None else "non-numeric"
        yield invalid(path / "endPort", end, f"may not be specified when `port` is {why}")
    if value is not None:
        yield from _PORT_NAME(value, path / "port")


def _peer_errors(
    peer: Mapping[str, Any], path: Path, *, known: Collection[str], forgive_values: bool
) -> Iterator[FieldError]:
    kinds = [field for field in ("podSelector", "namespaceSelector", "ipBlock") if peer.get(field) is not None]
    for field in kinds:
        if field == "ipBlock":
            yield from _block_errors(peer[field], path / field, known=known)
        else:
            yield from selector_errors(peer[field], path / field, forgive_values=forgive_values)
    if not kinds:
        yield required(path, "must specify a peer")
    elif len(kinds) > 1 and "ipBlock" in kinds:
        yield forbidden(path, "may not specify both ipBlock and another peer")


def _block_errors(block: Mapping[str, Any], path: Path, *, known: Collection[str]) -> Iterator[FieldError]:
    cidr = block.get("cidr") or ""
    if not cidr:
        yield declared(required(path / "cidr"))
        return
    yield from legacy_cidr_errors(cidr, path / "cidr", known=known)
    network = parse_cidr(cidr)
    if network is None:
        return
    for index, text in enumerate(block.get("except") or ()):
        yield from legacy_cidr_errors(text, (path / "except")[index], known=known)
        inner = parse_cidr(text)
        if inner is not None and not _is_strict_subset(inner, network):
            yield invalid((path / "except")[index], text, "must be a strict subset of `cidr`")


def _is_strict_subset(inner: Network, outer: Network) -> bool:
    return inner.network_address in outer and inner.prefixlen > outer.prefixlen


def _cidrs(spec: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """Every block in a policy, with its place."""
    for direction, peers in _DIRECTIONS:
        for index, rule in enumerate(spec.get(direction) or ()):
            for number, peer in enumerate(rule.get(peers) or ()):
                block = peer.get("ipBlock")
                if block is None:
                    continue
                path = ((_SPEC / direction)[index] / peers)[number] / "ipBlock"
                yield path / "cidr", block.get("cidr") or ""
                for at, text in enumerate(block.get("except") or ()):
                    yield (path / "except")[at], text


def _warnings(obj: JSONObject) -> Iterator[str]:
    for path, cidr in _cidrs(obj.get("spec") or {}):
        yield from cidr_warnings(cidr, path)


def default_network_policy(obj: JSONObject) -> None:
    spec = obj.setdefault("spec", {})
    if not spec.get("policyTypes"):
        spec["policyTypes"] = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]
    for direction, _ in _DIRECTIONS:
        for rule in spec.get(direction) or ():
            for port in rule.get("ports") or ():
                port.setdefault("protocol", "TCP")


def network_policy_cells(obj: JSONObject) -> list[Any]:
    metadata = obj.get("metadata") or {}
    return [metadata.get("name", ""), _selector(obj), age(metadata.get("creationTimestamp"))]


def _selector(obj: JSONObject) -> str:
    try:
        return str(selector_of((obj.get("spec") or {}).get("podSelector") or {})) or "<none>"
    except (InvalidSelector, KeyError):
        return "<error>"


NETWORK_POLICIES = builtin(
    "networking.k8s.io/networkpolicies",
    strategy=NetworkPolicyStrategy(),
    default=default_network_policy,
    cells=network_policy_cells,
)
