"""Which pods wait for objects that are not there yet. Config maps, secrets and claims are watched from the first pod on
that refers to one, and whoever waits for one is looked at again when it comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.client import GroupVersionResource, SharedInformer, SharedInformerFactory, object_key
from localplane.controllers.worker import hearing

from .pods.requirements import Need, PodReferences, Troubles, refers_to


class PodNeeds:
    """`look_at` is called with the key of a pod that may go on. When `ending` is closed, watching ends."""

    def __init__(self, informers: SharedInformerFactory, ending: ExitStack, look_at: Callable[[str], None]) -> None:
        self._informers = informers
        self._ending = ending
        self._look_at = look_at
        self._heard: set[str] = set()
        self._waiting: dict[tuple[str, str], set[str]] = {}
        self._needs: dict[str, set[tuple[str, str]]] = {}

    async def troubles(self, key: str, pod: Mapping[str, Any]) -> Troubles:
        """What the pod lacks now, if there is anything left of it to start."""
        if not _has_something_to_start(pod):
            return Troubles()
        namespace = pod["metadata"]["namespace"]
        for resource in sorted(refers_to(pod)):
            await self._hear_of(resource)
        needs = PodReferences(pod, partial(self.found, pod))
        troubles = needs.troubles()
        self.forget(key)
        if troubles.volumes or troubles.by_container:
            self._needs[key] = {(need.resource, f"{namespace}/{need.name}") for need in needs.looked_for}
            for need in self._needs[key]:
                self._waiting.setdefault(need, set()).add(key)
        return troubles

    def found(self, pod: Mapping[str, Any], need: Need) -> Mapping[str, Any] | None:
        """What there is of what the pod refers to."""
        if need.resource not in self._heard:
            return None
        return self._informer(need.resource).indexer.get(f"{pod['metadata']['namespace']}/{need.name}")

    def forget(self, key: str) -> None:
        """The pod waits no longer."""
        for need in self._needs.pop(key, ()):
            waiting = self._waiting.get(need, set())
            waiting.discard(key)
            if not waiting:
                self._waiting.pop(need, None)

    def _informer(self, resource: str) -> SharedInformer:
        return self._informers.informer(GroupVersionResource("", "v1", resource))

    async def _hear_of(self, resource: str) -> None:
        informer = self._informer(resource)
        await informer.wait_for_sync()
        if resource not in self._heard:
            self._heard.add(resource)

            def hear(obj: JSONObject) -> None:
                for key in self._waiting.pop((resource, object_key(obj)), ()):
                    self._look_at(key)

            self._ending.enter_context(hearing(informer, hear, deletions=False))


def _has_something_to_start(pod: Mapping[str, Any]) -> bool:
    status = pod.get("status") or {}
    started = 0
    for name in ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"):
        started += sum("waiting" not in (each.get("state") or {"waiting"}) for each in status.get(name) or ())
    spec = pod["spec"]
    wanted = sum(len(spec.get(name) or ()) for name in ("initContainers", "containers", "ephemeralContainers"))
    return started < wanted
