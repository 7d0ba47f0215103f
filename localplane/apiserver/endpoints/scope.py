"""What a handler knows of the resource, version and subresource that was asked for: made once, at installation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from localplane.apimachinery.groups import GroupKind, GroupResource, GroupVersion, GroupVersionKind
from localplane.apimachinery.managedfields import FieldManager
from localplane.apimachinery.schema import Schema
from localplane.apimachinery.serializers import protobuf
from localplane.apimachinery.serializers.media_types import JSON, PROTOBUF, YAML, MediaType
from localplane.apiserver.admission import AdmissionChain
from localplane.apiserver.authorization import Authorizer
from localplane.apiserver.registry.conversion import Converter
from localplane.apiserver.registry.rest import is_connecter, verbs_of
from localplane.apiserver.registry.store import ReadOnlyStore
from localplane.apiserver.resource import Column
from localplane.apiserver.storage.objects import MemoKey

from .field_management import make_field_manager

JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_MERGE_PATCH = "application/strategic-merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"
PATCH_TYPES = (JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, APPLY_PATCH)


@dataclass(frozen=True, eq=False)
class Scope:
    """`group_version` and `kind` are of what is read and answered, `path_version` is the URL's: they differ where a
    subresource speaks in a kind of another group.

    `typed` kinds tell a wrong type as Go's decoder does and leave the type out of list items; others are told as
    custom resources are, and are read through their schema, which may have changed since they were stored.

    `media_types` are those of all that can be answered here, metadata and errors included; see `own_media_types`.
    """

    group_version: GroupVersion
    path_version: GroupVersion
    resource: GroupResource
    kind: str
    list_kind: str
    namespaced: bool
    storage: Any
    converter: Converter
    admission: AdmissionChain
    schema: Callable[[], Schema]
    authorizer: Authorizer | None = None
    subresource: str = ""
    typed: bool = True
    columns: Sequence[Column] = ()
    cells: Callable[[dict[str, Any]], list[Any]] | None = None
    list_cells: Callable[[Sequence[dict[str, Any]]], list[list[Any]]] | None = None
    row_conditions: Callable[[dict[str, Any]], list[dict[str, str]]] | None = None
    printed: bool = False
    selectable_fields: Sequence[str] = ()
    deprecation_warning: str = ""
    media_types: Sequence[MediaType] = (JSON, YAML, PROTOBUF)
    known_kinds: Callable[[GroupVersion, str], bool] = lambda _, __: False

    @cached_property
    def gvk(self) -> GroupVersionKind:
        return self.group_version.kind(self.kind)

    @cached_property
    def patch_types(self) -> tuple[str, ...]:
        """In Kubernetes' order. A strategic merge must know how lists merge, which custom resources don't say."""
        return PATCH_TYPES if self.typed else tuple(each for each in PATCH_TYPES if each != STRATEGIC_MERGE_PATCH)

    @cached_property
    def field_manager(self) -> FieldManager:
        return make_field_manager(self)

    @cached_property
    def group_kind(self) -> GroupKind:
        return GroupKind(self.group_version.group, self.kind)

    @cached_property
    def api_version(self) -> str:
        return str(self.group_version)

    @cached_property
    def own_media_types(self) -> Sequence[MediaType]:
        """The forms that the objects themselves can have: protobuf only if their schema has numbers for it."""
        if self.typed and protobuf.has_message(self.schema().node):
            return self.media_types
        return tuple(each for each in self.media_types if each != PROTOBUF)

    @cached_property
    def verbs(self) -> tuple[str, ...]:
        return verbs_of(self.storage)

    @cached_property
    def stores_in_namespaces(self) -> bool:
        """Whether a create leaves an object in a namespace: reviews and subresources don't."""
        return self.namespaced and not self.subresource and isinstance(self.storage, ReadOnlyStore)

    @cached_property
    def collection_methods(self) -> frozenset[str]:
        """What a router lets through to all objects of the resource."""
        return self._methods({"list": "GET", "create": "POST", "deletecollection": "DELETE"})

    @cached_property
    def item_methods(self) -> frozenset[str]:
        """What a router lets through to one object, or to the subresource of one."""
        if self.connects:
            return frozenset(self.storage.connect_methods)
        methods = {"get": "GET", "update": "PUT", "patch": "PATCH", "delete": "DELETE"}
        return self._methods(methods | {"create": "POST"} if self.subresource else methods)

    @cached_property
    def connects(self) -> bool:
        """Whether it is a stream or a proxy, which answers for itself."""
        return is_connecter(self.storage)

    @cached_property
    def connects_below(self) -> bool:
        """Whether every path below belongs to it: a proxy."""
        return self.connects and bool(self.storage.connects_below)

    def _methods(self, by_verb: Mapping[str, str]) -> frozenset[str]:
        return frozenset(method for verb, method in by_verb.items() if verb in self.verbs)

    @cached_property
    def head(self) -> bytes:
        """How the finished bytes of this kind begin; list items leave it out."""
        return f'{{"kind":"{self.kind}","apiVersion":"{self.api_version}",'.encode()

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

    def unknown_field(self, name: str) -> str | None:
        """Why a field can't be selected by; None if it can."""
        if name in ("metadata.name", "metadata.namespace") or name in self.selectable_fields:
            return None
        if self.selectable_fields or not self.typed:
            return f"field label not supported: {name}"
        return f'"{name}" is not a known field selector: only "metadata.name", "metadata.namespace"'
