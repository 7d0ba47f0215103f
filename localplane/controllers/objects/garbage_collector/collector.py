"""What is to be deleted, orphaned or let go: the verdict on one object, from what the server says of it and its owners.

Kubernetes: garbagecollector/garbagecollector.go.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Final

from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.client import WorkQueue
from localplane.controllers.worker import NotYet, together

from .builder import GraphBuilder
from .graph import AbsentOwners, GraphNode
from .objects import NamespacedOwner, Objects, Unmapped
from .references import FOREGROUND, ORPHAN, OwnerReference, has_finalizer, is_being_deleted

_log = logging.getLogger(__name__)
_BY_FINALIZER: Final = {ORPHAN: "Orphan", FOREGROUND: "Foreground"}


class _AnotherOne(Exception):
    """The name is taken by an object with another uid."""


@dataclass(slots=True)
class Owners:
    """An object's references: `solid` owners are there, `absent` ones are not, `waiting` ones go when it has gone."""

    solid: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)


class Collector:
    def __init__(
        self, graph: GraphBuilder, objects: Objects, absent: AbsentOwners, to_delete: WorkQueue[GraphNode]
    ) -> None:
        self._graph = graph
        self._objects = objects
        self._absent = absent
        self._to_delete = to_delete
        self._unmapped: dict[GraphNode, None] = {}

    def retry_unmapped(self) -> None:
        """There are other kinds than before."""
        for node in self._unmapped:
            self._to_delete.add(node)
        self._unmapped.clear()

    async def try_delete(self, node: GraphNode) -> None:
        """Delete the object if nobody is left who wants it. Raises for what is to be tried again."""
        if node.virtual:
            known = self._graph.nodes.get(node.identity.uid)
            if known is None or not known.virtual:
                return  # meanwhile it was seen, or is known to be gone
        try:
            await self._judge(node)
        except Unmapped as error:
            _log.debug("%s waits for other kinds: %s", node, error)
            self._unmapped[node] = None
            return
        except NamespacedOwner as error:
            _log.info("%s is left alone: %s", node, error)
            return
        except (NotFound, _AnotherOne):
            self._graph.disprove(node.identity)
            return
        if node.virtual and self._graph.nodes.get(node.identity.uid) is node:
            raise NotYet(f"{node} is there, though no watch has shown it")

    async def try_orphan(self, node: GraphNode) -> None:
        """Let the dependents forget the object, then let it go."""
        await together(self._orphan(dependent, node) for dependent in node.dependents)
        await self._let_go(node, ORPHAN)

    async def _orphan(self, dependent: GraphNode, owner: GraphNode) -> None:
        try:
            await self._objects.remove_owners(dependent.identity, [owner.identity.uid])
        except NotFound:
            return  # it needs no owner any more

    async def _judge(self, node: GraphNode) -> None:
        """Raises NotFound if the object is not there, and _AnotherOne if another has its name."""
        if node.being_deleted and not node.deleting_dependents:
            return  # its end will be seen, and then its dependents are looked at
        metadata = await self._objects.metadata(node.identity)
        if metadata["uid"] != node.identity.uid:
            raise _AnotherOne
        if node.deleting_dependents:
            await self._let_go_if_unblocked(node)
        elif references := metadata.get("ownerReferences"):
            owners = Owners()
            for reference in references:
                await self._classify(node, OwnerReference.of(reference), owners)
            await self._execute(node, metadata, owners)

    async def _classify(self, node: GraphNode, reference: OwnerReference, owners: Owners) -> None:
        owner = await self._live_owner(node, reference)
        if owner is None:
            owners.absent.append(reference.uid)
        elif is_being_deleted(owner) and has_finalizer(owner, FOREGROUND):
            owners.waiting.append(reference.uid)
        else:
            owners.solid.append(reference.uid)

    async def _live_owner(self, node: GraphNode, reference: OwnerReference) -> JSONObject | None:
        """The owner's metadata; None if it is known not to be there."""
        namespace = node.identity.namespace
        if reference.seen_from("") in self._absent or reference.seen_from(namespace) in self._absent:
            return None
        mapping = self._objects.mapping(reference.api_version, reference.kind)
        identity = reference.seen_from(namespace if mapping.namespaced else "")
        try:
            owner = await self._objects.metadata(identity)
        except NotFound:
            owner = None
        if owner is None or owner["uid"] != reference.uid:
            self._absent.add(identity)
            return None
        return owner

    async def _execute(self, node: GraphNode, metadata: JSONObject, owners: Owners) -> None:
        if owners.solid:
            if gone := owners.absent + owners.waiting:
                # Those that wait must not wait for this one, which stays.
                await self._objects.remove_owners(node.identity, gone)
        elif owners.waiting and node.dependents:
            if any(dependent.deleting_dependents for dependent in node.dependents):
                # It may be a circle, in which everybody would wait for the next.
                await self._objects.unblock_owners(node.identity, metadata["ownerReferences"])
                metadata = await self._objects.metadata(node.identity)
            await self._objects.delete(node.identity, metadata, "Foreground")
        else:
            honoured = (_BY_FINALIZER[name] for name in _BY_FINALIZER if has_finalizer(metadata, name))
            await self._objects.delete(node.identity, metadata, next(honoured, "Background"))

    async def _let_go_if_unblocked(self, node: GraphNode) -> None:
        blocking = node.blocking_dependents()
        for dependent in blocking:
            if not dependent.deleting_dependents:
                self._to_delete.add(dependent)
        if not blocking:
            await self._let_go(node, FOREGROUND)

    async def _let_go(self, node: GraphNode, finalizer: str) -> None:
        try:
            await self._objects.remove_finalizer(node.identity, finalizer)
        except NotFound:
            return  # somebody else did
