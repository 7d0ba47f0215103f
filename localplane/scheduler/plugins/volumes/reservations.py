"""Giving a pod the volumes that were found for it: first in our own view, then on the server.

Kubernetes: volumebinding/binder.go, AssumePodVolumes and BindPodVolumes.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Final

from localplane.apimachinery.clock.waiting import time_limit
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.client import Client, ClientError
from localplane.controllers.node_selection import labels_of
from localplane.scheduler.diagnosis import SchedulerError
from localplane.scheduler.sources import CLAIMS, NODES, PODS, VOLUMES
from localplane.scheduler.state.pod_info import PodInfo

from .binding import PodVolumes, Provision, VolumeMatch
from .views import BOUND_BY_CONTROLLER, SELECTED_NODE, VolumeViews, annotations_of, is_bound, node_selector_of, reaches

_LONGEST_WAIT: Final = 600.0


class Reservation:
    """Of one pod's volumes. `is_needed` is False if all of them were bound before."""

    def __init__(self, views: VolumeViews, node_name: str, volumes: PodVolumes) -> None:
        self._views = views
        self._node_name = node_name
        self._matches = [VolumeMatch(_bound(match), match.claim) for match in volumes.matches]
        self._provisions = [Provision(_selected(each.claim, node_name)) for each in volumes.provisions]
        for match in self._matches:
            views.assume_volume(match.volume)
        for provision in self._provisions:
            views.assume_claim(provision.claim)

    @property
    def is_needed(self) -> bool:
        return bool(self._matches or self._provisions)

    def revert(self) -> None:
        for match in self._matches:
            self._views.restore_volume(match.volume)
        for provision in self._provisions:
            self._views.restore_claim(provision.claim)

    async def carry_out(self, client: Client, pod: PodInfo) -> None:
        """Until all is bound. Raises SchedulerError."""
        try:
            await self._write(client)
            async with time_limit(_LONGEST_WAIT):
                while not self._is_done(pod):
                    await self._views.change()
        except (APIError, ClientError) as error:
            raise SchedulerError(f'running PreBind plugin "VolumeBinding": {error}') from error
        except TimeoutError as error:
            reason = 'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded'
            raise SchedulerError(reason) from error

    async def _write(self, client: Client) -> None:
        volumes = client.resource(VOLUMES)
        for number, match in enumerate(self._matches):
            written = await volumes.update(match.volume)
            self._matches[number] = VolumeMatch(written, match.claim)
        for number, provision in enumerate(self._provisions):
            claims = client.resource(CLAIMS, provision.claim["metadata"]["namespace"])
            self._provisions[number] = Provision(await claims.update(provision.claim))

    def _is_done(self, pod: PodInfo) -> bool:
        """Raises SchedulerError if it will never be."""
        sources = self._views.sources
        node = sources.lister(NODES).get(self._node_name)
        if node is None:
            raise _failed(f'failed to get node "{self._node_name}": node "{self._node_name}" not found')
        if sources.lister(PODS).namespaced(pod.namespace).get(pod.name) is None:
            raise _failed(f'pod does not exist any more: pod "{pod.name}" not found')
        done = [self._is_bound(match, node) for match in self._matches]
        done += [self._is_provided(provision, node) for provision in self._provisions]
        return all(done)

    def _is_bound(self, match: VolumeMatch, node: JSONObject) -> bool:
        volume = self._views.seen_volume(match.volume["metadata"]["name"])
        metadata = match.claim["metadata"]
        claim = self._views.seen_claim(metadata["namespace"], metadata["name"])
        if volume is None or claim is None:
            raise _failed("failed to check binding: not found")
        if _is_older(volume, match.volume):
            return False
        self._require_reach(volume, node)
        if not (volume["spec"].get("claimRef") or {}).get("uid"):
            raise _failed(f'ClaimRef got reset for pv "{volume["metadata"]["name"]}"')
        return is_bound(claim)

    def _is_provided(self, provision: Provision, node: JSONObject) -> bool:
        metadata = provision.claim["metadata"]
        claim = self._views.seen_claim(metadata["namespace"], metadata["name"])
        if claim is None:
            raise _failed(f'failed to check provisioning pvc: persistentvolumeclaim "{metadata["name"]}" not found')
        if _is_older(claim, provision.claim):
            return False
        chosen = annotations_of(claim).get(SELECTED_NODE)
        if chosen != self._node_name:
            raise _failed(f'provisioning failed for PVC "{metadata["name"]}"')
        name = claim["spec"].get("volumeName")
        if name:
            volume = self._views.seen_volume(name)
            if volume is None:
                return False
            self._require_reach(volume, node)
        return is_bound(claim)

    def _require_reach(self, volume: JSONObject, node: JSONObject) -> None:
        if not reaches(node_selector_of(volume), labels_of(node)):
            name = volume["metadata"]["name"]
            reason = "no matching NodeSelectorTerms"
            raise _failed(f'pv "{name}" node affinity doesn\'t match node "{self._node_name}": {reason}')


def _failed(reason: str) -> SchedulerError:
    return SchedulerError(f'running PreBind plugin "VolumeBinding": binding volumes: {reason}')


def _is_older(seen: JSONObject, ours: JSONObject) -> bool:
    return int(seen["metadata"]["resourceVersion"]) < int(ours["metadata"]["resourceVersion"])


def _bound(match: VolumeMatch) -> JSONObject:
    """A volume that says whose it is. Kubernetes: GetBindVolumeToClaim."""
    volume, metadata = deepcopy(match.volume), match.claim["metadata"]
    reference = volume["spec"].get("claimRef") or {}
    if (reference.get("namespace"), reference.get("name")) != (metadata["namespace"], metadata["name"]):
        volume["metadata"].setdefault("annotations", {})[BOUND_BY_CONTROLLER] = "yes"
    if reference.get("uid") != metadata["uid"]:
        volume["spec"]["claimRef"] = {
            "kind": "PersistentVolumeClaim",
            "namespace": metadata["namespace"],
            "name": metadata["name"],
            "uid": metadata["uid"],
            "apiVersion": "v1",
            "resourceVersion": metadata["resourceVersion"],
        }
    return volume


def _selected(claim: JSONObject, node_name: str) -> JSONObject:
    chosen = deepcopy(claim)
    chosen["metadata"].setdefault("annotations", {})[SELECTED_NODE] = node_name
    return chosen
