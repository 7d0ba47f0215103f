"""Which form of the answer a client wants: JSON, YAML or protobuf, whole, as a table, or its metadata alone."""

from __future__ import annotations

from dataclasses import dataclass

from localplane.apimachinery.errors import BadRequest
from localplane.apimachinery.fieldpath import invalid
from localplane.apimachinery.serializers.media_types import (
    JSON,
    PROTOBUF,
    YAML,
    Negotiated,
    Transforms,
    negotiate,
    negotiate_stream,
    object_transforms,
    stream_names,
    wants_pretty,
)
from localplane.apiserver.endpoints.served import MEDIA_TYPES, Served
from localplane.apiserver.request import Request

_TRANSFORMS = object_transforms()
_WITHOUT_TABLE = object_transforms(table=False)
_WITHOUT_MESSAGE = object_transforms(plain=(JSON, YAML))
_OBJECT_ALONE = object_transforms(table=False, plain=(JSON, YAML))
_NAMES = [media_type.name for media_type in MEDIA_TYPES]
_COLLECTION_NAMES = [*_NAMES, *stream_names(MEDIA_TYPES)]
_INCLUDE = ("None", "Metadata", "Object")


@dataclass(frozen=True, slots=True)
class Target:
    """`transform` is Table, PartialObjectMetadata, PartialObjectMetadataList or "" for the object itself, and
    `transform_version` the apiVersion it is written with."""

    media_type: str
    transform: str
    transform_version: str
    include_object: str
    pretty: bool

    @property
    def plain(self) -> bool:
        """Stored bytes can be sent as they are."""
        return self.media_type == JSON.name and not self.transform and not self.pretty

    @property
    def protobuf(self) -> bool:
        return self.media_type == PROTOBUF.name

    @property
    def stream_type(self) -> str:
        """The Content-Type of a watch. Only JSON goes without saying that it is one."""
        return self.media_type if self.media_type == JSON.name else f"{self.media_type};stream=watch"


_PLAIN = Target(JSON.name, "", "", "Metadata", pretty=False)
# What most programs send; the rest is worked out.
_MEANS_PLAIN = frozenset({"application/json", "*/*", "", "application/json, */*"})


def negotiated(served: Served, request: Request, *, collection: bool = False) -> Target:
    """Raises NotAcceptable. `collection`: a list, whose route also offers the forms of a watch."""
    accept = request.headers.get("accept", "")
    pretty = wants_pretty(request.query.get("pretty"), request.headers.get("user-agent", ""))
    if not pretty and accept in _MEANS_PLAIN:
        return _PLAIN
    _check_route(served, accept, collection=collection)
    return _target(negotiate(accept, MEDIA_TYPES, transforms=_transforms(served, accept), pretty=pretty), request)


def negotiated_stream(served: Served, request: Request) -> Target:
    accept = request.headers.get("accept", "")
    _check_route(served, accept, collection=True)
    return _target(negotiate_stream(accept, MEDIA_TYPES, transforms=_transforms(served, accept)), request)


def _transforms(served: Served, accept: str) -> Transforms:
    """What has no message or table is passed over for the next form that the client accepts. Who says nothing of
    protobuf costs nobody a look."""
    if "protobuf" not in accept or PROTOBUF in served.own_media_types:
        return _TRANSFORMS if served.has_table else _WITHOUT_TABLE
    return _WITHOUT_MESSAGE if served.has_table else _OBJECT_ALONE


def _check_route(served: Served, accept: str, *, collection: bool) -> None:
    served.dialect.check_accept(accept, _COLLECTION_NAMES if collection else _NAMES)


def _target(found: Negotiated, request: Request) -> Target:
    include = "Metadata"
    if found.as_kind == "Table":
        include = request.query.get("includeObject") or "Metadata"
        if include not in _INCLUDE:
            why = "must be 'Metadata', 'Object', 'None', or empty"
            problem = invalid("includeObject", include, why)
            raise BadRequest(f"Unable to convert to Table as requested: {problem}")
    return Target(
        found.media_type.name,
        found.as_kind or "",
        str(found.as_group_version) if found.as_group_version else "",
        include,
        found.pretty,
    )
