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
    check_route,
    negotiate,
    negotiate_stream,
    object_transforms,
    stream_names,
    wants_pretty,
)
from localplane.apiserver.request import Request

from .scope import Scope

_TRANSFORMS = object_transforms()
_WITHOUT_MESSAGE = object_transforms(plain=(JSON, YAML))
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


def negotiated(scope: Scope, request: Request, *, collection: bool = False) -> Target:
    """Raises NotAcceptable. `collection`: a list, whose route also offers the forms of a watch."""
    accept = request.headers.get("accept", "")
    pretty = wants_pretty(request.query.get("pretty"), request.headers.get("user-agent", ""))
    if not pretty and accept in _MEANS_PLAIN:
        return _PLAIN
    _check_route(scope, accept, collection=collection)
    return _target(negotiate(accept, scope.media_types, transforms=_transforms(scope, accept), pretty=pretty), request)


def negotiated_stream(scope: Scope, request: Request) -> Target:
    accept = request.headers.get("accept", "")
    _check_route(scope, accept, collection=True)
    return _target(negotiate_stream(accept, scope.media_types, transforms=_transforms(scope, accept)), request)


def _transforms(scope: Scope, accept: str) -> Transforms:
    """What has no message is passed over for the next form that the client accepts. Who says nothing of protobuf costs
    nobody a look."""
    if "protobuf" not in accept or PROTOBUF in scope.own_media_types:
        return _TRANSFORMS
    return _WITHOUT_MESSAGE


def _check_route(scope: Scope, accept: str, *, collection: bool) -> None:
    if scope.typed:
        names = [media_type.name for media_type in scope.media_types]
        check_route(accept, [*names, *stream_names(scope.media_types)] if collection else names)


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
