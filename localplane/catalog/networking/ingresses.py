"""Ingresses: HTTP from outside, by host and path, to Services.

Kubernetes: pkg/registry/networking/ingress and pkg/apis/networking/validation, ValidateIngressCreate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, invalid
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.request import Request
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import Asked, BuiltinStatusStrategy, BuiltinStrategy
from localplane.catalog.validation.addresses import ip_warnings, legacy_ip_errors
from localplane.catalog.validation.balancers import INGRESS, entry_points, hostname_errors, ingress_of
from localplane.catalog.validation.domains import subdomain_or_wildcard
from localplane.catalog.validation.metadata import metadata_update_errors
from localplane.catalog.validation.rules import DNS_SUBDOMAIN, Each, Fields, Named, Optional

from .backends import HOST, HTTP, backend_errors

_SPEC = Path("spec")
_CLASS = "kubernetes.io/ingress.class"
_SHOWN = 3


_HOSTS = Fields(hosts=Each(Named(subdomain_or_wildcard)))
_SECRET = Fields(secretName=Optional(DNS_SUBDOMAIN))
_BACKEND = Fields(defaultBackend=backend_errors)
_CLASS_NAME = Fields(ingressClassName=DNS_SUBDOMAIN)


class IngressStrategy(BuiltinStrategy):
    allow_unconditional_update = True
    on_update = (Asked.METADATA, Asked.OBJECT)

    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
        """What was wrong before, in wildcard rules and secret names, is forgiven."""
        spec, before = obj.get("spec") or {}, (old or {}).get("spec") or {}
        if not spec.get("rules") and spec.get("defaultBackend") is None:
            yield invalid(_SPEC, None, "either `defaultBackend` or `rules` must be specified")
        yield from _BACKEND(spec, _SPEC)
        forgive = any(_has_wildcard(rule) and any(HTTP(rule, Path())) for rule in before.get("rules") or ())
        for index, rule in enumerate(spec.get("rules") or ()):
            yield from HOST(rule, (_SPEC / "rules")[index])
            if not (forgive and _has_wildcard(rule)):
                yield from HTTP(rule, (_SPEC / "rules")[index])
        forgive = any(any(_SECRET(tls, Path())) for tls in before.get("tls") or ())
        for index, tls in enumerate(spec.get("tls") or ()):
            yield from _HOSTS(tls, (_SPEC / "tls")[index])
            if not forgive:
                yield from _SECRET(tls, (_SPEC / "tls")[index])
        yield from _CLASS_NAME(spec, _SPEC)
        if old is None:
            yield from _class_errors(obj)

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        if _CLASS in _annotations(obj) and (obj.get("spec") or {}).get("ingressClassName") is None:
            return [f"annotation \"{_CLASS}\" is deprecated, please use 'spec.ingressClassName' instead"]
        return ()


def _has_wildcard(rule: JSONObject) -> bool:
    return "*" in (rule.get("host") or "")


class IngressStatusStrategy(BuiltinStatusStrategy):
    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(metadata_update_errors(obj, old), _status_errors(obj, old))

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        entries = enumerate(ingress_of(obj))
        return [text for index, entry in entries for text in ip_warnings(entry.get("ip") or "", INGRESS[index])]


def _annotations(obj: JSONObject) -> Mapping[str, str]:
    return (obj.get("metadata") or {}).get("annotations") or {}


def _class_errors(obj: JSONObject) -> Iterator[FieldError]:
    annotation, name = _annotations(obj).get(_CLASS), (obj.get("spec") or {}).get("ingressClassName")
    if annotation is not None and name is not None and annotation != name:
        path = Path("annotations") / _CLASS
        yield invalid(path, annotation, "must match `ingressClassName` when both are specified")


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
