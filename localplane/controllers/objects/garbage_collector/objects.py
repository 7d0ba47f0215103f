"""What the garbage collector asks of the server, and where the kinds that references name are.

Kubernetes: garbagecollector/operations.go and patch.go.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from localplane.apimachinery.errors import Conflict, UnsupportedMediaType
from localplane.apimachinery.groups import GroupKind, GroupVersion
from localplane.apimachinery.objects import JSONObject
from localplane.client import METADATA, Client, Discovered, PatchType, ResourceClient, RESTMapper, RESTMapping
from localplane.client.errors import NoMatch
from localplane.controllers.worker import NotYet

from .references import ObjectReference

Owners = list[JSONObject]
_NOTHING: Final = Discovered(())


class Unmapped(NotYet):
    """No resource is of this kind; one may come tomorrow."""


class NamespacedOwner(NotYet):
    """A cluster-scoped object calls a namespaced one its owner, which can't be: there is no namespace to look in."""


class Objects:
    def __init__(self, client: Client) -> None:
        self._client = client
        self._mapper = RESTMapper(_NOTHING)
        self._mappings: dict[tuple[str, str], RESTMapping] = {}

    def use(self, discovered: Discovered) -> None:
        self._mapper = RESTMapper(discovered)
        self._mappings.clear()

    def mapping(self, api_version: str, kind: str) -> RESTMapping:
        """Raises Unmapped."""
        found = self._mappings.get((api_version, kind))
        if found is None:
            try:
                group_version = GroupVersion.parse(api_version)
                found = self._mapper.mapping(GroupKind(group_version.group, kind), group_version.version)
            except (NoMatch, ValueError) as error:
                raise Unmapped(f"unable to get REST mapping for {api_version}/{kind}.") from error
            self._mappings[api_version, kind] = found
        return found

    async def metadata(self, identity: ObjectReference) -> JSONObject:
        """Of the object with this name, whatever its uid. Raises NotFound and others."""
        found = await self._resource(identity).get(identity.name, accept=METADATA)
        metadata: JSONObject = found["metadata"]
        return metadata

    async def delete(self, identity: ObjectReference, seen: JSONObject, policy: str) -> None:
        """If it has changed since it was `seen`, its owners must not have: otherwise the verdict would be another.

        Raises NotFound if it is gone, and Conflict if it is not the one that was seen.
        """
        resource, version = self._resource(identity), str(seen["resourceVersion"])
        try:
            await resource.delete(identity.name, uid=identity.uid, resource_version=version, propagation_policy=policy)
        except Conflict:
            live = await self.metadata(identity)
            if live["uid"] != identity.uid or live.get("ownerReferences") != seen.get("ownerReferences"):
                raise
            # Somebody writes to it all the time, but not to its owners: don't let that save it.
            await resource.delete(identity.name, uid=identity.uid, propagation_policy=policy)

    async def remove_owners(self, identity: ObjectReference, uids: Collection[str]) -> None:
        """Whether they are among its owners or not."""
        references = [{"$patch": "delete", "uid": uid} for uid in uids]
        await self._patch_owners(
            identity, references, lambda owners: [owner for owner in owners if owner.get("uid") not in uids]
        )

    async def unblock_owners(self, identity: ObjectReference, owners: Owners) -> None:
        """Its owners need not wait for it any more. `owners` are its references as they are."""
        blocking = [owner | {"blockOwnerDeletion": False} for owner in owners if owner.get("blockOwnerDeletion")]
        await self._patch_owners(
            identity, blocking, lambda live: [owner | {"blockOwnerDeletion": False} for owner in live]
        )

    async def remove_finalizer(self, identity: ObjectReference, finalizer: str) -> None:
        """Raises NotFound if the object is gone, and Conflict if somebody wrote to it in between."""
        live = await self.metadata(identity)
        finalizers = live.get("finalizers") or []
        if finalizer not in finalizers:
            return
        kept = [name for name in finalizers if name != finalizer]
        patch = {"metadata": {"resourceVersion": live["resourceVersion"], "finalizers": kept or None}}
        await self._resource(identity).patch(identity.name, patch, PatchType.MERGE)

    async def _patch_owners(
        self, identity: ObjectReference, references: Owners, change: Callable[[Owners], Owners]
    ) -> None:
        """By a strategic merge, which custom resources don't have; for them by writing all owners anew."""
        resource = self._resource(identity)
        strategic = {"metadata": {"uid": identity.uid, "ownerReferences": references}}
        try:
            await resource.patch(identity.name, strategic, PatchType.STRATEGIC)
        except UnsupportedMediaType:
            live = await self.metadata(identity)
            owners = change(live.get("ownerReferences") or []) or None
            metadata = {"uid": identity.uid, "resourceVersion": live["resourceVersion"], "ownerReferences": owners}
            await resource.patch(identity.name, {"metadata": metadata}, PatchType.MERGE)

    def _resource(self, identity: ObjectReference) -> ResourceClient:
        """Raises Unmapped and NamespacedOwner."""
        mapping = self.mapping(identity.api_version, identity.kind)
        if mapping.namespaced and not identity.namespace:
            raise NamespacedOwner(f"{identity} is of a namespaced kind")
        return self._client.resource(mapping.resource, identity.namespace if mapping.namespaced else "")
