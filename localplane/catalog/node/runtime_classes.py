"""RuntimeClasses: which container runtime a pod runs in, what that costs, and where it is found.

Kubernetes: pkg/registry/node/runtimeclass, pkg/apis/node/validation and pkg/api/node, GetWarningsForRuntimeClass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate
from localplane.apimachinery.objectmeta import validate_labels, validate_object_meta
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.request import Request
from localplane.catalog.core.pods.validation.resources import container_resource_errors
from localplane.catalog.core.pods.validation.scheduling import toleration_errors
from localplane.catalog.core.pods.warnings.placement import node_label_message
from localplane.catalog.declarations import builtin
from localplane.catalog.internal_form import internal_form
from localplane.catalog.strategy import Asked, BuiltinStrategy
from localplane.catalog.validation.declared import short_name_errors, unshown
from localplane.catalog.validation.rules import Declared, Fields, Immutable, Optional, Required

_TOLERATION_KEY = ("key", "operator", "value", "effect")


def _overhead_errors(overhead: JSONObject, path: Path) -> Iterator[FieldError]:
    """What a pod costs on top is checked as the limits of a container would be."""
    yield from container_resource_errors({"limits": overhead.get("podFixed")}, (), path)


def _repeated_tolerations(tolerations: Sequence[JSONObject], path: Path) -> Iterator[FieldError]:
    seen = set()
    for index, toleration in enumerate(tolerations):
        key = tuple(toleration.get(name) or "" for name in _TOLERATION_KEY)
        if key in seen:
            yield duplicate(path[index], internal_form(toleration, "core.Toleration"))
        seen.add(key)


class RuntimeClassStrategy(BuiltinStrategy):
    allow_create_on_update = True
    tracks_generation = False
    rules = Fields(
        handler=Required(Declared(short_name_errors), declared=True),
        overhead=_overhead_errors,
        scheduling=Fields(
            nodeSelector=Optional(validate_labels),
            tolerations=Optional(toleration_errors, _repeated_tolerations),
        ),
    )
    changes = Immutable("handler", absent="", shown=unshown)
    on_update = (Asked.OBJECT, Asked.CHANGES)

    def metadata_errors(self, obj: JSONObject) -> list[FieldError]:
        """Finalizers are not looked at."""
        return validate_object_meta(obj["metadata"], namespaced=False, validate_name=self.valid_name)

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return list(_warnings(obj))

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        return list(_warnings(obj))


def _warnings(obj: JSONObject) -> Iterator[str]:
    for key in sorted((obj.get("scheduling") or {}).get("nodeSelector") or {}):
        if message := node_label_message(key):
            yield f"scheduling.nodeSelector: {message}"


def runtime_class_cells(obj: JSONObject) -> list[Any]:
    metadata = obj.get("metadata") or {}
    return [metadata.get("name", ""), obj.get("handler") or "", age(metadata.get("creationTimestamp"))]


RUNTIME_CLASSES = builtin("node.k8s.io/runtimeclasses", strategy=RuntimeClassStrategy(), cells=runtime_class_cells)
