"""Whose an object is: the one owner that controls it, and how it is adopted and released.

Kubernetes: pkg/controller/controller_ref_manager.go and apimachinery/pkg/apis/meta/v1/controller_ref.go.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from localplane.apimachinery.errors import APIError, Invalid, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.client import Client, GroupVersionResource, Indexer, Lister, PatchType, SharedInformer

from .worker import NotYet

CONTROLLER_INDEX = "controller-uid"
"""Objects by the uid of who controls them, and orphans by `_orphans/` and their namespace."""


def controller_of(obj: Mapping[str, Any]) -> JSONObject | None:
    """The owner reference that says `controller`."""
    for reference in obj["metadata"].get("ownerReferences") or ():
        if reference.get("controller"):
            found: JSONObject = reference
            return found
    return None


def is_controlled_by(obj: Mapping[str, Any], owner: Mapping[str, Any]) -> bool:
    reference = controller_of(obj)
    return reference is not None and reference["uid"] == owner["metadata"]["uid"]


def controller_reference(owner: Mapping[str, Any]) -> JSONObject:
    """What an object that it controls has among its owners."""
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


def owner_of(obj: Mapping[str, Any], owners: Lister, *, kind: str) -> JSONObject | None:
    """The controller of this kind that the object names, if it is there and still the same."""
    reference = controller_of(obj)
    if reference is None or reference["kind"] != kind:
        return None
    owner = owners.namespaced(obj["metadata"].get("namespace", "")).get(reference["name"])
    return owner if owner is not None and owner["metadata"]["uid"] == reference["uid"] else None


def index_by_controller(informer: SharedInformer) -> Indexer:
    """The informer's objects, to be found by `controlled_or_orphaned`. May be called by several."""
    if not informer.indexer.has_index(CONTROLLER_INDEX):
        informer.indexer.add_indexers({CONTROLLER_INDEX: _controller_keys})
    return informer.indexer


def controlled(indexer: Indexer, owner: Mapping[str, Any]) -> list[JSONObject]:
    return list(indexer.index(CONTROLLER_INDEX, owner["metadata"]["uid"]))


def controlled_or_orphaned(indexer: Indexer, owner: Mapping[str, Any]) -> list[JSONObject]:
    """What it controls, and what nobody controls in its namespace and it may adopt."""
    orphans = indexer.index(CONTROLLER_INDEX, f"_orphans/{owner['metadata'].get('namespace', '')}")
    return [*controlled(indexer, owner), *orphans]


def _controller_keys(obj: JSONObject) -> list[str]:
    reference = controller_of(obj)
    return [reference["uid"] if reference else f"_orphans/{obj['metadata'].get('namespace', '')}"]


class Claims:
    """Adopts orphans that `matches` and releases what no longer does, for one owner.

    `fresh` reads the owner from the server, not from an informer: it is asked once, before the first adoption, so that
    nobody adopts who is going or was replaced. `finalizers` are put on what is adopted and taken from what is released.
    """

    def __init__(
        self,
        client: Client,
        resource: GroupVersionResource,
        owner: JSONObject,
        *,
        matches: Callable[[JSONObject], bool],
        fresh: Callable[[], Awaitable[JSONObject]],
        finalizers: Sequence[str] = (),
    ) -> None:
        self._objects = client.resource(resource, owner["metadata"].get("namespace", ""))
        self._owner = owner
        self._matches = matches
        self._fresh = fresh
        self._finalizers = tuple(finalizers)
        self._may_adopt = False

    async def claim(self, objects: Iterable[JSONObject]) -> list[JSONObject]:
        """Those that are the owner's now. Tries all; then raises the first refusal."""
        claimed, refusal = [], None
        for obj in objects:
            try:
                if await self._claim(obj):
                    claimed.append(obj)
            except (APIError, NotYet) as error:
                refusal = refusal or error
        if refusal is not None:
            raise refusal
        return claimed

    async def _claim(self, obj: JSONObject) -> bool:
        reference, going = controller_of(obj), "deletionTimestamp" in self._owner["metadata"]
        if reference is not None:
            if reference["uid"] != self._owner["metadata"]["uid"]:
                return False
            if self._matches(obj):
                return True
            if not going:
                await self._release(obj)
            return False
        if going or "deletionTimestamp" in obj["metadata"] or not self._matches(obj):
            return False
        return await self._adopt(obj)

    async def _adopt(self, obj: JSONObject) -> bool:
        await self._check_owner(obj)
        metadata: JSONObject = {"uid": obj["metadata"]["uid"], "ownerReferences": [controller_reference(self._owner)]}
        if self._finalizers:
            metadata["finalizers"] = list(self._finalizers)
        try:
            await self._objects.patch(obj["metadata"]["name"], {"metadata": metadata}, PatchType.STRATEGIC)
        except NotFound:
            return False
        return True

    async def _check_owner(self, obj: JSONObject) -> None:
        if self._may_adopt:
            return
        metadata, fresh = self._owner["metadata"], await self._fresh()
        name = f"{metadata.get('namespace', '')}/{metadata['name']}"
        if fresh["metadata"]["uid"] != metadata["uid"]:
            raise NotYet(
                f"can't adopt {obj['metadata']['name']}: original {self._owner['kind']} {name} is gone: "
                f"got uid {fresh['metadata']['uid']}, wanted {metadata['uid']}"
            )
        if "deletionTimestamp" in fresh["metadata"]:
            raise NotYet(f"can't adopt {obj['metadata']['name']}: {name} has just been deleted")
        self._may_adopt = True

    async def _release(self, obj: JSONObject) -> None:
        metadata: JSONObject = {
            "uid": obj["metadata"]["uid"],
            "ownerReferences": [{"$patch": "delete", "uid": self._owner["metadata"]["uid"]}],
        }
        if self._finalizers:
            metadata["$deleteFromPrimitiveList/finalizers"] = list(self._finalizers)
        try:
            await self._objects.patch(obj["metadata"]["name"], {"metadata": metadata}, PatchType.STRATEGIC)
        except (NotFound, Invalid):  # it is gone, was made anew, or is no longer ours
            return
