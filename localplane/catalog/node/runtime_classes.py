"""RuntimeClasses: which container runtime a pod runs in, what that costs, and where it is found.

Kubernetes: pkg/registry/node/runtimeclass, pkg/apis/node/validation and pkg/api/node, GetWarningsForRuntimeClass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, declared, duplicate, required
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objectmeta import validate_labels, validate_object_meta
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request
from localplane.catalog.core.pods.validation.resources import container_resource_errors
from localplane.catalog.core.pods.validation.scheduling import toleration_errors
from localplane.catalog.core.pods.warnings.placement import node_label_message
from localplane.catalog.declaring import builtin
from localplane.catalog.internal_form import internal_form
from localplane.catalog.validation.declared import declared_immutable_errors, short_name_errors

_HANDLER, _OVERHEAD, _SCHEDULING = Path("handler"), Path("overhead"), Path("scheduling")
_TOLERATION_KEY = ("key", "operator", "value", "effect")


class RuntimeClassStrategy(Strategy):
    allow_create_on_update = True
    tracks_generation = False
    validates_schema = False

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        handler = obj.get("handler") or ""
        return collected(
            validate_object_meta(obj["metadata"], namespaced=False, validate_name=dns1123_subdomain),
            map(declared, short_name_errors(handler, _HANDLER) if handler else [required(_HANDLER)]),
            _overhead_errors(obj.get("overhead")),
            _scheduling_errors(obj.get("scheduling")),
        )

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return list(_warnings(obj))

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(
            self.validate(request, obj),
            declared_immutable_errors(obj.get("handler") or "", old.get("handler") or "", _HANDLER),
        )

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        return list(_warnings(obj))


def _overhead_errors(overhead: Mapping[str, Any] | None) -> Iterator[FieldError]:
    """What a pod costs on top is checked as the limits of a container would be."""
    if overhead is not None:
        yield from container_resource_errors({"limits": overhead.get("podFixed")}, (), _OVERHEAD)


def _scheduling_errors(scheduling: Mapping[str, Any] | None) -> Iterator[FieldError]:
    if scheduling is None:
        return
    yield from validate_labels(scheduling.get("nodeSelector") or {}, _SCHEDULING / "nodeSelector")
    tolerations, path = scheduling.get("tolerations") or [], _SCHEDULING / "tolerations"
    yield from toleration_errors(tolerations, path)
    seen = set()
    for index, toleration in enumerate(tolerations):
        key = tuple(toleration.get(name) or "" for name in _TOLERATION_KEY)
        if key in seen:
            yield duplicate(path[index], internal_form(toleration, "core.Toleration"))
        seen.add(key)


def _warnings(obj: JSONObject) -> Iterator[str]:
    for key in sorted((obj.get("scheduling") or {}).get("nodeSelector") or {}):
        if message := node_label_message(key):
            yield f"{_SCHEDULING / 'nodeSelector'}: {message}"


def runtime_class_cells(obj: JSONObject) -> list[Any]:
    metadata = obj.get("metadata") or {}
    return [metadata.get("name", ""), obj.get("handler") or "", age(metadata.get("creationTimestamp"))]


RUNTIME_CLASSES = builtin("node.k8s.io/runtimeclasses", strategy=RuntimeClassStrategy(), cells=runtime_class_cells)
