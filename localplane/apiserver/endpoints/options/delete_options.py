"""The options of a delete, which come in the body, or else in the query.

Kubernetes: apimachinery/pkg/apis/meta/v1/validation.
"""

# ruff: noqa: N815 - the names on the wire

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Annotated

from localplane.apimachinery.errors import BadRequest, Invalid
from localplane.apimachinery.fieldpath import FieldError, invalid, not_supported
from localplane.apimachinery.golang.sources import OPTIONS_SCHEME
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.groups import GroupKind
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema import DecodeError, Field, Schema
from localplane.apimachinery.serializers import protobuf
from localplane.apimachinery.serializers.decode_messages import type_meta, version_kind_error
from localplane.apimachinery.serializers.errors import JSONSyntaxError, SerializationError
from localplane.apimachinery.serializers.media_types import PROTOBUF
from localplane.apiserver.endpoints.writes import body
from localplane.apiserver.registry.rest import DeleteOptions
from localplane.apiserver.request import Query, Request

from .parameters import OPTIONS_GROUP, number, optional_flag
from .write_options import dry_run_errors

_PROPAGATION = ("Foreground", "Background", "Orphan")


class Preconditions:
    """Called so in messages."""

    uid: Annotated[str | None, Field(go_type="types.UID", protobuf={"n": 1})] = None
    resourceVersion: Annotated[str | None, Field(protobuf={"n": 2})] = None


class _DeleteOptions:
    gracePeriodSeconds: Annotated[int | None, Field(protobuf={"n": 1})] = None
    preconditions: Annotated[Preconditions | None, Field(protobuf={"n": 2})] = None
    orphanDependents: Annotated[bool | None, Field(protobuf={"n": 3})] = None
    propagationPolicy: Annotated[str | None, Field(go_type="v1.DeletionPropagation", protobuf={"n": 4})] = None
    dryRun: Annotated[list[str] | None, Field(protobuf={"n": 5})] = None


@cache
def _schema() -> Schema:
    return Schema.of(_DeleteOptions)


async def delete_options(request: Request) -> DeleteOptions:
    """Raises BadRequest, Invalid and what reading a body raises.

    A body may be of any version: Go clients send options in that of the group they speak to.
    """
    data = await body.read(request)
    if not data:
        return _from_query(request.query)
    media_type = body.media_type_of(request)
    try:
        value = _message(data) if media_type == PROTOBUF else body.parse(data, media_type).value
        body_type = type_meta(value)
    except JSONSyntaxError as error:
        raise BadRequest(version_kind_error(error)) from error
    except SerializationError as error:
        raise BadRequest(str(error)) from error
    if body_type.kind not in ("", "DeleteOptions"):
        version = go_quote(body_type.api_version or "v1")
        raise BadRequest(
            f'no kind {go_quote(body_type.kind)} is registered for version {version} in scheme "{OPTIONS_SCHEME}"'
        )
    return _from_body(value or {}, data)


def _message(data: bytes) -> JSONObject:
    """What is no DeleteOptions is not read: it is refused for what it says of itself."""
    envelope = protobuf.opened(data)
    obj = {"kind": envelope.kind, "apiVersion": envelope.api_version}
    if envelope.kind not in ("", "DeleteOptions"):
        return obj
    return obj | protobuf.read_message(_schema().node, envelope.message)


def _from_body(value: JSONObject, data: bytes) -> DeleteOptions:
    try:
        _schema().decode(value, kind="DeleteOptions", source=data)
    except DecodeError as error:
        raise BadRequest(str(error)) from error
    preconditions = value.get("preconditions") or {}
    dry_run = value.get("dryRun") or []
    options = DeleteOptions(
        dry_run=bool(dry_run),
        grace_period_seconds=value.get("gracePeriodSeconds"),
        propagation_policy=value.get("propagationPolicy"),
        orphan_dependents=value.get("orphanDependents"),
        precondition_uid=preconditions.get("uid"),
        precondition_resource_version=preconditions.get("resourceVersion"),
    )
    return _checked(options, dry_run)


def _from_query(query: Query) -> DeleteOptions:
    dry_run = query.all("dryRun")
    options = DeleteOptions(
        dry_run=bool(dry_run),
        grace_period_seconds=number(query, "gracePeriodSeconds"),
        propagation_policy=query.get("propagationPolicy") if "propagationPolicy" in query else None,
        orphan_dependents=optional_flag(query, "orphanDependents"),
        precondition_uid=query.get("uid") or None,
        precondition_resource_version=query.get("resourceVersion") or None,
    )
    return _checked(options, dry_run)


def _checked(options: DeleteOptions, dry_run: Sequence[str]) -> DeleteOptions:
    policy = options.propagation_policy
    errors: list[FieldError] = []
    if policy is not None and options.orphan_dependents is not None:
        both = "orphanDependents and deletionPropagation cannot be both set"
        errors.append(invalid("propagationPolicy", policy, both))
    if policy is not None and policy not in _PROPAGATION:
        errors.append(not_supported("propagationPolicy", policy, (*_PROPAGATION, "nil")))
    errors += dry_run_errors(list(dry_run))
    if errors:
        raise Invalid.of(GroupKind(OPTIONS_GROUP, "DeleteOptions"), "", errors)
    return options
