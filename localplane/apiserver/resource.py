"""What a library user declares: groups, resources and their versions. `kctl up` and CRDs use nothing else.

    class GreetingSpec:
        text: str

    class Greeting:
        spec: GreetingSpec

    greetings = Resource("greetings", kind="Greeting", versions=[Version("v1", Greeting)])
    hello = APIGroup("hello.example.com", [greetings])

A class with annotations declares fields (no default means required); an OpenAPI schema as a dictionary does as well.
Type, validation, pruning and documentation derive from it. What can't be served is refused where it is declared, by a
DeclarationError with one sentence that names the field: no client finds it first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import NoneType
from typing import Any, Final

from localplane.apimachinery.groups import GroupKind, GroupResource, GroupVersion, by_priority
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema import DeclarationError, Node, Schema
from localplane.apimachinery.schema.declarations.annotations import named
from localplane.apimachinery.schema.declarations.checks import check_openapi
from localplane.apiserver.declared import (
    check_group,
    check_instance,
    check_items,
    check_kind,
    check_label,
    require,
    require_once,
)
from localplane.apiserver.dialects import STRUCT_KINDS, Dialect
from localplane.apiserver.registry.conversion import Converter, VersionRules
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.rest import ResourceStorage
from localplane.apiserver.registry.selectable import SelectableField
from localplane.apiserver.registry.store import Store, SubresourceStore
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.storage.interface import Storage

COLUMN_TYPES: Final = ("string", "integer", "number", "boolean", "date")

Convert = Callable[[JSONObject], JSONObject]
Default = Callable[[JSONObject], None]
MakeStorage = Callable[[Definition], ResourceStorage]
"""From what is known of a resource to what serves it. The verbs follow from what that can do: see registry/rest."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table that kubectl prints. `value` gets the object in the version that was asked for, and
    returns a cell; priority above 0 shows with `-o wide` only. A version with `cells` makes whole rows instead."""

    name: str
    value: Callable[[JSONObject], Any] = lambda _: None
    type: str = "string"
    format: str = ""
    description: str = ""
    priority: int = 0

    def __post_init__(self) -> None:
        with named("Column({!r})", self.name):
            require(isinstance(self.name, str) and bool(self.name), "it has no name")
            require(callable(self.value), "value is {!r}: it is a function of an object", self.value)
            if self.type not in COLUMN_TYPES:
                raise DeclarationError(f"the type {self.type!r} is none of {', '.join(COLUMN_TYPES)}")


def _name(obj: JSONObject) -> Any:
    return (obj.get("metadata") or {}).get("name", "")


_NAMES = "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names"
ABOUT_NAME = (
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a"
    " client to request the generation of an appropriate name automatically. Name is primarily intended for creation"
    f" idempotence and configuration definition. Cannot be updated. More info: {_NAMES}"
)
"""What clients are told of this column, word for word as Kubernetes tells it."""

NAME_COLUMN: Final = Column("Name", _name, format="name", description=ABOUT_NAME)


@dataclass(frozen=True)
class Version:
    """One served version of a resource.

    `default` fills in what a client left out, in place. `to_hub` and `from_hub` convert from and to the hub version, in
    which strategies, admission and other versions meet; a version without them has the hub's own shape. They get an
    object of their own and may change it; apiVersion and kind are set by the caller. What a client sent has the right
    types when it comes to them, but may still lack what the schema requires: that is checked at the end.
    A `printed` kind, as the built-in ones are, has an empty list of rows where others have none.
    A table whose `columns` have no Name gets one before them: nobody could tell its rows apart otherwise.
    `cells` gives all cells of an object's row at once, one for each of `columns`, and `list_cells` those of all rows of
    a list, for kinds whose rows depend on each other; `row_conditions` says what else is to be known of the row, such
    as that nothing more will happen to the object. `make_schema` stands for a `schema` that is large and rarely needed.
    `schema_identity` changes with the schema, where that can happen while the server runs: clients keep documents for
    as long as it stays.
    """

    name: str
    schema: Schema | Node | type | JSONObject | None = None
    default: Default | None = None
    to_hub: Convert | None = None
    from_hub: Convert | None = None
    served: bool = True
    deprecated: bool = False
    deprecation_warning: str = ""
    columns: Sequence[Column] = ()
    cells: Callable[[JSONObject], list[Any]] | None = None
    list_cells: Callable[[Sequence[JSONObject]], list[list[Any]]] | None = None
    row_conditions: Callable[[JSONObject], list[dict[str, str]]] | None = None
    printed: bool = False
    make_schema: Callable[[], Schema] | None = None
    schema_identity: str = ""

    def __post_init__(self) -> None:
        with named("Version({!r})", self.name):
            check_label("the name", self.name)
            require(
                (self.to_hub is None) == (self.from_hub is None),
                "to_hub and from_hub go together: what is converted one way must come back",
            )
            check_items("columns", self.columns, Column)
            for function in ("default", "to_hub", "from_hub", "cells", "list_cells", "row_conditions"):
                value = getattr(self, function)
                require(value is None or callable(value), "{} is {!r}: it is a function", function, value)
            if self.columns and not any(column.name.lower() == "name" for column in self.columns):
                self._add_name()
        if self.make_schema is None and not isinstance(self.schema, (Schema, Node, NoneType)):
            self._compile_now()

    def _add_name(self) -> None:
        has_rows = self.cells is not None or self.list_cells is not None
        require(not has_rows, "columns have no Name, and rows that are made at once can't be given one: add it")
        object.__setattr__(self, "columns", (NAME_COLUMN, *self.columns))

    def _compile_now(self) -> None:
        """What a person declares is read when it is declared; large tables of kinds are read when somebody asks."""
        schema = self.schema
        with named("Version({!r})", self.name):
            if not isinstance(schema, (type, Mapping)):
                instance = f": give the class, {type(schema).__name__}" if hasattr(schema, "__annotations__") else ""
                raise DeclarationError(f"schema is {schema!r}, which is no class and no OpenAPI schema{instance}")
            if isinstance(schema, Mapping):
                check_openapi(schema)
            own = self.compiled.node.load().properties.get("metadata")
            require(
                own is None
                or not isinstance(schema, type)
                or own.node.shape in ("codec", "any")
                or not own.node.name
                or own.node.name.startswith("io.k8s."),
                "metadata is the same in every kind: leave it out",
            )

    @cached_property
    def compiled(self) -> Schema:
        """The schema, compiled when it is first needed: a server starts with kinds that nobody asks for."""
        return self.make_schema() if self.make_schema is not None else Schema.of(self.schema)

    def compile(self) -> Schema:
        return self.compiled


@dataclass(frozen=True)
class Subresource:
    """Something below an object's path, beside `status`, which Resource declares by a flag.

    `kind`, `group_version` and `schema` are those of what it reads and answers with, where that is not the object
    itself: a Scale, a Binding. `connects` marks a stream or a proxy, `answers_text` what is read as plain text, and
    `query_parameters` are those of its own, by name, with their types: documents tell them. `default` and `columns`
    are as for a version, in the kind that it speaks.
    """

    storage: MakeStorage
    kind: str = ""
    group_version: GroupVersion | None = None
    schema: Schema | Node | type | JSONObject | None = None
    default: Default | None = None
    columns: Sequence[Column] = ()
    connects: bool = False
    answers_text: bool = False
    query_parameters: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require(callable(self.storage), "Subresource: storage is {!r}: it is a function of a Definition", self.storage)


@dataclass(frozen=True)
class Resource:
    """A kind of object that is served: `Resource("books", kind="Book", versions=[Version("v1", Book)])`. `plural` is
    its name in paths, `kind` in objects; what else it is called, and whether it stands in namespaces, is said beside
    them. `strategy` has its rules, `has_status` gives it a status that is written apart from the rest. Raises
    DeclarationError for what can't be served. Who asks for the status gets a table of it like one of the object,
    unless `prints_status` says that there is none.

    `storage_version` is what is written to the store: by default the best of its versions. `stored_by` is a version
    of another group instead, for objects that both groups serve: it has the hub's shape, and both name the same
    `storage_prefix`.

    `other_versions` are those that the kind has had and that nobody serves, also in other groups: whoever sends an
    object of one is told so.

    `selectable_fields` are those a fieldSelector may name beside metadata.name and metadata.namespace.
    `dialect` is how it is spoken of, in all that clients can tell a built-in kind from a custom resource by.
    `storage` makes what serves it when that is not the generic store. `status_strategy` is for kinds whose status is
    written by rules of its own, `status_storage` for those in which that has to wait for something.
    `hub` names the version whose shape hub objects have, for kinds in which versions differ by what they know: what
    comes from another version loses what the hub does not know. A group may then declare the resource once for each
    version that it serves, with the others beside it as not served. `verbs` are what discovery tells, if that is not
    what `storage` can do. `through` puts something between the registry and where the objects are stored, which gives
    and takes them in the hub's version.
    """

    plural: str
    kind: str
    versions: Sequence[Version]
    singular: str = ""
    list_kind: str = ""
    short_names: Sequence[str] = ()
    categories: Sequence[str] = ()
    namespaced: bool = True
    strategy: Strategy = field(default_factory=Strategy)
    has_status: bool = False
    prints_status: bool = True
    status_strategy: Strategy | None = None
    status_storage: MakeStorage = SubresourceStore
    subresources: Mapping[str, Subresource] = field(default_factory=dict)
    storage: MakeStorage = Store
    storage_version: str = ""
    stored_by: GroupVersion | None = None
    storage_prefix: str = ""
    other_versions: Sequence[GroupVersion] = ()
    selectable_fields: Mapping[str, SelectableField] = field(default_factory=dict)
    dialect: Dialect = STRUCT_KINDS
    returns_deleted_object: bool = False
    hub: str = ""
    verbs: Sequence[str] = ()
    through: Callable[[Storage], Storage] | None = None

    def __post_init__(self) -> None:
        with named("Resource({!r})", self.plural):
            check_label("plural", self.plural)
            check_kind("kind", self.kind)
            check_items("versions", self.versions, Version)
            require(bool(self.versions), "it has no versions")
            names = [version.name for version in self.versions]
            require_once("the version", names)
            for key, wanted in (("storage_version", self.storage_version), ("hub", self.hub)):
                if wanted and wanted not in names:
                    raise DeclarationError(f"{key} is {wanted!r}, and its versions are {', '.join(names)}")
            self._check_names()
            for key in ("strategy", "status_strategy"):
                check_instance(key, getattr(self, key), Strategy, optional=key != "strategy")
            for name, each in self.subresources.items():
                require(isinstance(each, Subresource), "the subresource {!r} is {!r}: it is a Subresource", name, each)
                require(name != "status", "status is declared by has_status=True")

    def _check_names(self) -> None:
        for key in ("short_names", "categories", "verbs"):
            words = getattr(self, key)
            require(not isinstance(words, str), "{} is {!r}: it is a list of texts", key, words)
            for word in words:
                check_label(key, word)
        if self.singular:
            check_label("singular", self.singular)
        if self.list_kind:
            check_kind("list_kind", self.list_kind)
            require(self.list_kind != self.kind, f"kind and list_kind are both {self.kind}")

    def version(self, name: str) -> Version | None:
        return next((version for version in self.versions if version.name == name), None)

    @property
    def stored_as(self) -> str:
        """The name of the version that is written to the store."""
        return self.storage_version or by_priority([version.name for version in self.versions])[0]


@dataclass(frozen=True)
class APIGroup:
    """A group of resources; the empty name is the core group under /api. `preferred` overrides the best version.

    A client meets groups with a higher `priority` first, and versions likewise.
    """

    name: str
    resources: Sequence[Resource]
    preferred: str = ""
    priority: int = 1000
    version_priorities: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        with named("APIGroup({!r})", self.name):
            check_group(self.name)
            check_items("resources", self.resources, Resource)
            served = [(version.name, each) for each in self.resources for version in each.versions if version.served]
            for what in ("plural", "kind"):
                require_once(f"the {what}", [f"{getattr(each, what)} in {version}" for version, each in served])
            require(
                not self.preferred or not served or any(version == self.preferred for version, _ in served),
                f"preferred is {self.preferred!r}, which no resource has as a served version",
            )

    def versions(self) -> list[str]:
        """The served versions, the best first."""
        names = {version.name for resource in self.resources for version in resource.versions if version.served}
        return by_priority(sorted(names))

    def group_version(self, version: str) -> GroupVersion:
        return GroupVersion(self.name, version)

    def group_resource(self, resource: Resource) -> GroupResource:
        return GroupResource(self.name, resource.plural)

    def group_kind(self, resource: Resource) -> GroupKind:
        return GroupKind(self.name, resource.kind)

    def definition(self, resource: Resource, storage: Callable[[str], Storage]) -> Definition:
        """What the registry works with; `storage` gives that of a resource by its prefix. What another group stores is
        of that group's kind when it is wrong, whoever was asked."""
        prefix = resource.storage_prefix or (
            f"/{self.name}/{resource.plural}/" if self.name else f"/{resource.plural}/"
        )
        told_as = resource.stored_by.group if resource.stored_by else self.name
        rules = {version.name: self._rules(resource, version) for version in resource.versions}
        stored_as = resource.hub if resource.through else resource.stored_as
        if resource.stored_by is not None:
            stored_as = f"{resource.stored_by.group}/{resource.stored_by.version}"  # no version has a slash in its name
            rules[stored_as] = VersionRules(resource.stored_by)
        return Definition(
            resource=self.group_resource(resource),
            kind=GroupKind(told_as, resource.kind),
            prefix=prefix,
            namespaced=resource.namespaced,
            strategy=resource.strategy,
            converter=Converter(resource.kind, rules, stored_as=stored_as, hub=resource.hub),
            storage=resource.through(storage(prefix)) if resource.through else storage(prefix),
            schemas={version.name: version.compile for version in resource.versions},
            dialect=resource.dialect,
            selectable_fields=resource.selectable_fields,
            returns_deleted_object=resource.returns_deleted_object,
            has_status=resource.has_status,
        )

    def _rules(self, resource: Resource, version: Version) -> VersionRules:
        schema = resource.dialect.schema_rules(version.compile)
        return VersionRules(self.group_version(version.name), version.to_hub, version.from_hub, version.default, schema)
