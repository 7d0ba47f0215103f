"""What a dialect decides."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from localplane.apimachinery.fieldpath import FieldError
from localplane.apimachinery.groups import GroupResource, GroupVersion
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema import Node, Schema
from localplane.apiserver.request import Request
from localplane.apiserver.storage.cacher.bad_objects import ObjectVerdict

JSON_PATCH: Final = "application/json-patch+json"
MERGE_PATCH: Final = "application/merge-patch+json"
STRATEGIC_MERGE_PATCH: Final = "application/strategic-merge-patch+json"
APPLY_PATCH: Final = "application/apply-patch+yaml"


@dataclass(frozen=True, slots=True)
class SchemaRules:
    """What a version's schema does to objects between store and client, in place.

    `prune` and `fill` are for kinds whose schema may change under stored objects: when one is read, what the version no
    longer knows goes, and what has a default by now appears. `complete` adds what is written even when it is empty.
    """

    prune: Callable[[JSONObject], object] | None = None
    fill: Callable[[JSONObject], object] | None = None
    complete: Callable[[JSONObject], object] | None = None


NO_SCHEMA_RULES: Final = SchemaRules()


class ServedKind(Protocol):
    """What a dialect may ask of the kind that a request is about: endpoints' Served."""

    @property
    def kind(self) -> str: ...
    @property
    def group_version(self) -> GroupVersion: ...
    @property
    def api_version(self) -> str: ...
    @property
    def resource(self) -> GroupResource: ...
    @property
    def subresource(self) -> str: ...
    @property
    def namespaced(self) -> bool: ...
    @property
    def verbs(self) -> Sequence[str]: ...
    @property
    def collection_methods(self) -> Collection[str]:
        """What a router lets through to all objects of the resource."""

    @property
    def item_methods(self) -> Collection[str]:
        """What a router lets through to one object, or to the subresource of one."""

    @property
    def connects_below(self) -> bool:
        """Whether every path below belongs to it: a proxy."""

    def is_version(self, api_version: str) -> bool:
        """Whether the kind has this version, served or not."""

    @property
    def known_versions(self) -> Collection[GroupVersion]:
        """All those that can be converted to the kind, also of other groups, served or not."""

    def is_known(self, version: GroupVersion, kind: str) -> bool:
        """Whether anything that is served is of this kind."""


class Dialect(Protocol):
    """One way to speak of a kind. What needs the kind's schema is given it."""

    @property
    def is_routed(self) -> bool:
        """Whether a router stands before the kind: it answers for paths, methods and media types by itself."""

    @property
    def patch_types(self) -> Sequence[str]:
        """In Kubernetes' order."""

    @property
    def sends_stored(self) -> bool:
        """Whether what is stored in the version that was asked for is the answer, byte for byte."""

    @property
    def items_say_type(self) -> bool:
        """Whether the items of a list have kind and apiVersion, as the list has."""

    @property
    def reads_once(self) -> bool:
        """Whether unknown and repeated fields are found in one go, in the document's order; else the repeated ones are
        found by reading, and the unknown ones by a schema later on."""

    # Objects and their schema

    def schema_rules(self, schema: Callable[[], Schema]) -> SchemaRules: ...

    def take_known(
        self, schema: Schema, obj: JSONObject, *, kind: str, source: bytes | None = None, keeps_nulls: bool = False
    ) -> Sequence[str]:
        """Drop from an object what its schema does not know, and tell where. Raises DecodeError."""
        ...

    def complete(self, schema: Schema, obj: JSONObject, *, final: bool = False) -> None:
        """Add what its kind always has, after its defaults. `final`: nothing comes after this."""

    def blank_status(self, schema: Schema, kind: str) -> JSONObject:
        """The status of an object that has none, as `{"status": ...}`, if its kind always shows one."""
        ...

    def verdict(self, schema: Callable[[], Schema], obj: JSONObject, kind: str) -> ObjectVerdict | None:
        """What is wrong with a stored object that somebody else has written."""

    def reported(self, errors: Sequence[FieldError]) -> Sequence[FieldError]:
        """Of the errors that validation found, those that the client is told, in their order."""
        ...

    def has_message(self, schema: Callable[[], Schema]) -> bool:
        """Whether its objects can be written as protobuf."""
        ...

    def patched_order(self, schema: Schema) -> Node | None:
        """Whose fields are in the order of a struct in a message about a patch; None: all are sorted."""

    # Words and forms

    def go_type(self, group: str, kind: str) -> str:
        """What Kubernetes calls the type of its objects in a message."""
        ...

    def unknown_field(self, name: str, selectable: Collection[str]) -> str:
        """Why nobody can select by this field."""
        ...

    def complete_list_meta(self, meta: JSONObject) -> None:
        """Add what the metadata of its lists always has."""

    # Requests

    def is_served(self, kind: ServedKind, request: Request) -> bool:
        """False: nobody knows this path. Raises the 404 and 405 of who answers for the path."""
        ...

    def refuse_subresource(self, resource: GroupResource, name: str) -> None:
        """Raise what is said of a subresource that is not there."""

    def check_accept(self, accept: str, names: Sequence[str]) -> None:
        """Raises NotAcceptable where a router wants none of these media types to be answered."""

    def check_patch_type(self, content_type: str) -> None:
        """Raises UnsupportedMediaType where a router passes on no such patch."""

    def check_type(self, kind: ServedKind, request: Request, obj: Any, data: bytes, *, field_validation: str) -> None:
        """The body says what the URL says. Raises BadRequest and Invalid."""
