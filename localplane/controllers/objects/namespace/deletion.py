"""One attempt to bring a namespace's deletion to its end. Kubernetes: namespace/deletion."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Final, TypeVar

from localplane.apimachinery.errors import APIError, Conflict, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.client import APIResource, Client, ClientError, GroupVersionResource
from localplane.client.errors import DiscoveryFailed
from localplane.controllers.worker import NotYet, together

from .conditions import DeletionTroubles
from .content import PODS, Left, delete_all, names_of

T = TypeVar("T")
_log = logging.getLogger(__name__)
NAMESPACES: Final = GroupVersionResource("", "v1", "namespaces")
_FINALIZER: Final = "kubernetes"
_AT_ONCE: Final = 16


class ContentRemains(NotYet):
    """`left` will be gone in about `seconds`; 0 if nobody knows, because something failed."""

    def __init__(self, message: str, left: Sequence[Left], seconds: int) -> None:
        super().__init__(message)
        self.left = tuple(left)
        self.seconds = seconds


class NamespaceDeleter:
    """`creates_are_over` waits for creates that were let into a namespace before it was seen to be going."""

    def __init__(self, client: Client, creates_are_over: Callable[[str], Awaitable[None]] | None = None) -> None:
        self._client = client
        self._creates_are_over = creates_are_over
        self._namespaces = client.resource(NAMESPACES)

    async def delete(self, name: str) -> None:
        """Delete all that is in the namespace, then let it go. Raises ContentRemains, APIError and ClientError."""
        try:
            namespace = await self._namespaces.get(name)
            if "deletionTimestamp" not in namespace["metadata"]:
                return
            namespace = await self._mark_terminating(namespace)
            if not (namespace.get("spec") or {}).get("finalizers"):
                return
            if self._creates_are_over is not None:
                await self._creates_are_over(name)
            namespace = await self._empty(namespace)
            await self._retried(namespace, self._finalize)
        except NotFound:
            return

    async def _mark_terminating(self, namespace: JSONObject) -> JSONObject:
        async def mark(latest: JSONObject) -> JSONObject:
            status = latest.get("status") or {}
            if status.get("phase") == "Terminating":
                return latest
            marked = latest | {"status": status | {"phase": "Terminating"}}
            return await self._namespaces.update(marked, subresource="status")

        return await self._retried(namespace, mark)

    async def _empty(self, namespace: JSONObject) -> JSONObject:
        """The namespace, with conditions that tell what was done."""
        troubles = DeletionTroubles()
        kinds = await self._deletable(troubles)
        left = await self._delete_content(kinds, namespace)
        for each in left:
            if each.failure:
                troubles.note_content(each.failure)
        if not any(each.resource == PODS and each.names for each in left):  # with pods left, nothing else was looked at
            finalizers = sum((Counter(each.finalizers) for each in left), Counter[str]())
            troubles.note_remaining({each.resource: len(each.names) for each in left if each.names}, finalizers)
        namespace = await self._write_conditions(namespace, troubles)
        if left:
            raise _remains(left)
        if troubles.incomplete:
            raise NotYet(f"not everything that may be in {namespace['metadata']['name']} is known")
        await self._look_again(kinds, namespace["metadata"]["name"])
        return namespace

    async def _deletable(self, troubles: DeletionTroubles) -> list[APIResource]:
        """Every kind of object that can be in a namespace and be deleted, once."""
        found = await self._client.discovery().discover()
        try:
            found.raise_for_failures()
        except DiscoveryFailed as error:
            troubles.note_discovery(len(found.failures), str(error))
        return [
            kind
            for kind in found.preferred_resources()
            if kind.namespaced and not kind.is_subresource and "delete" in kind.verbs
        ]

    async def _delete_content(self, kinds: Sequence[APIResource], namespace: JSONObject) -> list[Left]:
        """Pods first: what they use shall be there until they are gone."""
        metadata = namespace["metadata"]
        deleted_at = metadata["deletionTimestamp"]

        async def delete(kind: APIResource) -> Left:
            return await delete_all(self._client, kind, metadata["name"], deleted_at=deleted_at)

        pods = await _together(delete, (kind for kind in kinds if kind.resource == PODS))
        if not any(left.names for left in pods):
            pods += await _together(delete, (kind for kind in kinds if kind.resource != PODS))
        return [left for left in pods if left.names or left.failure]

    async def _look_again(self, kinds: Sequence[APIResource], namespace: str) -> None:
        """Whoever was let in before the namespace began to go may have written while we looked elsewhere."""

        async def look(kind: APIResource) -> bool:
            return bool((await names_of(self._client, kind, namespace)).items)

        if any(await _together(look, kinds)):
            raise NotYet(f"something came into {namespace} while it was going")

    async def _write_conditions(self, namespace: JSONObject, troubles: DeletionTroubles) -> JSONObject:
        """They are for people: that they can't be written stops nothing."""
        status = namespace.get("status") or {}
        conditions = troubles.conditions(status.get("conditions") or ())
        if conditions is None:
            return namespace
        told = namespace | {"status": status | {"conditions": conditions}}
        try:
            return await self._namespaces.update(told, subresource="status")
        except (APIError, ClientError) as error:
            _log.info("the conditions of namespace %s are not written: %s", namespace["metadata"]["name"], error)
            return namespace

    async def _finalize(self, namespace: JSONObject) -> JSONObject:
        spec = namespace.get("spec") or {}
        kept = sorted({name for name in spec.get("finalizers") or () if name != _FINALIZER})
        body = {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": namespace["metadata"],
            "spec": spec | {"finalizers": kept},
        }
        return await self._namespaces.update(body, subresource="finalize")

    async def _retried(
        self, namespace: JSONObject, change: Callable[[JSONObject], Awaitable[JSONObject]]
    ) -> JSONObject:
        """Change it in the newest version there is. Raises NotYet if another has taken its name."""
        latest = namespace
        while True:
            try:
                return await change(latest)
            except Conflict:
                latest = await self._namespaces.get(namespace["metadata"]["name"])
                if latest["metadata"]["uid"] != namespace["metadata"]["uid"]:
                    raise NotYet("namespace uid has changed across retries") from None


def _remains(left: Sequence[Left]) -> ContentRemains:
    if failures := [each.failure for each in left if each.failure]:
        return ContentRemains("; ".join(failures), left, 0)
    seconds = max(each.seconds for each in left)
    message = f"some content remains in the namespace, estimate {seconds} seconds before it is removed"
    return ContentRemains(message, left, seconds)


async def _together(call: Callable[[APIResource], Awaitable[T]], kinds: Iterable[APIResource]) -> list[T]:
    """Several at a time: most of the time goes into waiting for the store."""
    gate = asyncio.Semaphore(_AT_ONCE)

    async def gated(kind: APIResource) -> T:
        async with gate:
            return await call(kind)

    return await together(gated(kind) for kind in kinds)
