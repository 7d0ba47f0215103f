"""FlowSchemas: which request belongs to which priority level.

Kubernetes: pkg/registry/flowcontrol/flowschema and pkg/apis/flowcontrol/validation, ValidateFlowSchema.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, invalid, not_supported, required
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import same
from localplane.apimachinery.times import age
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request
from localplane.catalog.declaring import builtin
from localplane.catalog.internal_form import internal_form
from localplane.catalog.validation.metadata import metadata_errors

from .mandatory import MANDATORY_FLOW_SCHEMAS
from .rules import rule_errors
from .status import ConditionsStatusStrategy

_SPEC = Path("spec")
_PRECEDENCE_DEFAULT, _PRECEDENCE_MAX = 1000, 10000
_METHODS = ("ByNamespace", "ByUser")


class FlowSchemaStrategy(Strategy):
    allow_unconditional_update = True
    validates_schema = False

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        name, spec = obj["metadata"].get("name", ""), obj.get("spec") or {}
        return collected(
            metadata_errors(obj, namespaced=False, name=dns1123_subdomain),
            _spec_errors(name, spec),
            _mandatory_errors(name, spec),
        )

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return self.validate(request, obj)


def _spec_errors(name: str, spec: Mapping[str, Any]) -> Iterator[FieldError]:
    yield from _precedence_errors(name, spec.get("matchingPrecedence") or 0, _SPEC / "matchingPrecedence")
    method = spec.get("distinguisherMethod")
    if method is not None and method.get("type") not in _METHODS:
        yield not_supported(_SPEC / "distinguisherMethod" / "type", {"Type": method.get("type") or ""}, _METHODS)
    level, place = _level_of(spec), _SPEC / "priorityLevelConfiguration"
    if not level:
        yield required(place / "name", "must reference a priority level")
    else:
        yield from (invalid(place / "name", level, problem) for problem in dns1123_subdomain(level))
    for index, rule in enumerate(spec.get("rules") or ()):
        yield from rule_errors(rule, (_SPEC / "rules")[index])


def _level_of(spec: Mapping[str, Any]) -> str:
    return (spec.get("priorityLevelConfiguration") or {}).get("name") or ""


def _precedence_errors(name: str, precedence: int, path: Path) -> Iterator[FieldError]:
    if precedence <= 0:
        yield invalid(path, precedence, "must be a positive value")
    if precedence > _PRECEDENCE_MAX:
        yield invalid(path, precedence, f"must not be greater than {_PRECEDENCE_MAX}")
    if precedence == 1 and name != "exempt":
        yield invalid(path, precedence, "only the schema named 'exempt' may have matchingPrecedence 1")


def _mandatory_errors(name: str, spec: Mapping[str, Any]) -> Iterator[FieldError]:
    fixed = MANDATORY_FLOW_SCHEMAS.get(name)
    if fixed is not None and not same(spec, fixed):
        shown = internal_form(spec, "flowcontrol.FlowSchemaSpec")
        yield invalid(_SPEC, shown, f"spec of '{name}' must equal the fixed value")


def default_flow_schema(obj: JSONObject) -> None:
    spec = obj.setdefault("spec", {})
    if not spec.get("matchingPrecedence"):
        spec["matchingPrecedence"] = _PRECEDENCE_DEFAULT


def flow_schema_cells(obj: JSONObject) -> list[Any]:
    metadata, spec = obj.get("metadata") or {}, obj.get("spec") or {}
    method = spec.get("distinguisherMethod")
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return [
        metadata.get("name", ""),
        _level_of(spec),
        spec.get("matchingPrecedence") or 0,
        "<none>" if method is None else method.get("type") or "",
        age(metadata.get("creationTimestamp")),
        next((each.get("status", "") for each in conditions if each.get("type") == "Dangling"), "?"),
    ]


FLOW_SCHEMAS = builtin(
    "flowcontrol.apiserver.k8s.io/flowschemas",
    strategy=FlowSchemaStrategy(),
    status_strategy=ConditionsStatusStrategy,
    default=default_flow_schema,
    cells=flow_schema_cells,
)
