"""All that the verbs need to know of a resource."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from localplane.apimachinery.errors import BadRequest, Invalid
from localplane.apimachinery.fieldpath import FieldError
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.groups import GroupKind, GroupResource
from localplane.apimachinery.names import path_segment_name
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apimachinery.schema import Schema
from localplane.apiserver.dialects import STRUCT_KINDS, Dialect
from localplane.apiserver.storage.interface import Storage
from localplane.apiserver.storage.objects import StoredObject

from .conversion import Converter
from .selectable import SelectableField
from .strategy import Strategy


@dataclass(frozen=True)
class Definition:
    """`prefix` is the resource's place in storage (`/configmaps/`); `schemas` are those of its versions by name, made
    when they are first asked for."""

    resource: GroupResource
    kind: GroupKind
    prefix: str
    namespaced: bool
    strategy: Strategy
    converter: Converter
    storage: Storage
    schemas: Mapping[str, Callable[[], Schema]] = field(default_factory=dict)
    dialect: Dialect = STRUCT_KINDS
    selectable_fields: Mapping[str, SelectableField] = field(default_factory=dict)
    returns_deleted_object: bool = False
    has_status: bool = False

    def with_strategy(self, strategy: Strategy) -> Definition:
        """The same resource under another strategy: a subresource."""
        return replace(self, strategy=strategy)

    @cached_property
    def field_lookups(self) -> Mapping[str, SelectableField]:
        """How each field that a selector may name is found. Name and namespace are in the key."""
        return {
            "metadata.name": lambda obj: obj.key.rpartition("/")[2],
            "metadata.namespace": _namespace_of if self.namespaced else lambda _: "",
            **self.selectable_fields,
        }

    def key(self, namespace: str, name: str) -> str:
        """Where an object is stored. A name that could leave its place is refused."""
        problems = path_segment_name(name)
        if problems:
            raise BadRequest(f"Name parameter invalid: {go_quote(name)}: {';'.join(problems)}")
        if not self.namespaced:
            return f"{self.prefix}{name}"
        if not namespace:
            raise BadRequest("Namespace parameter required.")
        return f"{self.prefix}{namespace}/{name}"

    def place(self, namespace: str) -> str:
        """Where a list looks: one namespace, or everything."""
        return f"{self.prefix}{namespace}/" if self.namespaced and namespace else self.prefix

    def schema_errors(self, version: str, hub: JSONObject, old: JSONObject | None = None) -> list[FieldError]:
        """What the schema of the version that a client writes in has against a hub object.

        With `old`, what was wrong before and is untouched is forgiven.
        """
        schema = self.schemas.get(version)
        if schema is None or not self.strategy.validates_schema:
            return []
        seen = self.converter.seen_from
        before = None if old is None else seen(old, version)
        return schema().validate(seen(hub, version), before, only=self.strategy.validated_field)

    def invalid(self, name: str, errors: Sequence[FieldError]) -> Invalid:
        """What to raise for an object with faults."""
        return Invalid.of(self.kind, name, self.dialect.reported(errors))

    def reset_status(self, obj: JSONObject, version: str) -> None:
        """Forget what a client says of a status that only its subresource may write."""
        obj.pop("status", None)
        blank = self._blank_statuses.get(version)
        if blank is None and version in self.schemas:
            blank = self.dialect.blank_status(self.schemas[version](), self.kind.kind)
            self._blank_statuses[version] = blank
        if blank:
            obj.update(copied(blank))

    @cached_property
    def _blank_statuses(self) -> dict[str, JSONObject]:
        return {}


def _namespace_of(obj: StoredObject) -> str:
    return obj.key.rpartition("/")[0].rpartition("/")[2]
