"""When dependents call the same uid by different names, kinds or namespaces: who means whom.

Kubernetes: partitionDependents and getAlternateOwnerIdentity in garbagecollector/graph_builder.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .graph import GraphNode
from .references import ObjectReference


@dataclass(slots=True)
class Partition:
    """Dependents with a reference that means the owner, and with one that does not; some are in both."""

    matching: list[GraphNode] = field(default_factory=list)
    others: list[GraphNode] = field(default_factory=list)


def partition(dependents: Iterable[GraphNode], owner: ObjectReference) -> Partition:
    found = Partition()
    for node in dependents:
        if owner.namespace and owner.namespace != node.identity.namespace:
            found.others.append(node)  # whatever it says, the owner is elsewhere
            continue
        claims = [reference.means(owner) for reference in node.owners if reference.uid == owner.uid]
        if any(claims):
            found.matching.append(node)
        if not all(claims):
            found.others.append(node)
    return found


def alternative(dependents: Iterable[GraphNode], absent: ObjectReference) -> ObjectReference | None:
    """What else the dependents may mean by the uid of an owner that is not there: of several the next in order, from
    the beginning again after the last, so that all get their turn."""
    found = sorted(set(_alternatives(dependents, absent)), key=lambda reference: reference.order)
    following = (reference for reference in found if reference.order > absent.order)
    return next(following, found[0] if found else None)


def _alternatives(dependents: Iterable[GraphNode], absent: ObjectReference) -> Iterator[ObjectReference]:
    for node in dependents:
        for owner in node.owners:
            if owner.uid != absent.uid:
                continue
            if owner.means(absent) and absent.namespace in ("", node.identity.namespace):
                continue
            reference = owner.seen_from(node.identity.namespace)
            if not absent.namespace and (owner.api_version, owner.kind) == (absent.api_version, absent.kind):
                reference = reference.without_namespace()  # the kind is cluster-scoped, as we know by now
            if reference != absent:
                yield reference
