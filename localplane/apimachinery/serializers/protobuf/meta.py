"""The messages of apimachinery itself, which belong to no kind: of meta/v1, and of discovery."""

from __future__ import annotations

from localplane.apimachinery.schema import Node
from localplane.apimachinery.schema.meta import META_NODES


def status() -> Node:
    return META_NODES.node("meta/v1.Status")


def list_meta() -> Node:
    return META_NODES.node("meta/v1.ListMeta")


def partial_object_metadata() -> Node:
    return META_NODES.node("meta/v1.PartialObjectMetadata")


def discovery_document(kind: str) -> Node:
    """The node of a document, by the kind that it says it is."""
    package = "apidiscovery/v2" if kind == "APIGroupDiscoveryList" else "meta/v1"
    return META_NODES.node(f"{package}.{kind}")
