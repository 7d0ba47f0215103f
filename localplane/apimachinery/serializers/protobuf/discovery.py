"""The messages of discovery. Kubernetes: meta/v1 and api/apidiscovery/v2, generated.proto."""

# ruff: noqa: N815 - the names on the wire

from __future__ import annotations

from functools import cache
from typing import Annotated

from localplane.apimachinery.schema import Field, Node
from localplane.apimachinery.schema.classes import node_of_class
from localplane.apimachinery.schema.meta import ObjectMeta

from .meta import ListMeta

Text1 = Annotated[str, Field(protobuf={"n": 1})]
Text2 = Annotated[str, Field(protobuf={"n": 2})]
Text3 = Annotated[str, Field(protobuf={"n": 3})]
Text4 = Annotated[str, Field(protobuf={"n": 4})]


class ServerAddressByClientCIDR:
    clientCIDR: Text1
    serverAddress: Text2


class APIVersions:
    versions: Annotated[list[str], Field(protobuf={"n": 1})]
    serverAddressByClientCIDRs: Annotated[list[ServerAddressByClientCIDR], Field(protobuf={"n": 2})]


class GroupVersionForDiscovery:
    groupVersion: Text1
    version: Text2


class APIGroup:
    name: Text1
    versions: Annotated[list[GroupVersionForDiscovery], Field(protobuf={"n": 2})]
    preferredVersion: Annotated[GroupVersionForDiscovery, Field(protobuf={"n": 3})]
    serverAddressByClientCIDRs: Annotated[list[ServerAddressByClientCIDR] | None, Field(protobuf={"n": 4})] = None


class APIGroupList:
    groups: Annotated[list[APIGroup], Field(protobuf={"n": 1})]


class APIResource:
    name: Text1
    namespaced: Annotated[bool, Field(protobuf={"n": 2})]
    kind: Text3
    verbs: Annotated[list[str], Field(protobuf={"n": 4, "t": "meta/v1.Verbs"})]
    singularName: Annotated[str, Field(protobuf={"n": 6})]
    shortNames: Annotated[list[str] | None, Field(protobuf={"n": 5})] = None
    categories: Annotated[list[str] | None, Field(protobuf={"n": 7})] = None
    group: Annotated[str, Field(protobuf={"n": 8})] = ""
    version: Annotated[str, Field(protobuf={"n": 9})] = ""
    storageVersionHash: Annotated[str, Field(protobuf={"n": 10})] = ""


class APIResourceList:
    groupVersion: Text1
    resources: Annotated[list[APIResource], Field(protobuf={"n": 2})]


class GroupVersionKind:
    group: Text1
    version: Text2
    kind: Text3


class APISubresourceDiscovery:
    subresource: Text1
    responseKind: Annotated[GroupVersionKind | None, Field(protobuf={"n": 2})] = None
    acceptedTypes: Annotated[list[GroupVersionKind] | None, Field(protobuf={"n": 3})] = None
    verbs: Annotated[list[str] | None, Field(protobuf={"n": 4})] = None


class APIResourceDiscovery:
    resource: Text1
    responseKind: Annotated[GroupVersionKind | None, Field(protobuf={"n": 2})] = None
    scope: Text3 = ""
    singularResource: Text4 = ""
    verbs: Annotated[list[str] | None, Field(protobuf={"n": 5})] = None
    shortNames: Annotated[list[str] | None, Field(protobuf={"n": 6})] = None
    categories: Annotated[list[str] | None, Field(protobuf={"n": 7})] = None
    subresources: Annotated[list[APISubresourceDiscovery] | None, Field(protobuf={"n": 8})] = None


class APIVersionDiscovery:
    version: Text1
    resources: Annotated[list[APIResourceDiscovery] | None, Field(protobuf={"n": 2})] = None
    freshness: Text3 = ""


class APIGroupDiscovery:
    metadata: Annotated[ObjectMeta, Field(protobuf={"n": 1})]
    versions: Annotated[list[APIVersionDiscovery] | None, Field(protobuf={"n": 2})] = None


class APIGroupDiscoveryList:
    metadata: Annotated[ListMeta, Field(protobuf={"n": 1})]
    items: Annotated[list[APIGroupDiscovery], Field(protobuf={"n": 2})]


_DOCUMENTS = (APIVersions, APIGroup, APIGroupList, APIResourceList, APIGroupDiscoveryList)


@cache
def discovery_document(kind: str) -> Node:
    """The node of a document, by the kind that it says it is."""
    return node_of_class({declared.__name__: declared for declared in _DOCUMENTS}[kind])
