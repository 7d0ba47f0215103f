"""The kind of definitions itself. Kubernetes: pkg/registry/customresourcedefinition, pkg/apis/apiextensions/v1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema.validation.formats import effective_format
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.strategy import StatusStrategy, Strategy
from localplane.apiserver.request import Request
from localplane.apiserver.resource import APIGroup
from localplane.catalog.declarations import builtin, group

from .internal import InternalSpec, internal_spec, schema_of
from .rules import RuleCompiler
from .schemas import walk
from .status import is_true
from .store import DefinitionStore, Written
from .validation.definition import definition_errors, definition_update_errors, status_update_errors


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


_NOT_SUPPORTED = "is not supported by server-side apply or CEL validation rules"


def schema_warnings(obj: Mapping[str, Any]) -> list[str]:
    """Formats that nobody checks, and sets of things that can't be told apart."""
    formats, sets = list[str](), set[str]()
    for schema in _schemas(internal_spec(obj.get("spec") or {})):
        for each in walk(schema):
            format_ = each.get("format", "")
            if format_ and not effective_format(each.get("type", ""), format_):
                formats.append(f"unrecognized format {go_quote(format_)}")
            items = each.get("items")
            if each.get("x-kubernetes-list-type") == "set" and isinstance(items, dict):
                type_ = items.get("type")
                if type_ in ("object", "array"):
                    sets.add(f"x-kubernetes-list-type: set for items of type {go_quote(type_)} {_NOT_SUPPORTED}")
    return [*formats, *sorted(sets)]


def _schemas(internal: InternalSpec) -> list[Mapping[str, Any]]:
    found = (schema_of(holder) for holder in (internal.shared, *internal.versions))
    return [schema for schema in found if schema is not None]
