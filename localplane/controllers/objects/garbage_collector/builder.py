"""From what is seen to the graph. Kubernetes: garbagecollector/graph_builder.go, processGraphChanges."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from .graph import AbsentOwners, GraphNode
from .identities import alternative, partition
from .references import (
    FOREGROUND,
    ORPHAN,
    Metadata,
    ObjectReference,
    OwnerReference,
    has_finalizer,
    is_being_deleted,
    owners_of,
)


@dataclass(frozen=True, slots=True)
class Outlets:
    """What the graph asks for; none of these may change it while it is being changed."""

    try_delete: Callable[[GraphNode], None]
    try_delete_later: Callable[[GraphNode], None]
    try_orphan: Callable[[GraphNode], None]
    report_foreign_owner: Callable[[GraphNode, OwnerReference], None]
    """The owner was seen, and is in another namespace."""


class GraphBuilder:
    def __init__(self, outlets: Outlets, absent: AbsentOwners) -> None:
        self.nodes: dict[str, GraphNode] = {}
        self._out = outlets
        self._absent = absent

    def observe(self, identity: ObjectReference, metadata: Metadata) -> None:
        """An object is there, new or changed."""
        node = self.nodes.get(identity.uid)
        if node is not None and node.virtual:
            node = self._seen_at_last(node, identity)
        owners = owners_of(metadata)
        if node is None:
            node = self.nodes[identity.uid] = GraphNode(identity, owners)
            self._join(node, owners)
        elif node.owners != owners:
            self._change_owners(node, owners)
        node.being_deleted = node.being_deleted or is_being_deleted(metadata)
        self._note_transitions(node, metadata)

    def forget(self, uid: str) -> None:
        """An object is gone: somebody saw it go, or a list did not have it any more."""
        if (node := self.nodes.get(uid)) is not None:
            self._remove(node, node.identity)

    def disprove(self, identity: ObjectReference) -> None:
        """The server does not know what the graph has under these coordinates."""
        node = self.nodes.get(identity.uid)
        if node is None:
            return
        if not node.virtual:
            if node.identity == identity:
                self._remove(node, identity)
            else:  # it is there, though some call it by other names
                self._condemn(partition(node.dependents, identity).matching, identity)
            return
        found = partition(node.dependents, identity)
        if not found.others:
            self._remove(node, identity)
            return
        self._condemn(found.matching, identity)
        if node.identity == identity and (other := alternative(found.others, identity)) is not None:
            replacement = self.nodes[identity.uid] = node.known_as(other)
            self._out.try_delete_later(replacement)

    # Nodes

    def _seen_at_last(self, node: GraphNode, identity: ObjectReference) -> GraphNode:
        """What was only spoken of is there, perhaps under other coordinates than some of its dependents say."""
        if node.identity != identity:
            for dependent in partition(node.dependents, identity).others:
                if identity.namespace and dependent.identity.namespace != identity.namespace:
                    self._report(dependent, identity.uid)
                self._out.try_delete(dependent)
            node = self.nodes[identity.uid] = node.known_as(identity)
        node.virtual = False
        return node

    def _remove(self, node: GraphNode, identity: ObjectReference) -> None:
        self.nodes.pop(node.identity.uid, None)
        self._leave(node, node.owners)
        self._condemn(node.dependents, identity)
        for reference in node.owners:
            owner = self.nodes.get(reference.uid)
            if owner is not None and owner.deleting_dependents:
                self._out.try_delete(owner)  # this may have been the last that it waited for

    def _condemn(self, dependents: Collection[GraphNode], owner: ObjectReference) -> None:
        """Their owner is not there."""
        if dependents:
            self._absent.add(owner)
        for dependent in dependents:
            self._out.try_delete(dependent)

    def _note_transitions(self, node: GraphNode, metadata: Metadata) -> None:
        going = is_being_deleted(metadata)
        orphan, foreground = going and has_finalizer(metadata, ORPHAN), going and has_finalizer(metadata, FOREGROUND)
        was_orphan, was_foreground = node.has_orphan_finalizer, node.has_foreground_finalizer
        node.has_orphan_finalizer, node.has_foreground_finalizer = orphan, foreground
        if orphan and not was_orphan:
            self._out.try_orphan(node)
        elif foreground and not was_foreground:
            node.deleting_dependents = True
            for dependent in node.dependents:
                self._out.try_delete(dependent)
            self._out.try_delete(node)

    # Edges

    def _change_owners(self, node: GraphNode, owners: tuple[OwnerReference, ...]) -> None:
        old, new = {owner.uid: owner for owner in node.owners}, {owner.uid: owner for owner in owners}
        node.owners = owners
        for uid, owner in old.items():
            unblocked = owner.blocks and not (uid in new and new[uid].blocks)
            if unblocked and (found := self.nodes.get(uid)) is not None:
                self._out.try_delete(found)
        self._join(node, [owner for uid, owner in new.items() if uid not in old])
        self._leave(node, [owner for uid, owner in old.items() if uid not in new])

    def _leave(self, node: GraphNode, owners: Iterable[OwnerReference]) -> None:
        for reference in owners:
            if (owner := self.nodes.get(reference.uid)) is not None:
                owner.remove_dependent(node)

    def _join(self, node: GraphNode, owners: Iterable[OwnerReference]) -> None:
        """To the dependents of its owners. An owner that nobody has seen gets a virtual node, and is asked for."""
        doubtful = False
        for reference in owners:
            owner = self.nodes.get(reference.uid)
            if owner is None:
                owner = GraphNode(reference.seen_from(node.identity.namespace), virtual=True)
                self.nodes[reference.uid] = owner
                owner.add_dependent(node)
                self._out.try_delete(owner)
                continue
            owner.add_dependent(node)
            doubtful = doubtful or self._is_doubtful(node, reference, owner)
        if doubtful:
            self._out.try_delete(node)

    def _is_doubtful(self, node: GraphNode, reference: OwnerReference, owner: GraphNode) -> bool:
        """The reference does not fit what is known of the owner."""
        elsewhere = owner.identity.namespace != node.identity.namespace
        if owner.identity.namespace and elsewhere:
            if not owner.virtual:
                self._report(node, reference.uid)
            return True
        # Without a namespace, an unseen owner may be of a namespaced kind that a cluster-scoped object names wrongly.
        return not reference.means(owner.identity) or (owner.virtual and elsewhere)

    def _report(self, node: GraphNode, uid: str) -> None:
        for reference in node.owners:
            if reference.uid == uid:
                self._out.report_foreign_owner(node, reference)
                return
