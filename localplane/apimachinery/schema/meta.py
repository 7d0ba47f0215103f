"""The metadata that every object has, declared as any library user would declare it.

Kubernetes: apimachinery/pkg/apis/meta/v1 (ObjectMeta, OwnerReference, ManagedFieldsEntry).
"""

# ruff: noqa: N815 - the names on the wire

from __future__ import annotations

from functools import cache
from typing import Annotated

from .classes import node_of_class
from .declaration import Field, RawObject, Time
from .nodes import Node, Property


class OwnerReference:
    """An object that this one belongs to, and with which it is deleted."""

    __definition__ = "io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference"
    __map_type__ = "atomic"

    apiVersion: Annotated[str, Field(protobuf={"n": 5})]
    kind: Annotated[str, Field(protobuf={"n": 1})]
    name: Annotated[str, Field(protobuf={"n": 3})]
    uid: Annotated[str, Field(protobuf={"n": 4}, go_type="types.UID")]
    controller: Annotated[bool | None, Field(protobuf={"n": 6})] = None
    blockOwnerDeletion: Annotated[bool | None, Field(protobuf={"n": 7})] = None


class ManagedFieldsEntry:
    """The fields that one manager last set, with one operation, in one version."""

    __definition__ = "io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry"

    manager: Annotated[str, Field(protobuf={"n": 1})] = ""
    operation: Annotated[str, Field(protobuf={"n": 2}, go_type="v1.ManagedFieldsOperationType")] = ""
    apiVersion: Annotated[str, Field(protobuf={"n": 3})] = ""
    time: Annotated[Time | None, Field(protobuf={"n": 4})] = None
    fieldsType: Annotated[str, Field(protobuf={"n": 6})] = ""
    fieldsV1: Annotated[RawObject | None, Field(protobuf={"n": 7}, go_type="v1.FieldsV1")] = None
    subresource: Annotated[str, Field(protobuf={"n": 8})] = ""


class ObjectMeta:
    """What every stored object has: its name, its place in time, its labels and its owners."""

    __definition__ = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

    name: Annotated[str, Field(protobuf={"n": 1})] = ""
    generateName: Annotated[str, Field(protobuf={"n": 2})] = ""
    namespace: Annotated[str, Field(protobuf={"n": 3})] = ""
    selfLink: Annotated[str, Field(protobuf={"n": 4})] = ""
    uid: Annotated[str, Field(protobuf={"n": 5}, go_type="types.UID")] = ""
    resourceVersion: Annotated[str, Field(protobuf={"n": 6})] = ""
    generation: Annotated[int, Field(protobuf={"n": 7}, format="int64")] = 0
    creationTimestamp: Annotated[Time, Field(protobuf={"n": 8})] = ""
    deletionTimestamp: Annotated[Time | None, Field(protobuf={"n": 9})] = None
    deletionGracePeriodSeconds: Annotated[int | None, Field(protobuf={"n": 10}, format="int64")] = None
    labels: Annotated[dict[str, str] | None, Field(protobuf={"n": 11})] = None
    annotations: Annotated[dict[str, str] | None, Field(protobuf={"n": 12})] = None
    ownerReferences: Annotated[
        list[OwnerReference] | None,
        Field(
            protobuf={"n": 13}, list_type="map", list_map_keys=["uid"], patch_strategy="merge", patch_merge_key="uid"
        ),
    ] = None
    finalizers: Annotated[list[str] | None, Field(protobuf={"n": 14}, list_type="set", patch_strategy="merge")] = None
    managedFields: Annotated[list[ManagedFieldsEntry] | None, Field(protobuf={"n": 17}, list_type="atomic")] = None


@cache
def object_meta() -> Node:
    """The node of ObjectMeta, one for all schemas."""
    return node_of_class(ObjectMeta)


def type_meta() -> dict[str, Property]:
    """The fields that every top-level object has without declaring them, in the order in which they are written."""
    text = Node(type="string")
    return {
        "apiVersion": Property(node=text, inline="TypeMeta"),
        "kind": Property(node=text, inline="TypeMeta"),
        "metadata": Property(node=object_meta(), emit="always"),
    }
