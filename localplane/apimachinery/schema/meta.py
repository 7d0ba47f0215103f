"""The types that the objects of every group share: meta/v1, of which every object has its metadata.

They stand in a table, `localplane/apimachinery/types`, like those of all groups. Kubernetes:
apimachinery/pkg/apis/meta/v1.
"""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.api_types import META_TYPES, TypeTable

from .declarations.tables import TableNodes, type_fields
from .nodes import Node, Property

META_NODES: Final = TableNodes(TypeTable(META_TYPES))


class ObjectMeta:
    """What every stored object has: its name, its place in time, its labels and its owners. As an annotation."""

    @staticmethod
    def __node__() -> Node:
        return object_meta()


def object_meta() -> Node:
    """The node of ObjectMeta, one for all schemas."""
    return META_NODES.node("meta/v1.ObjectMeta")


def type_meta() -> dict[str, Property]:
    """The fields that every top-level object has without declaring them, in the order in which they are written."""
    return type_fields() | {"metadata": Property(node=object_meta(), emit="always")}
