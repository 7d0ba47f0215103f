"""DeviceTaintRules: taints for devices that others publish.

Kubernetes: pkg/registry/resource/devicetaintrule and pkg/apis/resource/validation, ValidateDeviceTaintRule.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age, now
from localplane.apiserver.request import Request
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import BuiltinStatusStrategy, BuiltinStrategy
from localplane.catalog.validation.conditions import CONDITIONS
from localplane.catalog.validation.rules import DNS_LABEL, All, AtMost, Fields

from .names import driver_errors, pool_errors
from .taints import default_taint, taint_errors

_TAINT = Path("spec") / "taint"
_SELECTOR = Fields(driver=driver_errors, pool=pool_errors, device=DNS_LABEL)


def default_device_taint_rule(obj: JSONObject) -> None:
    default_taint(obj.setdefault("spec", {}).setdefault("taint", {}))


class DeviceTaintRuleStrategy(BuiltinStrategy):
    rules = Fields(spec=Fields(deviceSelector=_SELECTOR))

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        """The time tells since when the effect is what it is."""
        taint, before = _taint_of(obj), _taint_of(old)
        if taint.get("effect") != before.get("effect") and taint.get("timeAdded") == before.get("timeAdded"):
            taint["timeAdded"] = now()

    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
        yield from super().errors(obj, old)
        old_effect = None if old is None else _taint_of(old).get("effect") or ""
        yield from taint_errors(_taint_of(obj), _TAINT, old_effect=old_effect)


class DeviceTaintRuleStatusStrategy(BuiltinStatusStrategy):
    changes_metadata = False
    rules = Fields(conditions=All(CONDITIONS, AtMost(8)))


def _taint_of(obj: JSONObject) -> JSONObject:
    taint: JSONObject = (obj.get("spec") or {}).get("taint") or {}
    return taint


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
