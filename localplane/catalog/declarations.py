"""From the table of resources and a kind's own behaviour to what the library serves.

data/resources.json has one line for each resource: its kind, its versions, which type each of them is, its columns and
selectable fields, its place in storage, its subresources. A kind's file says only what no table can.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

import orjson

from localplane.apimachinery.groups import GroupVersion
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.selectable import Select, SelectableField, selectable_fields
from localplane.apiserver.registry.store import Store
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.resource import APIGroup, Column, MakeStorage, Resource, Subresource, Version

from . import schemas
from .strategy import BuiltinStrategy

Default = Callable[[JSONObject], None]
Convert = Callable[[JSONObject], JSONObject]
Cells = Callable[[JSONObject], list[Any]]

T = TypeVar("T")

_PARAMETER_TYPES = dict.fromkeys(
    ("follow", "insecureSkipTLSVerifyBackend", "previous", "stderr", "stdin", "stdout", "timestamps", "tty"), "boolean"
) | dict.fromkeys(("limitBytes", "ports", "sinceSeconds", "tailLines"), "integer")


@dataclass(frozen=True, slots=True)
class Conversion:
    """The way of a version to the hub and back."""

    to_hub: Convert
    from_hub: Convert


def builtin(
    name: str,
    *,
    strategy: Strategy | None = None,
    status_strategy: Strategy | Callable[[Strategy], Strategy] | None = None,
    default: Default | Mapping[str, Default] | None = None,
    cells: Cells | Mapping[str, Cells] | None = None,
    list_cells: Callable[[Sequence[JSONObject]], list[list[Any]]] | None = None,
    row_conditions: Callable[[JSONObject], list[dict[str, str]]] | None = None,
    printed: bool = True,
    conversions: Mapping[str, Conversion] | None = None,
    selectable: Mapping[str, Select] | None = None,
    subresources: Mapping[str, MakeStorage] | None = None,
    subresource_columns: Mapping[str, Sequence[Column]] | None = None,
    subresource_defaults: Mapping[str, Default] | None = None,
    storage: MakeStorage = Store,
) -> Resource:
    """A built-in resource by its name: `pods`, `apps/deployments`. What differs by version comes as a mapping.

    `status_strategy` is the strategy of its status, or the class that makes one over the resource's own."""
    facts = _table()["resources"][name]
    strategy = strategy or Strategy()
    if isinstance(strategy, BuiltinStrategy):
        strategy.namespaced = facts["namespaced"]
    group, _, plural = name.rpartition("/")
    below = facts.get("subresources", {})
    stored = facts.get("stored", "").rpartition("/")
    return Resource(
        plural,
        kind=facts["kind"],
        singular=facts["singular"],
        list_kind=facts.get("listKind", ""),
        short_names=tuple(facts.get("shortNames", ())),
        categories=tuple(facts.get("categories", ())),
        namespaced=facts["namespaced"],
        versions=[
            replace(
                _version(version, each, _of(default, version), _of(cells, version), (conversions or {}).get(version)),
                list_cells=list_cells,
                row_conditions=row_conditions,
                printed=printed and cells is not None,
                deprecated="deprecated" in each.get("lifecycle", ()),
                deprecation_warning=_deprecation(
                    GroupVersion(group, version), facts["kind"], each.get("lifecycle", {})
                ),
            )
            for version, each in facts["versions"].items()
        ],
        strategy=strategy,
        has_status="status" in below,
        prints_status=below.get("status", {}).get("printed", True),
        status_strategy=status_strategy(strategy) if callable(status_strategy) else status_strategy,
        subresources={
            each: _subresource(
                below[each],
                GroupVersion(group, next(iter(facts["versions"]))),
                make,
                default=(subresource_defaults or {}).get(each),
                columns=(subresource_columns or {}).get(each, ()),
            )
            for each, make in (subresources or {}).items()
        },
        storage=storage,
        storage_version=stored[2] if stored[0] == group and stored[2] in facts["versions"] else "",
        stored_by=GroupVersion(stored[0], stored[2]) if stored[2] and stored[0] != group else None,
        storage_prefix=facts.get("prefix", ""),
        other_versions=tuple(map(GroupVersion.parse, facts.get("otherVersions", ()))),
        selectable_fields=_selectable(facts["versions"], selectable or {}),
        returns_deleted_object=facts.get("returnsDeleted", False),
    )


