"""Whether an object has to do with a node, by what is stored.

What a pod refers to is kept with its stored version, as one text: it is made once, and gone when the pod changes.
Kubernetes: node_authorizer.go, hasPathFrom, over the paths of graph.go.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Final

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.time_slices import TimeSlices
from localplane.apiserver.registry.lookup import Lookup
from localplane.apiserver.storage.interface import ListOptions
from localplane.servers.kube.admission.pods.pod_references import pod_references, volume_secrets

_POD: Final = "node.PodReferences"
_VOLUME: Final = "node.VolumeSecrets"
_EVERYTHING: Final = ListOptions(only_readable=True)
# Of these an object says itself which node it belongs to.
_OF_A_NODE: Final = {
    "pods": "pods",
    "volumeattachments": "storage.k8s.io/volumeattachments",
    "resourceslices": "resource.k8s.io/resourceslices",
    "podcertificaterequests": "certificates.k8s.io/podcertificaterequests",
}


@dataclass(frozen=True, slots=True)
class _Kept:
    """What is kept with a stored version: by what name, and how it is made."""

    name: str
    text_of: Callable[[JSONObject], str]


class Relations:
    def __init__(self, objects: Lookup) -> None:
        self._objects = objects

    async def exist(self, node: str, resource: str, namespace: str, name: str) -> bool:
        """`resource` is one of those that a node may have to do with. Raises APIError and StorageError."""
        if resource in _OF_A_NODE:
            obj = await self._objects.get(_OF_A_NODE[resource], namespace, name)
            return obj is not None and (obj.get("spec") or {}).get("nodeName") == node
        if resource == "persistentvolumes":
            return await self._mounts(node, await self._objects.get(resource, "", name))
        if await self._has_pod(node, namespace, f"{resource}/{name}"):
            return True
        return resource == "secrets" and await self._needs_to_mount(node, namespace, name)

    async def _has_pod(self, node: str, namespace: str, reference: str) -> bool:
        """A pod on the node that refers to that."""
        begin, part = f"{node}\n", f"\n{reference}\n"

        def is_it(text: str) -> bool:
            return text.startswith(begin) and part in text

        async for _ in self._matching("pods", namespace, _Kept(_POD, _pod_text), is_it):
            return True
        return False

    async def _mounts(self, node: str, volume: JSONObject | None) -> bool:
        claim = ((volume or {}).get("spec") or {}).get("claimRef")
        if claim is None:
            return False
        return await self._has_pod(node, claim.get("namespace", ""), f"persistentvolumeclaims/{claim.get('name', '')}")

    async def _needs_to_mount(self, node: str, namespace: str, name: str) -> bool:
        """A secret of a volume, which may be another namespace's."""
        part = f"\n{namespace}/{name}\n"
        volumes = self._matching("persistentvolumes", "", _Kept(_VOLUME, _volume_text), lambda text: part in text)
        async for volume in volumes:
            if await self._mounts(node, volume):
                return True
        return False

    async def _matching(
        self, resource: str, namespace: str, kept: _Kept, is_it: Callable[[str], bool]
    ) -> AsyncIterator[JSONObject]:
        definition = self._objects.definition(resource)
        slices = TimeSlices()
        for stored in (await definition.storage.list(definition.place(namespace), _EVERYTHING)).items:
            memo = stored.memo
            if memo is None:
                memo = stored.memo = {}
            text: str | None = memo.get(kept.name)
            if text is None:
                text = memo[kept.name] = kept.text_of(definition.converter.hub_of(stored))
            if is_it(text):
                yield definition.converter.hub_of(stored)
            if slices.is_over:
                await slices.next()


def _pod_text(pod: JSONObject) -> str:
    """Its node and then what it refers to, a line each; nothing if it is on none."""
    node = (pod.get("spec") or {}).get("nodeName")
    return "\n".join((node, *pod_references(pod), "")) if node else ""


def _volume_text(volume: JSONObject) -> str:
    if not (volume.get("spec") or {}).get("claimRef"):
        return ""
    return "\n".join(("", *volume_secrets(volume), ""))
