"""The messages of apimachinery itself, declared as any library user would declare his.

Kubernetes: apimachinery/pkg/apis/meta/v1, generated.proto.
"""

# ruff: noqa: N815 - the names on the wire

from __future__ import annotations

from functools import cache
from typing import Annotated

from localplane.apimachinery.schema import Field, Int32, Node
from localplane.apimachinery.schema.classes import node_of_class
from localplane.apimachinery.schema.meta import ObjectMeta


class ShardInfo:
    selector: Annotated[str, Field(protobuf={"n": 1})]


class ListMeta:
    selfLink: Annotated[str, Field(protobuf={"n": 1})] = ""
    resourceVersion: Annotated[str, Field(protobuf={"n": 2})] = ""
    # The name on the wire is a word of Python's.
    continue_: Annotated[str, Field(name="continue", protobuf={"n": 3})] = ""
    remainingItemCount: Annotated[int | None, Field(protobuf={"n": 4})] = None
    shardInfo: Annotated[ShardInfo | None, Field(protobuf={"n": 5})] = None


class StatusCause:
    reason: Annotated[str, Field(protobuf={"n": 1})] = ""
    message: Annotated[str, Field(protobuf={"n": 2})] = ""
    field: Annotated[str, Field(protobuf={"n": 3})] = ""


class StatusDetails:
    name: Annotated[str, Field(protobuf={"n": 1})] = ""
    group: Annotated[str, Field(protobuf={"n": 2})] = ""
    kind: Annotated[str, Field(protobuf={"n": 3})] = ""
    causes: Annotated[list[StatusCause] | None, Field(protobuf={"n": 4})] = None
    retryAfterSeconds: Annotated[Int32, Field(protobuf={"n": 5})] = 0
    uid: Annotated[str, Field(protobuf={"n": 6})] = ""


class Status:
    metadata: Annotated[ListMeta, Field(protobuf={"n": 1})]
    status: Annotated[str, Field(protobuf={"n": 2})] = ""
    message: Annotated[str, Field(protobuf={"n": 3})] = ""
    reason: Annotated[str, Field(protobuf={"n": 4})] = ""
    details: Annotated[StatusDetails | None, Field(protobuf={"n": 5})] = None
    code: Annotated[Int32, Field(protobuf={"n": 6})] = 0


class PartialObjectMetadata:
    metadata: Annotated[ObjectMeta, Field(protobuf={"n": 1})]


@cache
def status() -> Node:
    return node_of_class(Status)


@cache
def list_meta() -> Node:
    return node_of_class(ListMeta)


@cache
def partial_object_metadata() -> Node:
    return node_of_class(PartialObjectMetadata)
