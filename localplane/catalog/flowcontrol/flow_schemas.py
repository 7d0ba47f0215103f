"""FlowSchemas: which request belongs to which priority level.

Kubernetes: pkg/registry/flowcontrol/flowschema and pkg/apis/flowcontrol/validation, ValidateFlowSchema.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, not_supported
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import same
from localplane.apimachinery.times import age
from localplane.catalog.declarations import builtin
from localplane.catalog.internal_form import internal_form
from localplane.catalog.strategy import Asked, BuiltinStrategy
from localplane.catalog.validation.rules import DNS_SUBDOMAIN, All, Each, Fields, Required, Struct

from .mandatory import MANDATORY_FLOW_SCHEMAS
from .rules import POLICY_RULE
from .status import ConditionsStatusStrategy

_PRECEDENCE_DEFAULT, _PRECEDENCE_MAX = 1000, 10000
_METHODS = ("ByNamespace", "ByUser")


def default_flow_schema(obj: JSONObject) -> None:
    spec = obj.setdefault("spec", {})
    if not spec.get("matchingPrecedence"):
        spec["matchingPrecedence"] = _PRECEDENCE_DEFAULT


def _level_of(spec: Mapping[str, Any]) -> str:
    return (spec.get("priorityLevelConfiguration") or {}).get("name") or ""


def _precedence_errors(obj: JSONObject, path: Path) -> Iterator[FieldError]:
    precedence = (obj.get("spec") or {}).get("matchingPrecedence") or 0
    place = path / "spec" / "matchingPrecedence"
    if precedence <= 0:
        yield invalid(place, precedence, "must be a positive value")
    if precedence > _PRECEDENCE_MAX:
        yield invalid(place, precedence, f"must not be greater than {_PRECEDENCE_MAX}")
    if precedence == 1 and obj["metadata"].get("name", "") != "exempt":
        yield invalid(place, precedence, "only the schema named 'exempt' may have matchingPrecedence 1")


def _method_errors(method: JSONObject, path: Path) -> Iterator[FieldError]:
    if method.get("type") not in _METHODS:
        yield not_supported(path / "type", {"Type": method.get("type") or ""}, _METHODS)


def _mandatory_errors(obj: JSONObject, path: Path) -> Iterator[FieldError]:
    name, spec = obj["metadata"].get("name", ""), obj.get("spec") or {}
    fixed = MANDATORY_FLOW_SCHEMAS.get(name)
    if fixed is not None and not same(spec, fixed):
        shown = internal_form(spec, "flowcontrol.FlowSchemaSpec")
        yield invalid(path / "spec", shown, f"spec of '{name}' must equal the fixed value")


_LEVEL = Fields(name=Required(DNS_SUBDOMAIN, detail="must reference a priority level"))
_SPEC = Fields(
    distinguisherMethod=_method_errors,
    priorityLevelConfiguration=Struct(_LEVEL),
    rules=Each(POLICY_RULE),
)


class FlowSchemaStrategy(BuiltinStrategy):
    allow_unconditional_update = True
    rules = All(_precedence_errors, Fields(spec=Struct(_SPEC)), _mandatory_errors)
    on_update = (Asked.OBJECT,)


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
