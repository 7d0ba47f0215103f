"""ResourceQuotas: how much the objects of a namespace may use together.

Kubernetes: pkg/registry/core/resourcequota and pkg/apis/core/validation, ValidateResourceQuota.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, required
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import parse
from localplane.apimachinery.times import age
from localplane.apiserver.request import Request
from localplane.catalog.declarations import builtin
from localplane.catalog.internal_form import internal_form
from localplane.catalog.strategy import BuiltinStatusStrategy, BuiltinStrategy
from localplane.catalog.validation.metadata import IMMUTABLE
from localplane.catalog.validation.rules import Fields

from .pods.defaults.resources import default_resource_list
from .pods.validation.resources import resource_name_errors, resource_value_errors

_SPEC = Path("spec")
_SCOPES = _SPEC / "scopes"
_EXPRESSIONS = _SPEC / "scopeSelector" / "matchExpressions"

_COMPUTE = frozenset(f"{part}{name}" for part in ("", "limits.", "requests.") for name in ("cpu", "memory"))
_OF_PODS = _COMPUTE | {"pods"}
# What can be counted in a scope; elsewhere it makes no sense.
_COUNTED_IN = {
    "Terminating": _OF_PODS,
    "NotTerminating": _OF_PODS,
    "BestEffort": frozenset({"pods"}),
    "NotBestEffort": _OF_PODS,
    "PriorityClass": _OF_PODS,
    "CrossNamespacePodAffinity": _OF_PODS,
    "VolumeAttributesClass": frozenset({"persistentvolumeclaims", "requests.storage"}),
}
_HAVE_VALUES = ("PriorityClass", "VolumeAttributesClass")
_OPPOSITES = (("BestEffort", "NotBestEffort"), ("Terminating", "NotTerminating"))
_MUST_EXIST = (
    "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, "
    "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
)


class ResourceQuotaStrategy(BuiltinStrategy):
    allow_unconditional_update = True
    tracks_generation = False

    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
        return _spec_errors(obj.get("spec") or {})

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return list(_warnings((obj.get("spec") or {}).get("hard") or {}))

    def change_errors(self, obj: JSONObject, old: JSONObject) -> Iterator[FieldError]:
        spec, before = obj.get("spec") or {}, old.get("spec") or {}
        if set(spec.get("scopes") or ()) != set(before.get("scopes") or ()):
            yield invalid(_SCOPES, spec.get("scopes"), IMMUTABLE)


def default_resource_quota(obj: JSONObject) -> None:
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    for amounts in (spec.get("hard"), status.get("hard"), status.get("used")):
        default_resource_list(amounts)


def _amounts_errors(amounts: Mapping[str, str], path: Path) -> Iterator[FieldError]:
    for name, amount in sorted(amounts.items()):
        yield from _name_errors(name, path[name])
        yield from resource_value_errors(name, parse(amount), path[name])


class ResourceQuotaStatusStrategy(BuiltinStatusStrategy):
    rules = Fields(hard=_amounts_errors, used=_amounts_errors)


def _name_errors(name: str, path: Path) -> Iterator[FieldError]:
    """Kubernetes: ValidateResourceQuotaResourceName."""
    yield from resource_name_errors(name, path)
    if "/" not in name and not _is_standard(name):
        yield invalid(path, name, "must be a standard resource for quota")


def _is_standard(name: str) -> bool:
    """Whether Kubernetes' own quotas count it: everything that has a plain name, but storage that is not asked for."""
    return "/" not in name and name != "storage" and not resource_name_errors(name, _SPEC)


def _spec_errors(spec: JSONObject) -> Iterator[FieldError]:
    hard = spec.get("hard") or {}
    yield from _amounts_errors(hard, _SPEC / "hard")
    names = [name for name in sorted(hard) if _is_standard(name)]
    yield from _scopes_errors(spec.get("scopes") or [], names)
    if (selector := spec.get("scopeSelector")) is not None:
        yield from _selector_errors(selector, spec.get("scopes"), names)


def _scopes_errors(scopes: list[str], names: Sequence[str]) -> Iterator[FieldError]:
    for scope in scopes:
        if scope not in _COUNTED_IN:
            yield invalid(_SCOPES, scopes, "unsupported scope")
        yield from (invalid(_SCOPES, scopes, "unsupported scope applied to resource") for _ in _uncounted(scope, names))
    yield from _conflict_errors(scopes, scopes, _SCOPES)


def _uncounted(scope: str, names: Sequence[str]) -> list[str]:
    return [name for name in names if scope in _COUNTED_IN and name not in _COUNTED_IN[scope]]


def _conflict_errors(scopes: Sequence[str], shown: list[str] | None, path: Path) -> Iterator[FieldError]:
    for pair in _OPPOSITES:
        if set(pair) <= set(scopes):
            yield invalid(path, shown, "conflicting scopes")


def _selector_errors(selector: JSONObject, scopes: list[str] | None, names: Sequence[str]) -> Iterator[FieldError]:
    expressions = selector.get("matchExpressions") or ()
    shown = internal_form(selector, "core.ScopeSelector")
    for expression in expressions:
        scope, operator = expression.get("scopeName", ""), expression.get("operator", "")
        if scope not in _COUNTED_IN:
            yield invalid(_EXPRESSIONS / "scopeName", scope, "unsupported scope")
        for _ in _uncounted(scope, names):
            yield invalid(_EXPRESSIONS, shown, "unsupported scope applied to resource")
        if scope in _COUNTED_IN and scope not in _HAVE_VALUES and operator != "Exists":
            yield invalid(_EXPRESSIONS / "operator", operator, _MUST_EXIST)
        yield from _values_errors(operator, expression.get("values") or [])
    yield from _conflict_errors([each.get("scopeName", "") for each in expressions], scopes, _EXPRESSIONS)


def _values_errors(operator: str, values: list[str]) -> Iterator[FieldError]:
    match operator:
        case "In" | "NotIn":
            if not values:
                detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
                yield required(_EXPRESSIONS / "values", detail)
        case "Exists" | "DoesNotExist":
            if values:
                detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
                yield invalid(_EXPRESSIONS / "values", values, detail)
        case _:
            yield invalid(_EXPRESSIONS / "operator", operator, "not a valid selector operator")


def _warnings(hard: Mapping[str, str]) -> Iterator[str]:
    """Requests above limits can never be used up."""
    for name in ("cpu", "memory", "storage", "ephemeral-storage"):
        request, limit = f"requests.{name}", f"limits.{name}"
        if request not in hard and name in ("cpu", "memory"):
            request = name
        if request in hard and limit in hard and parse(hard[request]) > parse(hard[limit]):
            yield f"ResourceQuota {request} ({hard[request]}) should be less than {limit} ({hard[limit]})"


def resource_quota_cells(obj: JSONObject) -> list[Any]:
    metadata, status = obj.get("metadata") or {}, obj.get("status") or {}
    hard, used = status.get("hard") or {}, status.get("used") or {}
    columns: dict[bool, list[str]] = {False: [], True: []}
    for name in sorted(hard):
        columns[name.startswith("limits.")].append(f"{name}: {used.get(name, '0')}/{hard[name]}")
    return [
        metadata.get("name", ""),
        ", ".join(columns[False]),
        ", ".join(columns[True]),
        age(metadata.get("creationTimestamp")),
    ]


RESOURCE_QUOTAS = builtin(
    "resourcequotas",
    strategy=ResourceQuotaStrategy(),
    status_strategy=ResourceQuotaStatusStrategy,
    default=default_resource_quota,
    cells=resource_quota_cells,
)
