"""IngressClasses: which controller looks after an Ingress.

Kubernetes: pkg/registry/networking/ingressclass and pkg/apis/networking/validation, ValidateIngressClass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import (
    ErrorType,
    FieldError,
    Path,
    collected,
    declared,
    forbidden,
    invalid,
    required,
    too_long,
)
from localplane.apimachinery.names import dns1123_label, dns1123_subdomain, size
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request
from localplane.catalog.declaring import builtin
from localplane.catalog.validation.domains import domain_prefixed_path_errors
from localplane.catalog.validation.metadata import immutable_errors, metadata_errors, metadata_update_errors
from localplane.catalog.validation.values import one_of

from .backends import reference_errors

_SPEC = Path("spec")
_CONTROLLER = _SPEC / "controller"
_CONTROLLER_MAX = 250
_DEFAULT = "ingressclass.kubernetes.io/is-default-class"


class IngressClassStrategy(Strategy):
    allow_unconditional_update = True
    validates_schema = False

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return collected(
            metadata_errors(obj, namespaced=False, name=dns1123_subdomain), _spec_errors(obj.get("spec") or {})
        )

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        controller, before = ((each.get("spec") or {}).get("controller") or "" for each in (obj, old))
        return collected(
            metadata_update_errors(obj, old),
            immutable_errors(controller, before, _CONTROLLER),
            self.validate(request, obj),
        )


def _spec_errors(spec: Mapping[str, Any]) -> Iterator[FieldError]:
    controller = spec.get("controller") or ""
    if size(controller) > _CONTROLLER_MAX:
        yield too_long(_CONTROLLER, _CONTROLLER_MAX)
    yield from domain_prefixed_path_errors(controller, _CONTROLLER)
    if (parameters := spec.get("parameters")) is not None:
        for error in reference_errors(parameters, _SPEC / "parameters"):
            yield declared(error) if error.type is ErrorType.REQUIRED else error
        yield from _scope_errors(parameters, _SPEC / "parameters")


def _scope_errors(parameters: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    scope, namespace = parameters.get("scope"), parameters.get("namespace")
    if scope is None:
        yield required(path / "scope")
        return
    yield from one_of(scope, ("Cluster", "Namespace"), path / "scope")
    if namespace is None:
        if scope == "Namespace":
            yield required(path / "namespace", "`parameters.scope` is set to 'Namespace'")
    elif scope == "Namespace":
        for problem in dns1123_label(namespace):
            yield invalid(path / "namespace", namespace, problem)
    elif scope == "Cluster":
        yield forbidden(path / "namespace", "`parameters.scope` is set to 'Cluster'")


def default_ingress_class(obj: JSONObject) -> None:
    parameters = (obj.get("spec") or {}).get("parameters")
    if parameters is not None:
        parameters.setdefault("scope", "Cluster")


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
