"""Objects as others refer to them. Kubernetes: objectReference and ownerReference… in garbagecollector/graph.go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from sys import intern
from typing import Any, Final

FOREGROUND: Final = "foregroundDeletion"
ORPHAN: Final = "orphan"

Metadata = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ObjectReference:
    """Of a cluster-scoped object, or one that somebody without a namespace speaks of, the namespace is empty."""

    api_version: str
    kind: str
    namespace: str
    name: str
    uid: str

    @classmethod
    def of(cls, api_version: str, kind: str, metadata: Metadata) -> ObjectReference:
        namespace = intern(metadata.get("namespace", ""))
        return cls(api_version, kind, namespace, metadata["name"], metadata["uid"])

    @property
    def order(self) -> tuple[str, ...]:
        """The kind is more significant than the namespace, so that kinds stay together whatever their scope."""
        return (self.kind, self.api_version, self.namespace, self.name, self.uid)

    def without_namespace(self) -> ObjectReference:
        return replace(self, namespace="")

    def __str__(self) -> str:
        """Go's form, which an event quotes."""
        return f"[{self.api_version}/{self.kind}, namespace: {self.namespace}, name: {self.name}, uid: {self.uid}]"


@dataclass(frozen=True, slots=True)
class OwnerReference:
    """`blocks`: the owner must not go before."""

    api_version: str
    kind: str
    name: str
    uid: str
    blocks: bool = False

    @classmethod
    def of(cls, reference: Mapping[str, Any]) -> OwnerReference:
        return cls(
            intern(reference.get("apiVersion", "")),
            intern(reference.get("kind", "")),
            reference.get("name", ""),
            reference.get("uid", ""),
            bool(reference.get("blockOwnerDeletion")),
        )

    def seen_from(self, namespace: str) -> ObjectReference:
        return ObjectReference(self.api_version, self.kind, namespace, self.name, self.uid)

    def means(self, identity: ObjectReference) -> bool:
        """The same in all but the namespace, which references don't tell."""
        return self.seen_from(identity.namespace) == identity


def owners_of(metadata: Metadata) -> tuple[OwnerReference, ...]:
    return tuple(OwnerReference.of(reference) for reference in metadata.get("ownerReferences") or ())


def is_being_deleted(metadata: Metadata) -> bool:
    return metadata.get("deletionTimestamp") is not None


def has_finalizer(metadata: Metadata, finalizer: str) -> bool:
    return finalizer in (metadata.get("finalizers") or ())
