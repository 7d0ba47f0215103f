"""Built-in kinds: decoded as Go decodes a struct, behind a router.

Kubernetes: apiserver/pkg/endpoints/installer.go, which registers the paths.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

from localplane.apimachinery.errors import BadRequest, MethodNotAllowed, generic
from localplane.apimachinery.fieldpath import MORE_ERRORS, FieldError, told
from localplane.apimachinery.groups import GroupResource, GroupVersion
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apimachinery.schema import DecodeError, Node, Schema
from localplane.apimachinery.serializers import protobuf
from localplane.apimachinery.serializers.decode_messages import cannot_be_handled, type_meta, unrecognized
from localplane.apimachinery.serializers.errors import NotAnObject
from localplane.apimachinery.serializers.media_types import check_route, check_route_input
from localplane.apiserver.request import Request, RequestInfo
from localplane.apiserver.storage.cacher.bad_objects import ObjectVerdict

from .interface import (
    APPLY_PATCH,
    JSON_PATCH,
    MERGE_PATCH,
    STRATEGIC_MERGE_PATCH,
    Dialect,
    SchemaRules,
    ServedKind,
)
from .scheme import hub_type, why_not

_NOTHING: Final[frozenset[str]] = frozenset()
_READ: Final = frozenset({"GET"})


class StructKinds:
    is_routed = True
    sends_stored = True
    items_say_type = False
    reads_once = True
    patch_types: Sequence[str] = (JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, APPLY_PATCH)

    def schema_rules(self, schema: Callable[[], Schema]) -> SchemaRules:
        return SchemaRules(complete=lambda obj: schema().complete(obj, final=True))

    def take_known(
        self,
        schema: Schema,
        obj: JSONObject,
        *,
        kind: str,
        source: bytes | None = None,
        keeps_nulls: bool = False,  # noqa: ARG002 - a null is nothing to a struct
    ) -> Sequence[str]:
        return schema.decode(obj, kind=kind, source=source)

    def complete(self, schema: Schema, obj: JSONObject, *, final: bool = False) -> None:
        schema.complete(obj, final=final)

    def blank_status(self, schema: Schema, kind: str) -> JSONObject:
        obj: JSONObject = {"metadata": {}}
        schema.decode(obj, kind=kind)
        return {"status": obj["status"]} if "status" in obj else {}

    def verdict(self, schema: Callable[[], Schema], obj: JSONObject, kind: str) -> ObjectVerdict | None:
        """Missing fields are told and not held against an object: to a struct they are empty."""
        try:
            schema().decode(copied(obj), kind=kind)
        except DecodeError as error:
            return ObjectVerdict(str(error))
        missing = _missing(schema(), obj)
        return ObjectVerdict(f"{missing}: Required value", is_shown=True) if missing else None

    def reported(self, errors: Sequence[FieldError]) -> Sequence[FieldError]:
        """Built-in kinds have overlapping rules, and tell each fault once: Kubernetes filters their errors, which drops
        repetitions (util/validation/field, ErrorList.Filter), and appends what its declarations found to what was found
        by hand (registry/rest/validate.go)."""
        return sorted({str(error): error for error in told(errors)}.values(), key=_is_declared)

    def has_message(self, schema: Callable[[], Schema]) -> bool:
        return protobuf.has_message(schema().node)

    def patched_order(self, schema: Schema) -> Node | None:
        return schema.root

    def go_type(self, group: str, kind: str) -> str:
        return f"*{hub_type(group, kind)}"

    def unknown_field(self, name: str, selectable: Collection[str]) -> str:
        if selectable:
            return f"field label not supported: {name}"
        return f'"{name}" is not a known field selector: only "metadata.name", "metadata.namespace"'

    def complete_list_meta(self, meta: JSONObject) -> None:
        """What is empty is left out."""

    def is_served(self, kind: ServedKind, request: Request) -> bool:
        methods = _methods(kind, request)
        if not methods:
            raise generic(404)
        if request.method not in methods:
            raise generic(405)
        if request.info.verb == "watch" and "watch" not in kind.verbs:
            raise MethodNotAllowed.of(kind.resource, "watch")
        return True

    def refuse_subresource(self, resource: GroupResource, name: str) -> None:  # noqa: ARG002 - a router knows no names
        raise generic(404)

    def check_accept(self, accept: str, names: Sequence[str]) -> None:
        check_route(accept, names)

    def check_patch_type(self, content_type: str) -> None:
        check_route_input(content_type, self.patch_types)

    def check_type(
        self,
        kind: ServedKind,
        request: Request,  # noqa: ARG002 - there is nothing to warn of
        obj: Any,
        data: bytes,
        *,
        field_validation: str,  # noqa: ARG002 - nor anything to forgive
    ) -> None:
        check_type(kind, obj, data)


STRUCT_KINDS: Final[Dialect] = StructKinds()


def check_type(served: ServedKind, obj: Any, data: bytes) -> None:
    """The body says what the URL says, or nothing. Raises BadRequest."""
    try:
        body_type = type_meta(obj)
    except NotAnObject as error:
        raise BadRequest(unrecognized(served.kind, error, data)) from error
    kind = body_type.kind or served.kind
    try:
        version = _completed(GroupVersion.parse(body_type.api_version), served.group_version)
    except ValueError as error:
        raise BadRequest(unrecognized(served.kind, error, data)) from error
    if kind == served.kind and version == served.group_version:
        return
    if kind == served.kind and version in served.known_versions:
        raise BadRequest(
            f"the API version in the data ({version}) does not match the expected API version ({served.group_version})"
        )
    raise BadRequest(cannot_be_handled(kind, version.version, served.kind, why_not(served, kind, version)))


def _completed(version: GroupVersion, default: GroupVersion) -> GroupVersion:
    """What a body leaves out of its apiVersion is what the URL says. Kubernetes: serializer/json, gvkWithDefaults."""
    if version.version or version.group not in ("", default.group):
        return version
    return default


def _methods(kind: ServedKind, request: Request) -> Collection[str]:
    """What a path answers to. Its parts count, not `info.name`: a selector may have put that there."""
    info = request.info
    length = len(info.parts)
    too_long = length > (3 if kind.subresource else 2) and not kind.connects_below
    if too_long or "" in info.parts[:3] or not _is_in_place(kind, info):  # what is below a connection is not ours
        return _NOTHING
    verb_in_path = _verb_in_path(request)
    if verb_in_path:
        is_watched = verb_in_path == "watch" and not kind.subresource and "watch" in kind.verbs
        return _READ if is_watched else _NOTHING
    if kind.namespaced and not info.namespace:
        return _READ if length == 1 and "list" in kind.verbs else _NOTHING
    return kind.collection_methods if length == 1 else kind.item_methods


def _is_in_place(kind: ServedKind, info: RequestInfo) -> bool:
    """A namespaced object is in a namespace, and nothing else is; a namespace is where it is itself."""
    if kind.namespaced:
        return bool(info.namespace) or len(info.parts) == 1
    if not info.namespace:
        return True
    return info.resource == "namespaces" and info.parts[1:2] == (info.namespace,)


def _verb_in_path(request: Request) -> str:
    """`/api/v1/watch/...` and `/api/v1/proxy/...`, as they were before there were query parameters for it."""
    info = request.info
    if info.verb not in ("watch", "proxy"):
        return ""
    parts = request.path.strip("/").split("/")
    return info.verb if parts[2 if info.api_prefix == "api" else 3] == info.verb else ""


def _missing(schema: Schema, obj: JSONObject) -> str | None:
    """The first required field that is not there, in the object or in its spec: deeper ones are for those who read
    them."""
    node, path, value = schema.root, "", obj
    while True:
        for name in node.required:
            if name not in value:
                return f"{path}{name}"
        spec = None if path else node.properties.get("spec")
        if spec is None or not isinstance(value.get("spec"), dict):
            return None
        spec.node.load()
        node, path, value = spec.node, "spec.", value["spec"]


def _is_declared(error: FieldError) -> bool:
    return error.declared or error is MORE_ERRORS