def group(name: str, *resources: Resource) -> APIGroup:
    """A built-in group, with its place among the others."""
    facts = next(each for each in _table()["groups"] if each["name"] == name)
    return APIGroup(
        name,
        resources,
        preferred=facts["preferred"],
        priority=facts["priority"] or 20000,  # only apiregistration.k8s.io has none: it comes first
        version_priorities={each["name"]: each["priority"] or 15 for each in facts["versions"]},
    )


def storage_places() -> dict[str, str]:
    """The resources by where they lie in the store: `/minions/` has `nodes`, `/deployments/` has `deployments.apps`.
    What two groups serve is the first one's: `/events/` has `events`."""
    places: dict[str, str] = {}
    for name, facts in sorted(_table()["resources"].items(), key=lambda item: "/" in item[0]):
        group, _, plural = name.rpartition("/")
        if prefix := facts.get("prefix"):
            places.setdefault(prefix, f"{plural}.{group}" if group else plural)
    return places


@cache
def _table() -> dict[str, Any]:
    table: dict[str, Any] = orjson.loads((files("localplane.catalog") / "data" / "resources.json").read_bytes())
    return table


def _of(given: T | Mapping[str, T] | None, version: str) -> T | None:
    return given.get(version) if isinstance(given, Mapping) else given


def _version(
    name: str, facts: Mapping[str, Any], default: Default | None, cells: Cells | None, conversion: Conversion | None
) -> Version:
    return Version(
        name,
        schemas.schema(facts["definition"]),
        default=default,
        to_hub=conversion.to_hub if conversion else None,
        from_hub=conversion.from_hub if conversion else None,
        columns=[_column(*each) for each in facts.get("columns", ())] if cells else (),
        cells=cells,
    )


def _column(name: str, type_: str, format_: str, priority: int, description: int) -> Column:
    """Descriptions are numbered, because most columns share theirs with others."""
    text = _table()["descriptions"][description]
    return Column(name, type=type_, format=format_, description=text, priority=priority)


def _deprecation(version: GroupVersion, kind: str, lifecycle: Mapping[str, Any]) -> str:
    """Kubernetes: apiserver/pkg/endpoints/deprecation, WarningMessage."""
    if "deprecated" not in lifecycle:
        return ""
    removed = f", unavailable in v{lifecycle['removed']}+" if "removed" in lifecycle else ""
    instead = ""
    if "replacement" in lifecycle:
        group, name, replacement = lifecycle["replacement"]
        instead = f"; use {GroupVersion(group, name)} {replacement}"
    return f"{version} {kind} is deprecated in v{lifecycle['deprecated']}+{removed}{instead}"


def _subresource(
    facts: Mapping[str, Any],
    version: GroupVersion,
    make: MakeStorage,
    *,
    default: Default | None,
    columns: Sequence[Column],
) -> Subresource:
    kind_version = GroupVersion(*facts["group"]) if "group" in facts else version
    definition = facts.get("reads") or facts.get("writes", "string")
    is_text = definition == "string"
    return Subresource(
        make,
        kind=facts["kind"],
        group_version=kind_version,
        schema=None if is_text else schemas.schema(definition),
        default=default,
        columns=columns,
        connects=facts.get("connect", False),
        answers_text=is_text and not facts.get("connect", False),
        query_parameters={each: _PARAMETER_TYPES.get(each, "string") for each in facts.get("parameters", ())},
    )


def _selectable(versions: Mapping[str, Mapping[str, Any]], given: Mapping[str, Select]) -> dict[str, SelectableField]:
    """How each selectable field is found. Some are other names for a field, and some are known but never set."""
    found: dict[str, Select] = {}
    for facts in versions.values():
        unset = facts.get("acceptedButNotIndexed", ())
        for name in facts.get("selectable", ()):
            path = facts.get("alias", {}).get(name, name)
            found[name] = given.get(path) or (_nothing if name in unset else _at(path))
    return selectable_fields(found)


def _nothing(_: JSONObject) -> str:
    return ""


def _at(path: str) -> Select:
    """What stands at a path, as text: Go's word for a boolean, and nothing for what is not there."""
    names = path.split(".")

    def select(obj: JSONObject) -> str:
        value: Any = obj
        for name in names:
            value = value.get(name) if isinstance(value, dict) else None
        if isinstance(value, bool):
            return "true" if value else "false"
        return "" if value is None else str(value)

    return select
