"""Ingresses: HTTP from outside, by host and path, to Services.

Kubernetes: pkg/registry/networking/ingress and pkg/apis/networking/validation, ValidateIngressCreate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, invalid
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.registry.strategy import StatusStrategy, Strategy
from localplane.apiserver.request import Request
from localplane.catalog.declaring import builtin
from localplane.catalog.validation.addresses import ip_warnings, legacy_ip_errors
from localplane.catalog.validation.balancers import INGRESS, entry_points, hostname_errors, ingress_of
from localplane.catalog.validation.domains import subdomain_or_wildcard
from localplane.catalog.validation.metadata import metadata_errors, metadata_update_errors

from .backends import backend_errors, http_errors, rule_errors

_SPEC = Path("spec")
_CLASS = "kubernetes.io/ingress.class"
_SHOWN = 3


class IngressStrategy(Strategy):
    allow_unconditional_update = True
    validates_schema = False

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return collected(_ingress_errors(obj, {}), _class_errors(obj))

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        if _CLASS in _annotations(obj) and (obj.get("spec") or {}).get("ingressClassName") is None:
            return [f"annotation \"{_CLASS}\" is deprecated, please use 'spec.ingressClassName' instead"]
        return ()

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(metadata_update_errors(obj, old), _ingress_errors(obj, old.get("spec") or {}))


class IngressStatusStrategy(StatusStrategy):
    """Labels and annotations may come with a status."""

    def __init__(self, main: Strategy) -> None:
        super().__init__(main, changes_metadata=True)

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(metadata_update_errors(obj, old), _status_errors(obj, old))

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        entries = enumerate(ingress_of(obj))
        return [each for index, entry in entries for each in ip_warnings(entry.get("ip") or "", INGRESS[index])]


def _annotations(obj: JSONObject) -> Mapping[str, str]:
    return (obj.get("metadata") or {}).get("annotations") or {}


def _class_errors(obj: JSONObject) -> Iterator[FieldError]:
    annotation, name = _annotations(obj).get(_CLASS), (obj.get("spec") or {}).get("ingressClassName")
    if annotation is not None and name is not None and annotation != name:
        path = Path("annotations") / _CLASS
        yield invalid(path, annotation, "must match `ingressClassName` when both are specified")


def _ingress_errors(obj: JSONObject, before: Mapping[str, Any]) -> Iterator[FieldError]:
    """What was wrong before, in wildcard rules and secret names, is forgiven."""
    spec = obj.get("spec") or {}
    rules, backend, name = spec.get("rules"), spec.get("defaultBackend"), spec.get("ingressClassName")
    yield from metadata_errors(obj, namespaced=True, name=dns1123_subdomain)
    if not rules and backend is None:
        yield invalid(_SPEC, None, "either `defaultBackend` or `rules` must be specified")
    if backend is not None:
        yield from backend_errors(backend, _SPEC / "defaultBackend")
    forgive = _has_wrong_wildcards(before)
    for index, rule in enumerate(rules or ()):
        yield from rule_errors(rule, (_SPEC / "rules")[index], forgive_wildcards=forgive)
    forgive = any(_secret_problems(tls) for tls in before.get("tls") or ())
    for index, tls in enumerate(spec.get("tls") or ()):
        yield from _tls_errors(tls, (_SPEC / "tls")[index], forgive_secrets=forgive)
    if name is not None:
        for problem in dns1123_subdomain(name):
            yield invalid(_SPEC / "ingressClassName", name, problem)


def _has_wrong_wildcards(spec: Mapping[str, Any]) -> bool:
    rules = (rule for rule in spec.get("rules") or () if "*" in (rule.get("host") or ""))
    return any(list(http_errors(rule.get("http"), Path())) for rule in rules)


def _tls_errors(tls: Mapping[str, Any], path: Path, *, forgive_secrets: bool) -> Iterator[FieldError]:
    for index, host in enumerate(tls.get("hosts") or ()):
        for problem in subdomain_or_wildcard(host):
            yield invalid((path / "hosts")[index], host, problem)
    if not forgive_secrets:
        for problem in _secret_problems(tls):
            yield invalid(path / "secretName", tls["secretName"], problem)


def _secret_problems(tls: Mapping[str, Any]) -> list[str]:
    name = tls.get("secretName")
    return dns1123_subdomain(name) if name else []


def _status_errors(obj: JSONObject, old: JSONObject) -> Iterator[FieldError]:
    known = {entry["ip"] for entry in ingress_of(old) if entry.get("ip")}
    for index, entry in enumerate(ingress_of(obj)):
        if entry.get("ip"):
            yield from legacy_ip_errors(entry["ip"], INGRESS[index] / "ip", known=known)
        yield from hostname_errors(entry.get("hostname") or "", INGRESS[index] / "hostname")


def ingress_cells(obj: JSONObject) -> list[Any]:
    metadata, spec = obj.get("metadata") or {}, obj.get("spec") or {}
    name = spec.get("ingressClassName")
    return [
        metadata.get("name", ""),
        "<none>" if name is None else name,
        _hosts(spec.get("rules") or []),
        ",".join(entry_points(obj)),
        "80, 443" if spec.get("tls") else "80",
        age(metadata.get("creationTimestamp")),
    ]


def _hosts(rules: list[Mapping[str, Any]]) -> str:
    """The first few, and how many rules are beyond them; rules without a host count there."""
    shown: list[str] = []
    for index, rule in enumerate(rules):
        if rule.get("host"):
            shown.append(rule["host"])
        if len(shown) == _SHOWN and index + 1 < len(rules):
            return f"{','.join(shown)} + {len(rules) - _SHOWN} more..."
    return ",".join(shown) or "*"


INGRESSES = builtin(
    "networking.k8s.io/ingresses",
    strategy=IngressStrategy(),
    status_strategy=IngressStatusStrategy,
    cells=ingress_cells,
)
