"""What a handler knows of the resource, version and subresource that was asked for: made once, at installation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from localplane.apimachinery.groups import GroupKind, GroupResource, GroupVersion, GroupVersionKind
from localplane.apimachinery.schema import Schema
from localplane.apimachinery.serializers.media_types import JSON, YAML, MediaType
from localplane.apiserver.admission import AdmissionChain
from localplane.apiserver.authorization import Authorizer
from localplane.apiserver.registry.conversion import Converter
from localplane.apiserver.registry.rest import verbs_of
from localplane.apiserver.resource import Column


@dataclass(frozen=True, eq=False)
class Scope:
    """`group_version` and `kind` are of what is read and answered, `path_version` is the URL's: they differ where a
    subresource speaks in a kind of another group.

    `typed` kinds tell a wrong type as Go's decoder does and leave the type out of list items; others are told as
    custom resources are, and are read through their schema, which may have changed since they were stored.
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
    selectable_fields: Sequence[str] = ()
    deprecation_warning: str = ""
    media_types: Sequence[MediaType] = (JSON, YAML)
    patch_types: Sequence[str] = ("application/json-patch+json", "application/merge-patch+json")
    known_kinds: Callable[[GroupVersion, str], bool] = lambda _, __: False

    @cached_property
    def gvk(self) -> GroupVersionKind:
        return self.group_version.kind(self.kind)

    @cached_property
    def group_kind(self) -> GroupKind:
        return GroupKind(self.group_version.group, self.kind)

    @cached_property
    def api_version(self) -> str:
        return str(self.group_version)

    @cached_property
    def verbs(self) -> tuple[str, ...]:
        return verbs_of(self.storage)

    @cached_property
    def collection_methods(self) -> frozenset[str]:
        """What a router lets through to all objects of the resource."""
        return self._methods({"list": "GET", "create": "POST", "deletecollection": "DELETE"})

    @cached_property
    def item_methods(self) -> frozenset[str]:
        """What a router lets through to one object, or to the subresource of one."""
        methods = {"get": "GET", "update": "PUT", "patch": "PATCH", "delete": "DELETE"}
        return self._methods(methods | {"create": "POST"} if self.subresource else methods)

    def _methods(self, by_verb: Mapping[str, str]) -> frozenset[str]:
        return frozenset(method for verb, method in by_verb.items() if verb in self.verbs)

    @cached_property
    def head(self) -> bytes:
        """How the finished bytes of this kind begin; list items leave it out."""
        return f'{{"kind":"{self.kind}","apiVersion":"{self.api_version}",'.encode()

    def unknown_field(self, name: str) -> str | None:
        """Why a field can't be selected by; None if it can."""
        if name in ("metadata.name", "metadata.namespace") or name in self.selectable_fields:
            return None
        if self.selectable_fields:
            return f"field label not supported: {name}"
        return f'"{name}" is not a known field selector: only "metadata.name", "metadata.namespace"'
