"""DeviceTaintRules: taints for devices that others publish.

Kubernetes: pkg/registry/resource/devicetaintrule and pkg/apis/resource/validation, ValidateDeviceTaintRule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, too_many
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age, now
from localplane.apiserver.registry.strategy import StatusStrategy, Strategy
from localplane.apiserver.request import Request
from localplane.catalog.declaring import builtin
from localplane.catalog.validation.conditions import CONDITIONS
from localplane.catalog.validation.metadata import metadata_errors, metadata_update_errors

from .names import driver_errors, label_errors, pool_errors
from .taints import default_taint, taint_errors

_SPEC, _CONDITIONS = Path("spec"), Path("status") / "conditions"
_CONDITIONS_MAX = 8
_SELECTED = {"driver": driver_errors, "pool": pool_errors, "device": label_errors}


class DeviceTaintRuleStrategy(Strategy):
    validates_schema = False

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return collected(
            metadata_errors(obj, namespaced=False, name=dns1123_subdomain), _spec_errors(obj.get("spec") or {})
        )

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        """The time tells since when the effect is what it is."""
        taint, before = _taint_of(obj), _taint_of(old)
        if taint.get("effect") != before.get("effect") and taint.get("timeAdded") == before.get("timeAdded"):
            taint["timeAdded"] = now()

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        errors = _spec_errors(obj.get("spec") or {}, old_effect=_taint_of(old).get("effect") or "")
        return collected(metadata_update_errors(obj, old), errors)


class DeviceTaintRuleStatusStrategy(StatusStrategy):
    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        conditions = (obj.get("status") or {}).get("conditions") or ()
        errors = collected(metadata_update_errors(obj, old), CONDITIONS(conditions, _CONDITIONS))
        if len(conditions) > _CONDITIONS_MAX:
            errors.append(too_many(_CONDITIONS, len(conditions), _CONDITIONS_MAX))
        return errors


def _taint_of(obj: JSONObject) -> JSONObject:
    taint: JSONObject = (obj.get("spec") or {}).get("taint") or {}
    return taint


def _spec_errors(spec: Mapping[str, Any], *, old_effect: str | None = None) -> Iterator[FieldError]:
    selector = spec.get("deviceSelector") or {}
    for field, rule in _SELECTED.items():
        if selector.get(field) is not None:
            yield from rule(selector[field], _SPEC / "deviceSelector" / field)
    yield from taint_errors(spec.get("taint") or {}, _SPEC / "taint", old_effect=old_effect)


def default_device_taint_rule(obj: JSONObject) -> None:
    default_taint(obj.setdefault("spec", {}).setdefault("taint", {}))


def device_taint_rule_cells(obj: JSONObject) -> list[Any]:
    metadata, taint = obj.get("metadata") or {}, _taint_of(obj)
    added = taint.get("timeAdded")
    return [
        metadata.get("name", ""),
        *(taint.get(name) or "" for name in ("key", "value", "effect")),
        age(added) if added else "",
        age(metadata.get("creationTimestamp")),
    ]


DEVICE_TAINT_RULES = builtin(
    "resource.k8s.io/devicetaintrules",
    strategy=DeviceTaintRuleStrategy(),
    status_strategy=DeviceTaintRuleStatusStrategy,
    default=default_device_taint_rule,
    cells=device_taint_rule_cells,
)
