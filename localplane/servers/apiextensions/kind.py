"""The kind of definitions itself. Kubernetes: pkg/registry/customresourcedefinition, pkg/apis/apiextensions/v1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.strategy import StatusStrategy, Strategy
from localplane.apiserver.request import Request
from localplane.apiserver.resource import APIGroup
from localplane.catalog.declaring import builtin, group

from .conditions import is_true
from .rules import RuleCompiler
from .store import DefinitionStore, Written
from .validation.definition import definition_errors, definition_update_errors, status_update_errors
from .warnings import schema_warnings


class DefinitionStrategy(Strategy):
    """The status is the server's, but for the versions that objects are stored in: a new one joins at once."""

    validates_schema = False

    def __init__(self, rules: RuleCompiler) -> None:
        self._rules = rules

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        obj["status"] = {}
        _note_stored_version(obj)

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        _note_stored_version(obj)

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return definition_errors(obj, self._rules)

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return definition_update_errors(obj, old, self._rules)

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return schema_warnings(obj)

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        known = set(schema_warnings(old))
        return [warning for warning in schema_warnings(obj) if warning not in known]


class DefinitionStatusStrategy(StatusStrategy):
    reset_fields = ("spec",)

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return status_update_errors(obj, old)


def _note_stored_version(obj: JSONObject) -> None:
    for version in (obj.get("spec") or {}).get("versions") or ():
        if version.get("storage"):
            status = obj.setdefault("status", {})
            stored = status.get("storedVersions") or []
            if (name := version.get("name", "")) not in stored:
                status["storedVersions"] = [*stored, name]
            return


def default_definition(obj: JSONObject) -> None:
    spec = obj.setdefault("spec", {})
    names = spec.setdefault("names", {})
    kind = names.get("kind", "")
    if kind:
        names.setdefault("singular", kind.lower())
        names.setdefault("listKind", f"{kind}List")
    conversion = spec.setdefault("conversion", {"strategy": "None"})
    service = ((conversion.get("webhook") or {}).get("clientConfig") or {}).get("service")
    if service is not None:
        service.setdefault("port", 443)
    if not (obj.get("status") or {}).get("storedVersions"):
        _note_stored_version(obj)


def _cells(obj: JSONObject) -> list[Any]:
    metadata, spec = obj["metadata"], obj.get("spec") or {}
    names = spec.get("names") or {}
    versions = [
        f"{each['name']}(storage)" if each.get("storage") else each["name"]
        for each in spec.get("versions") or ()
        if each.get("served")
    ]
    return [
        metadata["name"],
        spec.get("scope", ""),
        ",".join(sorted(versions)),
        metadata.get("creationTimestamp"),
        spec.get("group", ""),
        names.get("kind", ""),
        ",".join(names.get("shortNames") or ()),
        is_true(obj, "Established"),
    ]


def make_group(written: Written, rules: RuleCompiler) -> APIGroup:
    """The group apiextensions.k8s.io. `written` is told of every definition after it was written."""
    strategy = DefinitionStrategy(rules)

    def storage(definition: Definition) -> DefinitionStore:
        return DefinitionStore(definition, written)

    definitions = builtin(
        "apiextensions.k8s.io/customresourcedefinitions",
        strategy=strategy,
        status_strategy=DefinitionStatusStrategy(strategy, changes_metadata=True),
        default=default_definition,
        cells=_cells,
        printed=False,
        storage=storage,
    )
    return group("apiextensions.k8s.io", definitions)
