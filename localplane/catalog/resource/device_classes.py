"""DeviceClasses: kinds of devices that claims may ask for by name.

Kubernetes: pkg/registry/resource/deviceclass and pkg/apis/resource/validation, ValidateDeviceClass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import same
from localplane.apimachinery.times import age
from localplane.apiserver.request import Request
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import BuiltinStrategy
from localplane.catalog.validation.rules import Fields

from .device_selectors import (
    CONFIGURATIONS_MAX,
    SELECTORS_MAX,
    configuration_errors,
    selector_errors,
    stored_selector_errors,
)
from .lists import slice_errors
from .names import extended_resource_errors

_SPEC = Path("spec")
_EXTENDED_RESOURCE = Fields(extendedResourceName=extended_resource_errors)


class DeviceClassStrategy(BuiltinStrategy):
    allow_unconditional_update = True

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(self.metadata_errors(obj), super().validate_update(request, obj, old))

    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
        return _spec_errors(obj.get("spec") or {}, None if old is None else old.get("spec") or {})


def _spec_errors(spec: Mapping[str, Any], old: Mapping[str, Any] | None) -> Iterator[FieldError]:
    is_stored = {name: old is not None and same(spec.get(name), old.get(name)) for name in ("selectors", "config")}
    rule = stored_selector_errors if is_stored["selectors"] else selector_errors
    yield from slice_errors(spec.get("selectors") or (), SELECTORS_MAX, rule, _SPEC / "selectors")
    configuration_rule = partial(configuration_errors, is_stored=is_stored["config"])
    yield from slice_errors(spec.get("config") or (), CONFIGURATIONS_MAX, configuration_rule, _SPEC / "config")
    yield from _EXTENDED_RESOURCE(spec, _SPEC)


def name_and_age_cells(obj: JSONObject) -> list[Any]:
    metadata = obj.get("metadata") or {}
    return [metadata.get("name", ""), age(metadata.get("creationTimestamp"))]


DEVICE_CLASSES = builtin("resource.k8s.io/deviceclasses", strategy=DeviceClassStrategy(), cells=name_and_age_cells)
