"""From a definition to what the library serves: one resource for each version, all on the same objects.

Every version has rules, columns and subresources of its own, and is the hub of its own requests: objects that come in
through it are judged by it alone, whatever version they are stored in.
Kubernetes: pkg/apiserver/customresource_handler.go, getOrCreateServingInfoFor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from localplane.apimachinery.golang.text import go_plain
from localplane.apimachinery.groups import by_priority
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema import DecodeError, Schema
from localplane.apiserver.dialects import CUSTOM_KINDS
from localplane.apiserver.registry.selectable import Select, SelectableField, selectable_fields
from localplane.apiserver.resource import Resource, Subresource, Version
from localplane.apiserver.storage.interface import Storage

from .conversion.storage import ConvertingStorage, Form
from .conversion.webhook import WebhookConverter
from .internal import schema_of
from .names import accepted_names
from .objects.columns import columns_of
from .objects.nested import elements
from .objects.scale import replicas_path, scale_subresource
from .objects.store import CustomStore, OpenWatches, TerminatingStore
from .objects.strategy import CustomStatusStrategy, CustomStrategy
from .rules import RuleCompiler
from .status import is_true

if TYPE_CHECKING:
    from localplane.apimachinery.cel.rules.rules import CompiledRules

Reread = Callable[[], JSONObject]
"""The definition, read anew: it is large, and most of it is rarely needed."""

MakeConverter = Callable[[Mapping[str, Any]], WebhookConverter]
"""From what a definition says of its webhook."""

_VERBS: Final = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")
_TERMINATING_VERBS: Final = ("delete", "deletecollection", "get", "list", "watch")


@dataclass(frozen=True)
class _SchemaSource:
    """The schema of one version, made when it is first needed."""

    reread: Reread
    version: str
    compiler: RuleCompiler

    def read(self) -> JSONObject | None:
        spec = self.reread()["spec"]
        version = next(each for each in spec["versions"] if each["name"] == self.version)
        schema = schema_of(version)
        if schema is not None and spec.get("preserveUnknownFields"):
            return {**schema, "x-kubernetes-preserve-unknown-fields": True}
        return schema

    @cached_property
    def schema(self) -> Schema:
        return Schema.of(self.read())

    @cached_property
    def rules(self) -> CompiledRules | None:
        schema = self.read()
        return self.compiler.rules(schema) if schema is not None else None


@dataclass(frozen=True, slots=True)
class ResourceContext:
    """What a custom resource needs beside its definition. `watches` are those of its objects."""

    reread: Reread
    make_converter: MakeConverter
    compiler: RuleCompiler
    watches: OpenWatches


def resources_of(obj: JSONObject, around: ResourceContext) -> list[Resource]:
    """The resource of each version that is served or stored; the stored one is the last."""
    spec = obj["spec"]
    conversion = spec.get("conversion") or {}
    converter = around.make_converter(conversion["webhook"]) if conversion.get("strategy") == "Webhook" else None
    sources = {each["name"]: _SchemaSource(around.reread, each["name"], around.compiler) for each in spec["versions"]}
    versions = [_version(obj, each, sources[each["name"]]) for each in spec["versions"]]
    wanted = [each for each in spec["versions"] if each.get("served") or each.get("storage")]
    wanted.sort(key=lambda each: bool(each.get("storage")))
    found = [_resource(obj, each, versions, sources[each["name"]], around.watches) for each in wanted]
    if converter is None or len(versions) == 1:
        return found
    return [_converting(each, spec["group"], converter) for each in found]


def is_served(obj: JSONObject) -> bool:
    """Whether a definition has come so far that its objects can be asked for."""
    names = accepted_names(obj)
    return (is_true(obj, "NamesAccepted") or is_true(obj, "Established")) and all(
        names.get(key) for key in ("plural", "singular", "kind", "listKind")
    )


def is_terminating(obj: JSONObject) -> bool:
    return bool(obj["metadata"].get("deletionTimestamp")) or is_true(obj, "Terminating")


def _version(obj: JSONObject, declared: Mapping[str, Any], source: _SchemaSource) -> Version:
    metadata = obj["metadata"]
    return Version(
        declared["name"],
        make_schema=lambda: source.schema,
        served=bool(declared.get("served")),
        deprecated=bool(declared.get("deprecated")),
        deprecation_warning=_deprecation(obj["spec"], declared) if declared.get("deprecated") else "",
        columns=columns_of(declared.get("additionalPrinterColumns") or ()),
        printed=True,
        schema_identity=f"{metadata.get('uid', '')}/{metadata.get('generation', 0)}",
    )


def _deprecation(spec: JSONObject, declared: Mapping[str, Any]) -> str:
    """With the best version that is not deprecated, if it is better. Kubernetes: defaultDeprecationWarning."""
    if "deprecationWarning" in declared:
        return str(declared["deprecationWarning"])
    group, kind, name = spec["group"], spec["names"]["kind"], declared["name"]
    message = f"{group}/{name} {kind} is deprecated"
    others = [each["name"] for each in spec["versions"] if each.get("served") and not each.get("deprecated")]
    best = by_priority([name, *others])[0]
    return f"{message}; use {group}/{best} {kind}" if best != name else message


def _resource(
    obj: JSONObject,
    declared: Mapping[str, Any],
    versions: list[Version],
    source: _SchemaSource,
    watches: OpenWatches,
) -> Resource:
    spec, names, hub = obj["spec"], accepted_names(obj), declared["name"]
    subresources, terminating = declared.get("subresources") or {}, is_terminating(obj)
    namespaced = spec.get("scope") == "Namespaced"

    def schema() -> Schema:
        return source.schema

    strategy = CustomStrategy(schema, lambda: source.rules, namespaced=namespaced, scale=subresources.get("scale"))
    stored = next(each["name"] for each in spec["versions"] if each.get("storage"))
    make_store = TerminatingStore if terminating else CustomStore
    return Resource(
        names["plural"],
        kind=names["kind"],
        versions=[each if each.name == hub else replace(each, served=False) for each in versions],
        singular=names["singular"],
        list_kind=names["listKind"],
        short_names=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        namespaced=namespaced,
        strategy=strategy,
        has_status="status" in subresources,
        status_strategy=CustomStatusStrategy(strategy),
        subresources=_scale(spec, subresources),
        storage=lambda definition: make_store(definition, watches),
        storage_version=stored,
        selectable_fields=declared_fields(declared.get("selectableFields") or (), schema),
        dialect=CUSTOM_KINDS,
        hub=hub,
        verbs=_TERMINATING_VERBS if terminating else _VERBS,
    )


def _converting(resource: Resource, group: str, converter: WebhookConverter) -> Resource:
    """The same with a webhook between its versions."""
    hub, stored = f"{group}/{resource.hub}", f"{group}/{resource.storage_version}"
    forms = {f"{group}/{version.name}": _form(f"{group}/{version.name}", version) for version in resource.versions}

    def through(inner: Storage) -> Storage:
        return ConvertingStorage(inner, converter, forms, shown=hub, stored=stored)

    versions = [
        version
        if version.name == resource.hub
        else replace(
            version,
            to_hub=lambda obj: converter.converted(obj, hub),
            from_hub=lambda obj, name=version.name: converter.converted(obj, f"{group}/{name}"),  # type: ignore[misc]
        )
        for version in resource.versions
    ]
    return replace(resource, versions=versions, through=through)


def _form(api_version: str, version: Version) -> Form:
    def prune(obj: JSONObject) -> None:
        with suppress(DecodeError):  # metadata that nobody could have written through us: better shown than hidden
            version.compiled.prune(obj)

    def read(obj: JSONObject) -> None:
        prune(obj)
        version.compiled.default(obj)

    return Form(api_version, read, prune)


def _scale(spec: JSONObject, subresources: Mapping[str, Any]) -> dict[str, Subresource]:
    if "scale" not in subresources:
        return {}
    paths = {f"{spec['group']}/{each['name']}": replicas_path(each.get("subresources")) for each in spec["versions"]}
    return {"scale": scale_subresource(subresources["scale"], paths)}


def declared_fields(declared: Sequence[Mapping[str, str]], schema: Callable[[], Schema]) -> dict[str, SelectableField]:
    """By their names, which are paths without the first dot. A default that came after the object counts as well."""
    selects = {each["jsonPath"].removeprefix("."): _at(each["jsonPath"]) for each in declared}
    return selectable_fields(selects, prepare=lambda obj: schema().default(obj))


def _at(path: str) -> Select:
    names = elements(path)

    def select(obj: JSONObject) -> str:
        value: Any = obj
        for name in names:
            value = value.get(name) if isinstance(value, dict) else None
        if value is None or isinstance(value, (dict, list)):
            return ""
        return go_plain(value)

    return select
