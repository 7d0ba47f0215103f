"""Reading an object from a request's body: bounded, strict where asked, and told in Kubernetes' words when it fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from localplane.apimachinery.errors import BadRequest, Invalid, RequestEntityTooLarge
from localplane.apimachinery.fieldpath import invalid
from localplane.apimachinery.gotext import go_json, go_quote
from localplane.apimachinery.groups import GroupKind, GroupVersion
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema import DecodeError
from localplane.apimachinery.serializers import protobuf
from localplane.apimachinery.serializers.decode_messages import (
    cannot_be_handled,
    strict_decoding_error,
    type_meta,
    unrecognized,
    version_kind_error,
)
from localplane.apimachinery.serializers.errors import (
    JSONSyntaxError,
    NotAnObject,
    ProtobufError,
    SerializationError,
)
from localplane.apimachinery.serializers.json import parse_json
from localplane.apimachinery.serializers.media_types import PROTOBUF, YAML, MediaType, negotiate_input
from localplane.apimachinery.serializers.parsed import Parsed
from localplane.apimachinery.serializers.yaml import parse_yaml
from localplane.apiserver.long_work import HEAVY_BYTES, HEAVY_YAML_BYTES, is_heavy
from localplane.apiserver.request import MAX_BODY_BYTES, BodyTooLarge, Request

from .scope import Scope

_LIGHT_BYTES = 4 * 1024

# Kubernetes names the place in its source where its registry of kinds is made, and clients have seen it for years.
_SCHEME = "pkg/api/legacyscheme/scheme.go:30"
_NO_MESSAGE = "does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message"


async def read(request: Request) -> bytes:
    """Tells by its size and form, too, whether the request is heavy."""
    try:
        data = await request.read_body(MAX_BODY_BYTES)
    except BodyTooLarge:
        raise RequestEntityTooLarge.of(f"limit is {MAX_BODY_BYTES}") from None
    if len(data) > _LIGHT_BYTES:
        content_type = request.headers.get("content-type", "")
        most_bytes = HEAVY_YAML_BYTES if "yaml" in content_type else HEAVY_BYTES
        request.heavy = is_heavy(data, most_bytes=_LIGHT_BYTES if "protobuf" in content_type else most_bytes)
    return data


def media_type_of(scope: Scope, request: Request) -> MediaType:
    """Raises UnsupportedMediaType."""
    return negotiate_input(request.headers.get("content-type", ""), scope.media_types)


def parse(data: bytes, media_type: MediaType, *, find_duplicates: bool = False) -> Parsed:
    """Text; a message is nothing without its schema. Raises SerializationError."""
    return (parse_yaml if media_type == YAML else parse_json)(data, find_duplicates=find_duplicates)


def decode(scope: Scope, request: Request, data: bytes, media_type: MediaType, *, field_validation: str) -> JSONObject:
    """The body's object in the scope's version: checked, pruned and defaulted. Raises BadRequest.

    Unknown and duplicate fields are dropped, warned about or refused, as `field_validation` says.
    """
    if media_type == PROTOBUF:
        return _decode_message(scope, data)
    try:
        parsed = parse(data, media_type, find_duplicates=field_validation != "Ignore")
    except JSONSyntaxError as error:
        raise BadRequest(unrecognized(scope.kind, version_kind_error(error), data)) from error
    except SerializationError as error:
        raise BadRequest(unrecognized(scope.kind, error, data)) from error
    obj: Any = {} if parsed.value is None else parsed.value
    if scope.typed:
        _check_type(scope, obj, data)
    else:
        _check_custom_type(scope, request, obj, data, field_validation=field_validation)
    try:
        unknown = take_known(scope, obj, source=data)
    except DecodeError as error:
        raise _not_decodable(scope, str(error)) from error
    if field_validation == "Strict" and (unknown or parsed.strict):
        raise _not_decodable(scope, strict_decoding_error([*parsed.strict, *unknown]))
    if field_validation != "Ignore":
        request.warnings.extend((*parsed.duplicates, *unknown))
    complete(scope, obj)
    return dict(obj)


def _decode_message(scope: Scope, data: bytes) -> JSONObject:
    """Fields that nobody knows are passed over, however strict the client wants it: that is what protobuf is for."""
    try:
        envelope = protobuf.opened(data)
    except ProtobufError as error:
        raise BadRequest(unrecognized(scope.kind, error, data)) from error
    _check_type(scope, {"kind": envelope.kind, "apiVersion": envelope.api_version}, data)
    if PROTOBUF not in scope.own_media_types:
        what = f"*{hub_package(scope)}.{scope.kind}" if scope.typed else "*unstructured.Unstructured"
        raise _not_decodable(scope, f"object {what} {_NO_MESSAGE}")
    try:
        obj = protobuf.read_message(protobuf.object_node(scope.schema().node), envelope.message)
    except SerializationError as error:
        raise _not_decodable(scope, str(error)) from error
    complete(scope, obj)
    return obj


def take_known(
    scope: Scope, obj: JSONObject, *, source: bytes | None = None, keeps_nulls: bool = False
) -> Sequence[str]:
    """Drop from an object of the scope's version what its schema does not know, and tell what. Raises DecodeError."""
    schema = scope.schema()
    if scope.typed:
        unknown = schema.decode(obj, kind=scope.kind, source=source)
    else:
        unknown = schema.prune(obj, keeps_nulls=keeps_nulls)
    return [f"unknown field {go_quote(path)}" for path in unknown] if unknown else ()


