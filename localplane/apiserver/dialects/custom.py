"""Custom kinds: pruned and judged by their schema, without a router.

Kubernetes: apiextensions-apiserver, pkg/apiserver/customresource_handler.go.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, Final

from localplane.apimachinery.errors import BadRequest, Invalid, MethodNotAllowed, NotFound
from localplane.apimachinery.fieldpath import FieldError, invalid
from localplane.apimachinery.golang.text import go_json, go_quote
from localplane.apimachinery.groups import GroupKind, GroupResource, GroupVersion
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apimachinery.schema import DecodeError, Node, Schema
from localplane.apimachinery.serializers.decode_messages import (
    cannot_be_handled,
    strict_decoding_error,
    type_meta,
    unrecognized,
)
from localplane.apimachinery.serializers.errors import NotAnObject
from localplane.apiserver.request import Request
from localplane.apiserver.storage.cacher.bad_objects import ObjectVerdict

from .interface import APPLY_PATCH, JSON_PATCH, MERGE_PATCH, Dialect, SchemaRules, ServedKind

_ON_ONE_OBJECT: Final = ("get", "update", "patch", "delete")
_ACROSS_NAMESPACES: Final = ("list", "watch")


class CustomKinds:
    """The schema of a custom resource may change under what is stored, so it is applied whenever that is read."""

    is_routed = False
    sends_stored = False
    items_say_type = True
    reads_once = False
    patch_types: Sequence[str] = (JSON_PATCH, MERGE_PATCH, APPLY_PATCH)
    """A strategic merge must know how lists merge, which custom resources don't say."""

    def schema_rules(self, schema: Callable[[], Schema]) -> SchemaRules:
        def prune(obj: JSONObject) -> None:
            with suppress(DecodeError):  # metadata that nobody could have written through us: better shown than hidden
                schema().prune(obj)

        return SchemaRules(prune=prune, fill=lambda obj: schema().default(obj))

    def take_known(
        self,
        schema: Schema,
        obj: JSONObject,
        *,
        kind: str,  # noqa: ARG002 - there is no decoder that would name it
        source: bytes | None = None,  # noqa: ARG002 - nor one that would show where it stopped
        keeps_nulls: bool = False,
    ) -> Sequence[str]:
        return schema.prune(obj, keeps_nulls=keeps_nulls)

    def complete(self, schema: Schema, obj: JSONObject, *, final: bool = False) -> None:
        """A custom resource has what somebody wrote, and its defaults."""

    def blank_status(self, schema: Schema, kind: str) -> JSONObject:  # noqa: ARG002 - nobody knows how one would look
        return {}

    def verdict(
        self,
        schema: Callable[[], Schema],  # noqa: ARG002 - see below
        obj: JSONObject,
        kind: str,
    ) -> ObjectVerdict | None:
        """Of a custom resource only the metadata is decoded, and Kubernetes drops what is wrong there."""
        try:
            _metadata_alone().decode(copied(obj), kind=kind)
        except DecodeError as error:
            return ObjectVerdict(str(error), is_shown=True)
        return None

    def reported(self, errors: Sequence[FieldError]) -> Sequence[FieldError]:
        return errors

    def has_message(self, schema: Callable[[], Schema]) -> bool:  # noqa: ARG002 - a definition has no numbers for fields
        return False

    def patched_order(self, schema: Schema) -> Node | None:  # noqa: ARG002 - a map has no order
        return None

    def go_type(self, group: str, kind: str) -> str:  # noqa: ARG002 - all custom resources are of one type
        return "*unstructured.Unstructured"

    def unknown_field(self, name: str, selectable: Collection[str]) -> str:  # noqa: ARG002 - it is told the same way
        return f"field label not supported: {name}"

    def complete_list_meta(self, meta: JSONObject) -> None:
        meta.setdefault("continue", "")

    def is_served(self, kind: ServedKind, request: Request) -> bool:
        info = request.info
        if info.namespace and not kind.namespaced:
            return False
        if kind.namespaced and not info.namespace and info.verb not in _ACROSS_NAMESPACES:
            return False
        if info.verb not in kind.verbs:
            raise MethodNotAllowed.of(kind.resource, info.verb)
        if info.verb in _ON_ONE_OBJECT and not info.name:
            raise BadRequest("name must be provided")
        return True

    def refuse_subresource(self, resource: GroupResource, name: str) -> None:
        raise NotFound.of(resource, name)

    def check_accept(self, accept: str, names: Sequence[str]) -> None:
        """The form of the answer is negotiated without a router."""

    def check_patch_type(self, content_type: str) -> None:
        """Whoever applies the patch looks at it."""

    def check_type(self, kind: ServedKind, request: Request, obj: Any, data: bytes, *, field_validation: str) -> None:
        """A custom resource must say what it is. One of another version has lost all of its fields by the time when
        that is noticed, and one of another kind is only found out by validation."""
        try:
            body_type = type_meta(obj)
        except NotAnObject as error:
            raise BadRequest(unrecognized(kind.kind, error, data)) from error
        for name, value in (("Kind", body_type.kind), ("apiVersion", body_type.api_version)):
            if not value:
                why = f"Object '{name}' is missing in '{go_json(obj)}'"
                raise BadRequest(unrecognized(kind.kind, why, data))
        try:
            GroupVersion.parse(body_type.api_version)
        except ValueError as error:
            raise BadRequest(unrecognized(kind.kind, error, data)) from error
        if body_type.api_version != kind.api_version:
            _tell_lost_fields(kind, request, obj, body_type.api_version, field_validation)
            raise BadRequest(
                f"the API version in the data ({body_type.api_version}) does not match the expected API version"
                f" ({kind.api_version})"
            )
        if body_type.kind != kind.kind:
            must = invalid("kind", body_type.kind, f"must be {kind.kind}")
            name = (obj.get("metadata") or {}).get("name", "")
            raise Invalid.of(GroupKind(kind.group_version.group, body_type.kind), name, [must])


CUSTOM_KINDS: Final[Dialect] = CustomKinds()


@cache
def _metadata_alone() -> Schema:
    return Schema.of(None)


def _tell_lost_fields(
    kind: ServedKind, request: Request, obj: JSONObject, api_version: str, field_validation: str
) -> None:
    is_other = obj["kind"] != kind.kind or api_version.rpartition("/")[0] != kind.group_version.group
    if is_other or kind.is_version(api_version):
        return
    lost = [f"unknown field {go_quote(name)}" for name in sorted(obj.keys() - {"apiVersion", "kind", "metadata"})]
    if lost and field_validation == "Strict":
        why = strict_decoding_error(lost)
        raise BadRequest(cannot_be_handled(kind.kind, kind.group_version.version, kind.kind, why))
    if field_validation != "Ignore":
        request.warnings.extend(lost)
