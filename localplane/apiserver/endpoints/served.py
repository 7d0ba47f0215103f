"""What is served on a path: a resource or a subresource in one version, as declared, with what stores it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property

from localplane.apimachinery.groups import GroupVersion
from localplane.apimachinery.managedfields import FieldManager
from localplane.apimachinery.serializers.media_types import JSON, PROTOBUF, YAML, MediaType
from localplane.apiserver.admission import AdmissionChain
from localplane.apiserver.authorization import Authorizer
from localplane.apiserver.dialects import SchemaRules
from localplane.apiserver.registry.conversion import Converter, VersionRules
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.rest import Connecter, ResourceStorage, verbs_of
from localplane.apiserver.registry.store import ReadOnlyStore
from localplane.apiserver.request import Answer, Request
from localplane.apiserver.resource import APIGroup, Resource, Version
from localplane.apiserver.storage.objects import MemoKey

from .writes.field_managers import make_field_manager

MEDIA_TYPES: Sequence[MediaType] = (JSON, YAML, PROTOBUF)
"""Of all that can be answered, metadata and errors included; see `own_media_types`."""


Handlers = Mapping[str, Callable[[Request], Awaitable[Answer]]]


class Served:
    """Made once, at installation.

    `declared` and `definition` are the resource's. `version`, `group_version` and `kind` are of what is read and
    answered, `path_version` is the URL's: they differ where a subresource speaks in a kind of another group. `handlers`
    are those of its verbs; a stream or a proxy has one alone, called "connect". `authorizer` is asked whether an update
    may create, and `knows_kind` whether anything that is served is of a kind.
    """

    def __init__(
        self,
        group: APIGroup,
        declared: Resource,
        version: Version,
        definition: Definition,
        storage: ResourceStorage,
        *,
        admission: AdmissionChain,
        authorizer: Authorizer | None,
        knows_kind: Callable[[GroupVersion, str], bool],
        subresource: str = "",
    ) -> None:
        self.declared = declared
        self.definition = definition
        self.storage = storage
        self.subresource = subresource
        self.admission = admission
        self.authorizer = authorizer
        self.is_known = knows_kind
        self.dialect = declared.dialect
        self.resource = group.group_resource(declared)
        self.namespaced = declared.namespaced
        self.kind = declared.kind
        self.version = version
        self.group_version = self.path_version = group.group_version(version.name)
        self.converter = definition.converter
        self.deprecation_warning = _deprecation(self.group_version, declared, version)
        if subresource in declared.subresources:
            self._speak_as(subresource)
        self.api_version = str(self.group_version)
        self.gvk = self.group_version.kind(self.kind)
        self.list_kind = declared.list_kind or f"{self.kind}List"
        self.schema = self.version.compile
        self.head = f'{{"kind":"{self.kind}","apiVersion":"{self.api_version}",'.encode()
        self.stored_head = self.head if self.dialect.sends_stored else None
        self.item_head = b"" if self.dialect.items_say_type else self.head
        self.make_handlers: Callable[[], Handlers] = dict

    head: bytes
    """How the finished bytes of this kind begin."""
    stored_head: bytes | None
    """How a stored object begins whose bytes are the answer; None: no object's are."""
    item_head: bytes
    """What the items of a list leave out of their beginning."""

    def _speak_as(self, subresource: str) -> None:
        """It speaks in the resource's own kind unless it says otherwise."""
        declared = self.declared.subresources[subresource]
        kind, group_version = declared.kind or self.kind, declared.group_version or self.group_version
        if (kind, group_version) == (self.kind, self.group_version):
            return
        name = group_version.version
        version = Version(name, declared.schema, default=declared.default, columns=declared.columns)
        schema = SchemaRules(complete=lambda obj: version.compiled.complete(obj, final=True))
        rules = VersionRules(group_version, default=declared.default, schema=schema)
        self.kind, self.group_version, self.version = kind, group_version, version
        self.converter = Converter(kind, {name: rules}, stored_as=name)

    @cached_property
    def handlers(self) -> Handlers:
        """Made for the first request: a server has many kinds that nobody asks for."""
        return self.make_handlers()

    @cached_property
    def verbs(self) -> Sequence[str]:
        return verbs_of(self.storage)

    @cached_property
    def field_manager(self) -> FieldManager:
        return make_field_manager(self)

    @cached_property
    def own_media_types(self) -> Sequence[MediaType]:
        """The forms that the objects themselves can have: protobuf only if their schema has numbers for it."""
        if self.dialect.has_message(self.schema):
            return MEDIA_TYPES
        return tuple(media_type for media_type in MEDIA_TYPES if media_type != PROTOBUF)

    @cached_property
    def has_table(self) -> bool:
        """Whether it is shown as a table: what can be listed is, and of what stands below an object its status and its
        scale. Kubernetes: whether a storage is a TableConvertor."""
        if not self.dialect.is_routed:
            return True
        if self.subresource == "status":
            return self.declared.prints_status
        return self.subresource == "scale" or "list" in self.verbs

    @cached_property
    def stores_in_namespaces(self) -> bool:
        """Whether a create leaves an object in a namespace: reviews and subresources don't."""
        return self.namespaced and self.is_stored

    @cached_property
    def is_stored(self) -> bool:
        """Whether it is a resource whose objects are in the store, and not something below it or made up."""
        return not self.subresource and isinstance(self.storage, ReadOnlyStore)

    @cached_property
    def collection_methods(self) -> frozenset[str]:
        return self._methods({"list": "GET", "create": "POST", "deletecollection": "DELETE"})

    @cached_property
    def item_methods(self) -> frozenset[str]:
        if isinstance(self.storage, Connecter):
            return frozenset(self.storage.connect_methods)
        methods = {"get": "GET", "update": "PUT", "patch": "PATCH", "delete": "DELETE"}
        return self._methods(methods | {"create": "POST"} if self.subresource else methods)

    def _methods(self, by_verb: Mapping[str, str]) -> frozenset[str]:
        return frozenset(method for verb, method in by_verb.items() if verb in self.verbs)

    @cached_property
    def connects_below(self) -> bool:
        return isinstance(self.storage, Connecter) and self.storage.connects_below

    @cached_property
    def json_key(self) -> MemoKey:
        """Under what an object of this version is kept with the stored one, if it had to be made."""
        return MemoKey(f"json {self.group_version}", self.converter.mark)

    @cached_property
    def message_key(self) -> MemoKey:
        return MemoKey(f"message {self.group_version}", self.converter.mark)

    @cached_property
    def metadata_message_key(self) -> MemoKey:
        return MemoKey(f"metadata {self.group_version}", self.converter.mark)

    @cached_property
    def known_versions(self) -> frozenset[GroupVersion]:
        others = () if self.subresource in self.declared.subresources else self.declared.other_versions
        return frozenset((*map(GroupVersion.parse, self.converter.api_versions), *others))

    def is_version(self, api_version: str) -> bool:
        return self.converter.version_named(api_version) is not None

    def unknown_field(self, name: str) -> str | None:
        """Why a field can't be selected by; None if it can."""
        selectable = self.declared.selectable_fields
        if name in ("metadata.name", "metadata.namespace") or name in selectable:
            return None
        return self.dialect.unknown_field(name, selectable)


def _deprecation(group_version: GroupVersion, resource: Resource, version: Version) -> str:
    if not version.deprecated:
        return ""
    return version.deprecation_warning or f"{group_version} {resource.kind} is deprecated"