def complete(scope: Scope, obj: JSONObject) -> None:
    """Fill in what a client may leave out: the type, and whatever has a default."""
    obj["kind"], obj["apiVersion"] = scope.kind, scope.api_version
    scope.schema().default(obj)
    scope.converter.default(obj, scope.group_version.version)
    if scope.typed:
        scope.schema().complete(obj)


def _not_decodable(scope: Scope, why: str) -> BadRequest:
    """A field has another type than its kind says, or is none of its fields."""
    return BadRequest(cannot_be_handled(scope.kind, scope.group_version.version, scope.kind, why))


def _check_type(scope: Scope, obj: Any, data: bytes) -> None:
    """The body says what the URL says, or nothing."""
    try:
        told = type_meta(obj)
    except NotAnObject as error:
        raise BadRequest(unrecognized(scope.kind, error, data)) from error
    kind = told.kind or scope.kind
    try:
        version = GroupVersion.parse(told.api_version) if told.api_version else scope.group_version
    except ValueError as error:
        raise BadRequest(cannot_be_handled(kind, told.api_version, scope.kind, error)) from error
    if kind == scope.kind and version == scope.group_version:
        return
    if kind == scope.kind and version.group == scope.group_version.group and scope.converter.serves(version.version):
        raise BadRequest(
            f"the API version in the data ({version}) does not match the expected API version ({scope.group_version})"
        )
    raise BadRequest(cannot_be_handled(kind, version.version, scope.kind, why_not(scope, kind, version)))


def _check_custom_type(scope: Scope, request: Request, obj: Any, data: bytes, *, field_validation: str) -> None:
    """A custom resource must say what it is. One of another version has lost all of its fields by the time when that
    is noticed, and one of another kind is only found out by validation."""
    try:
        told = type_meta(obj)
    except NotAnObject as error:
        raise BadRequest(unrecognized(scope.kind, error, data)) from error
    for name, value in (("Kind", told.kind), ("apiVersion", told.api_version)):
        if not value:
            why = f"Object '{name}' is missing in '{go_json(obj)}'"
            raise BadRequest(unrecognized(scope.kind, why, data))
    if told.api_version != scope.api_version:
        _tell_lost_fields(scope, request, obj, told.api_version, field_validation)
        raise BadRequest(
            f"the API version in the data ({told.api_version}) does not match the expected API version"
            f" ({scope.api_version})"
        )
    if told.kind != scope.kind:
        must = invalid("kind", told.kind, f"must be {scope.kind}")
        name = (obj.get("metadata") or {}).get("name", "")
        raise Invalid.of(GroupKind(scope.group_version.group, told.kind), name, [must])


def _tell_lost_fields(scope: Scope, request: Request, obj: JSONObject, api_version: str, field_validation: str) -> None:
    is_known = scope.converter.version_named(api_version) is not None
    if obj["kind"] != scope.kind or is_known or api_version.rpartition("/")[0] != scope.group_version.group:
        return
    lost = [f"unknown field {go_quote(name)}" for name in sorted(obj.keys() - {"apiVersion", "kind", "metadata"})]
    if lost and field_validation == "Strict":
        raise _not_decodable(scope, strict_decoding_error(lost))
    if field_validation != "Ignore":
        request.warnings.extend(lost)


def why_not(scope: Scope, kind: str, version: GroupVersion) -> str:
    """Why an object of another kind is none of the scope's."""
    if scope.known_kinds(version, kind):
        return f"converting ({version.version}.{kind}) to ({hub_package(scope)}.{scope.kind}): unknown conversion"
    return f'no kind {go_quote(kind)} is registered for version {go_quote(str(version))} in scheme "{_SCHEME}"'


def hub_package(scope: Scope) -> str:
    """What Kubernetes calls the package of a hub type in a message."""
    return scope.group_version.group.partition(".")[0] or "core"
