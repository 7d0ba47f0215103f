"""The rules around a write of a node. Kubernetes: pkg/registry/core/node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from localplane.apimachinery.fieldpath import FieldError
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apiserver.request import Request
from localplane.catalog.strategy import Asked, BuiltinStatusStrategy, BuiltinStrategy
from localplane.catalog.validation.addresses import cidr_warnings

from .changes import node_change_errors
from .validation import POD_CIDRS, node_errors


class NodeStrategy(BuiltinStrategy):
    """A kubelet registers its node with all it knows, so a new one keeps its status."""

    allow_unconditional_update = True
    tracks_generation = False
    resets_status = False
    reset_fields = ("status",)
    on_update = (Asked.OBJECT, Asked.CHANGES)

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        _drop(obj, "spec", "configSource", "podPreemptionPolicy")
        _drop(obj, "status", "config")

    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
        return node_errors(obj)

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return _warnings(obj.get("spec") or {})

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        obj["status"] = copied(old.get("status") or {})
        before = old.get("spec") or {}
        _drop(obj, "spec", *(name for name in ("configSource", "podPreemptionPolicy") if before.get(name) is None))

    def change_errors(self, obj: JSONObject, old: JSONObject) -> Iterator[FieldError]:
        return node_change_errors(obj, old)

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        return _warnings(obj.get("spec") or {})


class NodeStatusStrategy(BuiltinStatusStrategy):
    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        super().prepare_for_update(request, obj, old)
        if (old.get("status") or {}).get("config") is None:
            _drop(obj, "status", "config")

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return list(node_change_errors(obj, old))


def _drop(obj: JSONObject, part: str, *names: str) -> None:
    for name in names:
        (obj.get(part) or {}).pop(name, None)


def _warnings(spec: JSONObject) -> list[str]:
    warnings = []
    if spec.get("configSource") is not None:
        warnings.append("spec.configSource: the feature is removed")
    if spec.get("externalID"):
        warnings.append("spec.externalID: this field is deprecated, and is unused by Kubernetes")
    for index, block in enumerate(spec.get("podCIDRs") or ()):
        warnings += cidr_warnings(block, POD_CIDRS[index])
    return warnings
