"""One node for each object that was seen, or that a seen one calls its owner."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from .references import ObjectReference, OwnerReference

_ABSENT_AT_MOST: Final = 500


class GraphNode:
    """A `virtual` one is only spoken of: nobody has seen the object, and its coordinates are hearsay.

    Two nodes are never equal: a queue holds this one, whatever becomes of the graph.
    """

    __slots__ = (
        "_dependents",
        "being_deleted",
        "deleting_dependents",
        "has_foreground_finalizer",
        "has_orphan_finalizer",
        "identity",
        "owners",
        "virtual",
    )

    def __init__(
        self, identity: ObjectReference, owners: tuple[OwnerReference, ...] = (), *, virtual: bool = False
    ) -> None:
        self.identity = identity
        self.owners = owners
        self.virtual = virtual
        self.being_deleted = False
        self.deleting_dependents = False
        """It waits for those that block it; once true, it stays true."""
        self.has_orphan_finalizer = False
        self.has_foreground_finalizer = False
        """Both as last seen, and only while it is being deleted."""
        self._dependents: dict[GraphNode, None] | None = None  # most objects own nothing

    @property
    def dependents(self) -> tuple[GraphNode, ...]:
        return tuple(self._dependents or ())

    def add_dependent(self, node: GraphNode) -> None:
        if self._dependents is None:
            self._dependents = {}
        self._dependents[node] = None

    def remove_dependent(self, node: GraphNode) -> None:
        if self._dependents is not None:
            self._dependents.pop(node, None)
            if not self._dependents:
                self._dependents = None

    def blocking_dependents(self) -> list[GraphNode]:
        uid = self.identity.uid
        return [node for node in self.dependents if any(ref.uid == uid and ref.blocks for ref in node.owners)]

    def known_as(self, identity: ObjectReference) -> GraphNode:
        """A new node with everything but the coordinates: who holds the old one shall know that it is no longer it."""
        node = GraphNode(identity, self.owners, virtual=self.virtual)
        node.being_deleted, node.deleting_dependents = self.being_deleted, self.deleting_dependents
        for dependent in self.dependents:
            node.add_dependent(dependent)
        return node

    def __str__(self) -> str:
        return str(self.identity)


class AbsentOwners:
    """The owners that were asked for last and were not there, so that not every dependent asks again."""

    def __init__(self, at_most: int = _ABSENT_AT_MOST) -> None:
        self._at_most = at_most
        self._absent: OrderedDict[ObjectReference, None] = OrderedDict()

    def add(self, owner: ObjectReference) -> None:
        self._absent[owner] = None
        self._absent.move_to_end(owner)
        if len(self._absent) > self._at_most:
            self._absent.popitem(last=False)

    def __contains__(self, owner: ObjectReference) -> bool:
        if owner not in self._absent:
            return False
        self._absent.move_to_end(owner)
        return True
