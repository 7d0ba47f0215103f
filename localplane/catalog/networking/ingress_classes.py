"""IngressClasses: which controller looks after an Ingress.

Kubernetes: pkg/registry/networking/ingressclass and pkg/apis/networking/validation, ValidateIngressClass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, required
from localplane.apimachinery.names import path_segment_name
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import Asked, BuiltinStrategy
from localplane.catalog.validation.domains import domain_prefixed_path_errors
from localplane.catalog.validation.rules import (
    DNS_LABEL,
    DNS_SUBDOMAIN,
    All,
    Always,
    Fields,
    Immutable,
    Longest,
    Named,
    OneOf,
    Present,
    Required,
    Struct,
)

_DEFAULT = "ingressclass.kubernetes.io/is-default-class"


def default_ingress_class(obj: JSONObject) -> None:
    parameters = (obj.get("spec") or {}).get("parameters")
    if parameters is not None:
        parameters.setdefault("scope", "Cluster")


def _namespace_errors(parameters: JSONObject, path: Path) -> Iterator[FieldError]:
    """Whether there is one is what the scope says."""
    scope, namespace = parameters.get("scope"), parameters.get("namespace")
    if scope == "Namespace":
        if namespace is None:
            yield required(path / "namespace", "`parameters.scope` is set to 'Namespace'")
        else:
            yield from DNS_LABEL(namespace, path / "namespace")
    elif scope == "Cluster" and namespace is not None:
        yield forbidden(path / "namespace", "`parameters.scope` is set to 'Cluster'")


_OBJECT_NAME = Required(Named(path_segment_name), declared=True)
_PARAMETERS = Fields(
    apiGroup=DNS_SUBDOMAIN,
    kind=_OBJECT_NAME,
    name=_OBJECT_NAME,
    scope=Present(OneOf("Cluster", "Namespace")),
)


class IngressClassStrategy(BuiltinStrategy):
    allow_unconditional_update = True
    rules = Fields(
        spec=Struct(
            Fields(
                controller=Always(Longest(250), domain_prefixed_path_errors),
                parameters=All(_PARAMETERS, _namespace_errors),
            )
        )
    )
    changes = Immutable("spec.controller", absent="")
    on_update = (Asked.METADATA, Asked.CHANGES, Asked.OBJECT)


def ingress_class_cells(obj: JSONObject) -> list[Any]:
    metadata, spec = obj.get("metadata") or {}, obj.get("spec") or {}
    is_default = (metadata.get("annotations") or {}).get(_DEFAULT) == "true"
    return [
        f"{metadata.get('name', '')} (default)" if is_default else metadata.get("name", ""),
        spec.get("controller") or "",
        _parameters(spec.get("parameters")),
        age(metadata.get("creationTimestamp")),
    ]


def _parameters(parameters: Mapping[str, Any] | None) -> str:
    if parameters is None:
        return "<none>"
    group = parameters.get("apiGroup")
    kind = parameters.get("kind", "") if group is None else f"{parameters.get('kind', '')}.{group}"
    return f"{kind}/{parameters.get('name', '')}"


INGRESS_CLASSES = builtin(
    "networking.k8s.io/ingressclasses",
    strategy=IngressClassStrategy(),
    default=default_ingress_class,
    cells=ingress_class_cells,
)
