"""LimitRanges: how much one pod, container or claim of a namespace may ask for, and what it gets without asking.

Kubernetes: pkg/registry/core/limitrange and pkg/apis/core/validation, ValidateLimitRange.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, forbidden, invalid, required
from localplane.apimachinery.names import qualified_name
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import Quantity, parse
from localplane.apiserver.request import Request
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import Asked, BuiltinStrategy

from .pods.defaults.resources import default_resource_list
from .pods.validation.resources import allows_overcommit, container_resource_name_errors, resource_name_errors

_LIMITS = Path("spec") / "limits"
_TYPES = ("Pod", "Container", "PersistentVolumeClaim")
_PARTS = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")
_NOT_FOR_PODS = "may not be specified when `type` is 'Pod'"
_MILLI_MAX = (2**63 - 1) // 1000


class LimitRangeStrategy(BuiltinStrategy):
    allow_create_on_update = True
    allow_unconditional_update = True
    tracks_generation = False
    on_update = (Asked.OBJECT,)

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        """One that nobody named gets a name that nobody else has."""
        if not obj["metadata"].get("name"):
            obj["metadata"]["name"] = str(uuid.uuid4())

    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
        return _limits_errors((obj.get("spec") or {}).get("limits") or ())


def default_limit_range(obj: JSONObject) -> None:
    for limit in (obj.get("spec") or {}).get("limits") or ():
        if limit.get("type") == "Container":
            _default_container_limit(limit)
        for part in _PARTS:
            default_resource_list(limit.get(part))


def _default_container_limit(limit: JSONObject) -> None:
    """The limit follows from the maximum, and the request from the limit or else from the minimum."""
    limits = dict(limit.get("max") or {}) | (limit.get("default") or {})
    requests = dict(limit.get("min") or {}) | limits | (limit.get("defaultRequest") or {})
    for part, amounts in (("default", limits), ("defaultRequest", requests)):
        if amounts:
            limit[part] = amounts


def _limits_errors(limits: Sequence[JSONObject]) -> Iterator[FieldError]:
    seen = set()
    for index, limit in enumerate(limits):
        place, kind = _LIMITS[index], limit.get("type", "")
        yield from _type_errors(kind, place / "type")
        if kind in seen:
            yield duplicate(place / "type", kind)
        seen.add(kind)
        parts = {part: limit.get(part) or {} for part in _PARTS}
        if kind == "Pod":
            yield from (forbidden(place / part, _NOT_FOR_PODS) for part in ("default", "defaultRequest") if parts[part])
            parts |= {"default": {}, "defaultRequest": {}}
        name_rule = container_resource_name_errors if kind in ("Pod", "Container") else resource_name_errors
        for part in _PARTS:
            for name in sorted(parts[part]):
                yield from name_rule(name, (place / part)[name])
        if kind == "PersistentVolumeClaim" and not {"storage"} & (parts["min"].keys() | parts["max"].keys()):
            detail = "either minimum or maximum storage value is required, but neither was provided"
            yield required(place / "limits", detail)
        for name in sorted({name for part in _PARTS for name in parts[part]}):
            amounts = {part: parse(parts[part][name]) for part in _PARTS if name in parts[part]}
            yield from _order_errors(amounts, name, place)
            yield from _ratio_errors(amounts, name, place)


def _type_errors(kind: str, path: Path) -> list[FieldError]:
    if problems := qualified_name(kind):
        return [invalid(path, kind, problem) for problem in problems]
    if "/" in kind or kind in _TYPES:
        return []
    return [invalid(path, kind, "must be a standard limit type or fully qualified")]


# Which amount must not be above which, where it is told, what is shown there, and how both are called.
_ORDER = (
    ("min", "max", "min", "min", "min", "max"),
    ("min", "defaultRequest", "defaultRequest", "defaultRequest", "min", "default request"),
    ("defaultRequest", "max", "defaultRequest", "defaultRequest", "default request", "max"),
    ("defaultRequest", "default", "defaultRequest", "defaultRequest", "default request", "default limit"),
    ("min", "default", "default", "min", "min", "default"),
    ("default", "max", "default", "max", "default", "max"),
)


def _order_errors(amounts: Mapping[str, Quantity], name: str, path: Path) -> Iterator[FieldError]:
    """What is asked for by default lies between the minimum and the maximum."""
    for small, large, told_at, shown, small_name, large_name in _ORDER:
        low, high = amounts.get(small), amounts.get(large)
        if low is not None and high is not None and low > high:
            detail = f"{small_name} value {low} is greater than {large_name} value {high}"
            yield invalid((path / told_at)[name], str(amounts[shown]), detail)
    default, request = amounts.get("default"), amounts.get("defaultRequest")
    if default is not None and request is not None and default != request and not allows_overcommit(name):
        detail = f"default value {default} must equal to defaultRequest value {request} in {name}"
        yield invalid((path / "defaultRequest")[name], str(request), detail)


def _ratio_errors(amounts: Mapping[str, Quantity], name: str, path: Path) -> Iterator[FieldError]:
    """A limit may be so many times the request, which can't be more than the maximum is of the minimum."""
    ratio, least, most = (amounts.get(part) for part in ("maxLimitRequestRatio", "min", "max"))
    if ratio is None:
        return
    place = (path / "maxLimitRequestRatio")[name]
    if ratio < Quantity(1):
        yield invalid(place, str(ratio), f"ratio {ratio} is less than 1")
    if least is None or most is None:
        return
    if all(each.value() < _MILLI_MAX for each in (ratio, least, most)):
        wanted, low, high = ratio.milli_value() / 1000, least.milli_value(), most.milli_value()
    else:
        wanted, low, high = float(ratio.value()), least.value(), most.value()
    if low and wanted > high / low:
        yield invalid(place, str(ratio), f"ratio {ratio} is greater than max/min = {high / low:f}")


LIMIT_RANGES = builtin("limitranges", strategy=LimitRangeStrategy(), default=default_limit_range)
