"""What becomes of a volume: it is free, kept for a claim, bound, released, and reclaimed as its policy says.

No disk is touched here. A directory of a node, which is all that Kubernetes deletes or wipes itself, counts as gone
when its volume goes. Kubernetes: pkg/controller/volume/persistentvolume/pv_controller.go (syncVolume, reclaimVolume).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.client import Indexer

from .bindings import MIGRATED_TO, PROVISIONED_BY, Bindings, phase_of
from .bindings import annotation as annotation_of
from .claim_users import CLAIMS, VOLUMES, claim_key_of, unfinished_users
from .volume_choice import modes_differ

_DELETABLE_PATH: Final = re.compile("/tmp/.+")  # noqa: S108 - nothing is opened there
_HOST_PATH: Final = "kubernetes.io/host-path"
_RECYCLABLE: Final = ("hostPath", "nfs")


class _NoDeleter(Exception):
    """In Kubernetes' words."""


class VolumeSync:
    """`look_at_claim` is told of claims that are to be looked at, by their keys."""

    def __init__(self, bindings: Bindings, *, pods: Indexer, look_at_claim: Callable[[str], None]) -> None:
        self._bindings = bindings
        self._events = bindings.events
        self._claims = bindings.claims
        self._pods = pods
        self._look_at_claim = look_at_claim

    async def sync(self, volume: JSONObject) -> None:
        """Raises APIError."""
        reference = volume["spec"].get("claimRef")
        if reference is None or not reference.get("uid"):
            await self._bindings.set_volume_phase(volume, "Available")
            return
        claim = await self._claim_of(volume)
        name = volume["metadata"]["name"]
        if claim is None:
            await self._release(volume)
        elif not claim["spec"].get("volumeName"):
            self._let_claim_finish(volume, claim)
        elif claim["spec"]["volumeName"] == name:
            await self._bindings.set_volume_phase(volume, "Bound")
        elif _is_made_for_its_claim(volume):
            await self._release(volume)
        else:
            await self._bindings.unbind(volume)

    async def _claim_of(self, volume: JSONObject) -> JSONObject | None:
        """The claim that it is bound to, if that is still there. Before a volume is taken from a claim the server is
        asked: we may not have heard of the claim yet."""
        reference = volume["spec"]["claimRef"]
        claim = self._claims.get(claim_key_of(volume))
        if claim is None and phase_of(volume) in ("Released", "Failed"):
            return None
        if claim is None or claim["metadata"]["uid"] != reference["uid"]:
            try:
                claim = await self._bindings.client.resource(CLAIMS, reference["namespace"]).get(reference["name"])
            except NotFound:
                return None
        return claim if claim["metadata"]["uid"] == reference["uid"] else None

    def _let_claim_finish(self, volume: JSONObject, claim: JSONObject) -> None:
        name, claim_name = volume["metadata"]["name"], claim["metadata"]["name"]
        if not modes_differ(claim, volume):
            self._look_at_claim(claim_key_of(volume))
            return
        opening, reason = "Cannot bind PersistentVolume", "due to incompatible volumeMode."
        message = f'{opening} to requested PersistentVolumeClaim "{claim_name}" {reason}'
        self._events.warn(volume, "VolumeMismatch", message)
        message = f'{opening} "{name}" to requested PersistentVolumeClaim {reason}'
        self._events.warn(claim, "VolumeMismatch", message)

    async def _release(self, volume: JSONObject) -> None:
        if phase_of(volume) not in ("Released", "Failed"):  # what went wrong is to be seen
            volume = await self._bindings.set_volume_phase(volume, "Released")
        if annotation_of(volume, MIGRATED_TO):
            return  # somebody else's
        match volume["spec"].get("persistentVolumeReclaimPolicy"):
            case "Retain":
                return
            case "Recycle":
                await self._recycle(volume)
            case "Delete":
                await self._delete(volume)
            case _:
                message = "Volume has unrecognized PersistentVolumeReclaimPolicy"
                await self._bindings.fail_volume(volume, "VolumeUnknownReclaimPolicy", message)

    async def _recycle(self, volume: JSONObject) -> None:
        key = claim_key_of(volume)
        pods = [pod["metadata"] for pod in unfinished_users(self._pods, key)]
        if pods and self._claims.get(key) is None:
            names = ",".join(sorted(f"{pod['namespace']}/{pod['name']}" for pod in pods))
            self._events.normal(volume, "VolumeFailedRecycle", f"Volume is used by pods: {names}")
        elif not any(kind in volume["spec"] for kind in _RECYCLABLE):
            message = "No recycler plugin found for the volume!"
            await self._bindings.fail_volume(volume, "VolumeFailedRecycle", message)
        else:
            self._events.normal(volume, "VolumeRecycled", "Volume recycled")
            await self._bindings.unbind(volume)

    async def _delete(self, volume: JSONObject) -> None:
        try:
            if _is_for_others_to_delete(volume):
                return
        except _NoDeleter as error:
            await self._bindings.fail_volume(volume, "VolumeFailedDelete", str(error))
            return
        path = (volume["spec"].get("hostPath") or {}).get("path", "")
        if not _DELETABLE_PATH.search(path):
            message = f"host_path deleter only supports /tmp/.+ but received provided {path}"
            await self._bindings.fail_volume(volume, "VolumeFailedDelete", message)
            return
        metadata = volume["metadata"]
        if "deletionTimestamp" not in metadata:
            try:
                await self._bindings.client.resource(VOLUMES).delete(metadata["name"], uid=metadata["uid"])
            except NotFound:
                return


def _is_made_for_its_claim(volume: JSONObject) -> bool:
    is_deleted = volume["spec"].get("persistentVolumeReclaimPolicy") == "Delete"
    return is_deleted and annotation_of(volume, PROVISIONED_BY) is not None


def _is_for_others_to_delete(volume: JSONObject) -> bool:
    """False if it is a directory of a node. Raises _NoDeleter."""
    spec, provisioner = volume["spec"], annotation_of(volume, PROVISIONED_BY)
    if provisioner == _HOST_PATH:
        return False
    if provisioner:
        if provisioner.startswith("kubernetes.io/"):
            raise _NoDeleter(f"no volume plugin matched name: {provisioner}")
        return True
    if "csi" in spec:
        return True
    if "hostPath" in spec:
        return False
    reason = "no deletable volume plugin matched" if "nfs" in spec else "no volume plugin matched"
    name = volume["metadata"]["name"]
    raise _NoDeleter(f'error getting deleter volume plugin for volume "{name}": {reason}')
