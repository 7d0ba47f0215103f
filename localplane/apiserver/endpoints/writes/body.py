"""Reading an object from a request's body: bounded, strict where asked, and told in Kubernetes' words when it fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from localplane.apimachinery.errors import BadRequest, RequestEntityTooLarge
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema import DecodeError
from localplane.apimachinery.serializers import protobuf
from localplane.apimachinery.serializers.decode_messages import (
    cannot_be_handled,
    strict_decoding_error,
    unrecognized,
    version_kind_error,
)
from localplane.apimachinery.serializers.errors import (
    JSONSyntaxError,
    ProtobufError,
    SerializationError,
)
from localplane.apimachinery.serializers.json import parse_json
from localplane.apimachinery.serializers.media_types import PROTOBUF, YAML, MediaType, negotiate_input
from localplane.apimachinery.serializers.parsed import Parsed
from localplane.apimachinery.serializers.strict_order import (
    complaints_in_key_order,
    complaints_of_json,
    unknown_fields,
)
from localplane.apimachinery.serializers.yaml import parse_yaml
from localplane.apiserver.dialects.structs import check_type
from localplane.apiserver.endpoints.served import MEDIA_TYPES, Served
from localplane.apiserver.long_work import HEAVY_BYTES, HEAVY_YAML_BYTES, is_heavy
from localplane.apiserver.request import MAX_BODY_BYTES, BodyTooLarge, Request

_LIGHT_BYTES = 4 * 1024

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


def media_type_of(request: Request) -> MediaType:
    """Raises UnsupportedMediaType."""
    return negotiate_input(request.headers.get("content-type", ""), MEDIA_TYPES)


def parse(data: bytes, media_type: MediaType, *, find_duplicates: bool = False) -> Parsed:
    """Text; a message is nothing without its schema. Raises SerializationError."""
    return (parse_yaml if media_type == YAML else parse_json)(data, find_duplicates=find_duplicates)


def decode(
    served: Served, request: Request, data: bytes, media_type: MediaType, *, field_validation: str
) -> JSONObject:
    """The body's object in the version that is served: checked, pruned and defaulted. Raises BadRequest.

    Unknown and duplicate fields are dropped, warned about or refused, as `field_validation` says.
    """
    if media_type == PROTOBUF:
        return _decode_message(served, data)
    try:
        parsed = parse(data, media_type, find_duplicates=field_validation != "Ignore")
    except JSONSyntaxError as error:
        raise BadRequest(unrecognized(served.kind, version_kind_error(error), data)) from error
    except SerializationError as error:
        raise BadRequest(unrecognized(served.kind, error, data)) from error
    obj: Any = {} if parsed.value is None else parsed.value
    served.dialect.check_type(served, request, obj, data, field_validation=field_validation)
    try:
        unknown = take_known(served, obj, source=data)
    except DecodeError as error:
        raise _not_decodable(served, _first_fault(served, data, media_type, error)) from error
    if field_validation == "Strict" and (unknown or parsed.strict):
        raise _not_decodable(
            served, strict_decoding_error(_complaints(served, data, media_type, parsed.strict, unknown))
        )
    if field_validation != "Ignore" and (unknown or parsed.duplicates):
        request.warnings.extend(_complaints(served, data, media_type, parsed.duplicates, unknown))
    complete(served, obj)
    return dict(obj)


def _first_fault(served: Served, data: bytes, media_type: MediaType, error: DecodeError) -> str:
    """What a decoder stops at. YAML is made JSON with sorted keys before it is decoded, so another fault may come
    first."""
    if media_type != YAML:
        return str(error)
    try:
        take_known(served, _sorted(parse(data, media_type).value), source=data)
    except DecodeError as first:
        return str(first)
    return str(error)


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def _complaints(
    served: Served, data: bytes, media_type: MediaType, duplicates: Sequence[str], unknown: Sequence[str]
) -> Sequence[str]:
    """Everything that a strict decoder has to say of a body, in its order."""
    if not served.dialect.reads_once:
        return [*duplicates, *unknown_fields(unknown)]
    if media_type == YAML:
        return [*duplicates, *complaints_in_key_order(parse(data, media_type).value, unknown)]
    return complaints_of_json(data, unknown, duplicates)


def _decode_message(served: Served, data: bytes) -> JSONObject:
    """Fields that nobody knows are passed over, however strict the client wants it: that is what protobuf is for."""
    try:
        envelope = protobuf.opened(data)
    except ProtobufError as error:
        raise BadRequest(unrecognized(served.kind, error, data)) from error
    check_type(served, {"kind": envelope.kind, "apiVersion": envelope.api_version}, data)
    if PROTOBUF not in served.own_media_types:
        what = served.dialect.go_type(served.group_version.group, served.kind)
        raise _not_decodable(served, f"object {what} {_NO_MESSAGE}")
    try:
        obj = protobuf.read_message(protobuf.object_node(served.schema().node), envelope.message)
    except SerializationError as error:
        raise _not_decodable(served, str(error)) from error
    complete(served, obj)
    return obj


def take_known(
    served: Served, obj: JSONObject, *, source: bytes | None = None, keeps_nulls: bool = False
) -> Sequence[str]:
    """Drop from an object what the schema of its version does not know, and tell its paths. Raises DecodeError."""
    return served.dialect.take_known(served.schema(), obj, kind=served.kind, source=source, keeps_nulls=keeps_nulls)


def complete(served: Served, obj: JSONObject) -> None:
    """Fill in what a client may leave out: the type, and whatever has a default."""
    obj["kind"], obj["apiVersion"] = served.kind, served.api_version
    schema = served.schema()
    schema.default(obj)
    served.converter.default(obj, served.group_version.version)
    served.dialect.complete(schema, obj)


def _not_decodable(served: Served, why: str) -> BadRequest:
    """A field has another type than its kind says, or is none of its fields."""
    return BadRequest(cannot_be_handled(served.kind, served.group_version.version, served.kind, why))
