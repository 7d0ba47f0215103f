"""Claims and volumes as the informers show them, except for those that we have changed and not seen changed yet.

Kubernetes: pkg/scheduler/util/assumecache and component-helpers/storage/volume.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.node_selection import NodeSelector
from localplane.scheduler.diagnosis import SchedulerError
from localplane.scheduler.sources import CLAIMS, STORAGE_CLASSES, VOLUMES, Sources
from localplane.scheduler.state.pod_info import PodInfo

SELECTED_NODE: Final = "volume.kubernetes.io/selected-node"
BIND_COMPLETED: Final = "pv.kubernetes.io/bind-completed"
BOUND_BY_CONTROLLER: Final = "pv.kubernetes.io/bound-by-controller"
_CLASS_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"


def annotations_of(obj: Mapping[str, Any]) -> Mapping[str, str]:
    return obj["metadata"].get("annotations") or {}


def class_of(obj: Mapping[str, Any]) -> str:
    """The storage class of a claim or a volume; empty if it has none."""
    return str(annotations_of(obj).get(_CLASS_ANNOTATION) or obj["spec"].get("storageClassName") or "")


def is_bound(claim: Mapping[str, Any]) -> bool:
    """For good: the controller has finished with it."""
    return bool(claim["spec"].get("volumeName")) and BIND_COMPLETED in annotations_of(claim)


def node_selector_of(volume: Mapping[str, Any]) -> NodeSelector | None:
    """Which nodes can reach a volume; None if all can."""
    required = (volume["spec"].get("nodeAffinity") or {}).get("required")
    return NodeSelector(required) if required is not None else None


def reaches(selector: NodeSelector | None, labels: Mapping[str, str]) -> bool:
    """Only a node's labels count for this, not its name."""
    return selector is None or selector.matches({"metadata": {"name": "", "labels": labels}})


def claim_name(pod: PodInfo, volume: Mapping[str, Any]) -> str:
    """The claim behind one of a pod's volumes; empty if there is none."""
    if "persistentVolumeClaim" in volume:
        return str(volume["persistentVolumeClaim"]["claimName"])
    return f"{pod.name}-{volume['name']}" if "ephemeral" in volume else ""


def _version(obj: Mapping[str, Any]) -> int:
    return int(obj["metadata"].get("resourceVersion") or 0)


class VolumeViews:
    """What was assumed counts until the informer shows something newer."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._assumed_claims: dict[str, JSONObject] = {}
        self._assumed_volumes: dict[str, JSONObject] = {}
        self._waiting: list[asyncio.Future[None]] = []

    @property
    def sources(self) -> Sources:
        return self._sources

    def seen_claim(self, namespace: str, name: str) -> JSONObject | None:
        return self._sources.lister(CLAIMS).namespaced(namespace).get(name)

    def seen_volume(self, name: str) -> JSONObject | None:
        return self._sources.lister(VOLUMES).get(name)

    def claim(self, namespace: str, name: str) -> JSONObject | None:
        return _latest(self._assumed_claims, f"{namespace}/{name}", self.seen_claim(namespace, name))

    def volume(self, name: str) -> JSONObject | None:
        return _latest(self._assumed_volumes, name, self.seen_volume(name))

    def volumes_of_class(self, name: str) -> list[JSONObject]:
        seen = self._sources.lister(VOLUMES).list()
        every = [_latest(self._assumed_volumes, each["metadata"]["name"], each) for each in seen]
        return [each for each in every if each is not None and class_of(each) == name]

    def storage_class(self, name: str) -> JSONObject | None:
        return self._sources.lister(STORAGE_CLASSES).get(name)

    def waits_for_consumer(self, claim: Mapping[str, Any]) -> bool:
        """Whether a claim gets its volume only when a pod uses it. Raises SchedulerError."""
        name = class_of(claim)
        found = self.storage_class(name) if name else None
        if found is None:
            return False
        mode = found.get("volumeBindingMode")
        if mode is None:
            raise SchedulerError(f'VolumeBindingMode not set for StorageClass "{name}"')
        return bool(mode == "WaitForFirstConsumer")

    # What we decide

    def assume_claim(self, claim: JSONObject) -> None:
        metadata = claim["metadata"]
        self._assumed_claims[f"{metadata['namespace']}/{metadata['name']}"] = claim

    def assume_volume(self, volume: JSONObject) -> None:
        self._assumed_volumes[volume["metadata"]["name"]] = volume

    def restore_claim(self, claim: Mapping[str, Any]) -> None:
        metadata = claim["metadata"]
        self._assumed_claims.pop(f"{metadata['namespace']}/{metadata['name']}", None)

    def restore_volume(self, volume: Mapping[str, Any]) -> None:
        self._assumed_volumes.pop(volume["metadata"]["name"], None)

    # What happens

    def notify(self) -> None:
        """A claim, a volume or a pod has changed."""
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    async def change(self) -> None:
        """Until the next one."""
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        await future


def _latest(assumed: dict[str, JSONObject], key: str, seen: JSONObject | None) -> JSONObject | None:
    ours = assumed.get(key)
    if ours is None:
        return seen
    if seen is None or _version(seen) > _version(ours):
        del assumed[key]
        return seen
    return ours
