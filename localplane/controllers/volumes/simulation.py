"""A provisioner whose volumes hold nothing: for every claim of its storage classes there is a volume at once, which
grows when the claim asks for more, and goes when it is released.

To the rest of the cluster it is what people install beside Kubernetes: it speaks as kubernetes-csi's
external-provisioner (lib-external-provisioner, controller.go) and external-resizer do.
"""

from __future__ import annotations

import asyncio
from copy import deepcopy
from typing import Final

from localplane.apimachinery.errors import AlreadyExists, APIError, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.client import WorkQueue, object_key, split_key
from localplane.controllers.context import ControllerContext
from localplane.controllers.pods import is_terminating
from localplane.controllers.worker import hearing, work

from .bindings import PROVISIONED_BY, SELECTED_NODE, STORAGE_PROVISIONER, annotation, phase_of
from .claim_users import CLAIMS, STORAGE_CLASSES, VOLUMES, claim_key_of, reference_to
from .protection import release
from .volume_choice import capacity, requested, storage_class_of, wants_more

PROVISIONER: Final = "simulation.localplane/provisioner"
_ACCOUNT: Final = "persistent-volume-binder"
_FINALIZER: Final = "external-provisioner.volume.kubernetes.io/finalizer"
_MARK: Final = "simulation.localplane/volume"
_MARK_TEXT: Final = "Nothing is stored: this volume is simulated, and its path exists on no node."
_DIRECTORY: Final = "/simulation.localplane/volumes"
_RESIZING: Final = ("Resizing", "FileSystemResizePending", "ControllerResizeError", "NodeResizeError")


class Provisioner:
    def __init__(self, context: ControllerContext) -> None:
        self._client = context.client_of(_ACCOUNT)
        self._events = context.recorder(_ACCOUNT, PROVISIONER)
        self._resizer_events = context.recorder(_ACCOUNT, f"external-resizer {PROVISIONER}")
        self._claims = context.informers.informer(CLAIMS)
        self._volumes = context.informers.informer(VOLUMES)
        self._classes = context.informers.informer(STORAGE_CLASSES)
        self._claim_queue = WorkQueue[str]()
        self._volume_queue = WorkQueue[str]()

    async def run(self) -> None:
        """Until it is cancelled."""
        for informer in (self._claims, self._volumes, self._classes):
            await informer.wait_for_sync()
        with hearing(self._claims, self._hear_claim, deletions=False), hearing(self._volumes, self._hear_volume):
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(work(self._claim_queue, self._sync_claim, workers=4))
                tasks.create_task(work(self._volume_queue, self._sync_volume, workers=4))

    def _hear_claim(self, claim: JSONObject) -> None:
        if _wants_volume(claim) or wants_more(claim):
            self._claim_queue.add(object_key(claim))

    def _hear_volume(self, volume: JSONObject) -> None:
        if annotation(volume, PROVISIONED_BY) != PROVISIONER:
            return
        if _is_to_go(volume):
            self._volume_queue.add(object_key(volume))
        elif key := claim_key_of(volume):
            self._claim_queue.add(key)

    async def _sync_claim(self, key: str) -> None:
        namespace, name = split_key(key)
        claim = self._claims.lister.namespaced(namespace).get(name)
        if claim is not None and _wants_volume(claim):
            await self._provision(claim)
        elif claim is not None and wants_more(claim):
            await self._expand(claim)

    async def _provision(self, claim: JSONObject) -> None:
        storage_class = self._classes.lister.get(storage_class_of(claim))
        if storage_class is None or storage_class["provisioner"] != PROVISIONER:
            return
        if storage_class.get("volumeBindingMode") == "WaitForFirstConsumer" and not annotation(claim, SELECTED_NODE):
            return
        volume = _volume_for(claim, storage_class)
        name = volume["metadata"]["name"]
        if self._volumes.lister.get(name) is not None:
            return
        message = f'External provisioner is provisioning volume for claim "{object_key(claim)}"'
        self._events.normal(claim, "Provisioning", message)
        try:
            await self._client.resource(VOLUMES).create(volume)
        except AlreadyExists:
            return
        except APIError as error:
            class_name = storage_class["metadata"]["name"]
            message = f'failed to provision volume with StorageClass "{class_name}": {error}'
            self._events.warn(claim, "ProvisioningFailed", message)
            raise
        self._events.normal(claim, "ProvisioningSucceeded", f"Successfully provisioned volume {name}")

    async def _expand(self, claim: JSONObject) -> None:
        """First the volume grows, then the claim says so."""
        volume = self._volumes.lister.get(claim["spec"]["volumeName"])
        if volume is None or annotation(volume, PROVISIONED_BY) != PROVISIONER or is_terminating(volume):
            return
        wanted = str(requested(claim))
        if capacity(volume) < requested(claim):
            message = f"External resizer is resizing volume {volume['metadata']['name']}"
            self._resizer_events.normal(claim, "Resizing", message)
            changed = deepcopy(volume)
            changed["spec"]["capacity"]["storage"] = wanted
            await self._client.resource(VOLUMES).update(changed)
        claims = self._client.resource(CLAIMS, claim["metadata"]["namespace"])
        await claims.update(claim | {"status": _grown(claim["status"], wanted)}, subresource="status")
        self._resizer_events.normal(claim, "VolumeResizeSuccessful", "Resize volume succeeded")

    async def _sync_volume(self, name: str) -> None:
        volume = self._volumes.lister.get(name)
        if volume is None or not _is_to_go(volume):
            return
        volumes = self._client.resource(VOLUMES)
        try:
            if not is_terminating(volume):
                await volumes.delete(name, uid=volume["metadata"]["uid"])
                volume = await volumes.get(name)
        except NotFound:
            return
        if _FINALIZER in (volume["metadata"].get("finalizers") or ()):
            await release(volumes, volume, _FINALIZER)


def _wants_volume(claim: JSONObject) -> bool:
    is_ours = annotation(claim, STORAGE_PROVISIONER) == PROVISIONER
    return is_ours and not claim["spec"].get("volumeName") and not is_terminating(claim)


def _is_to_go(volume: JSONObject) -> bool:
    """Released, and not kept by its policy; or going already, and only our finalizer is in the way."""
    if annotation(volume, PROVISIONED_BY) != PROVISIONER:
        return False
    if volume["spec"].get("persistentVolumeReclaimPolicy") == "Delete":
        return phase_of(volume) == "Released"
    return is_terminating(volume) and _FINALIZER in (volume["metadata"].get("finalizers") or ())


def _grown(status: JSONObject, size: str) -> JSONObject:
    grown = {key: value for key, value in status.items() if key not in ("allocatedResourceStatuses", "conditions")} | {
        "capacity": (status.get("capacity") or {}) | {"storage": size},
        "allocatedResources": (status.get("allocatedResources") or {}) | {"storage": size},
    }
    if conditions := [each for each in status.get("conditions") or () if each["type"] not in _RESIZING]:
        grown["conditions"] = conditions
    return grown


def _volume_for(claim: JSONObject, storage_class: JSONObject) -> JSONObject:
    name = f"pvc-{claim['metadata']['uid']}"
    policy = storage_class.get("reclaimPolicy") or "Delete"
    metadata: JSONObject = {"name": name, "annotations": {PROVISIONED_BY: PROVISIONER, _MARK: _MARK_TEXT}}
    if policy == "Delete":
        metadata["finalizers"] = [_FINALIZER]
    spec: JSONObject = {
        "capacity": {"storage": str(requested(claim))},
        "accessModes": claim["spec"].get("accessModes"),
        "claimRef": reference_to(claim),
        "persistentVolumeReclaimPolicy": policy,
        "storageClassName": storage_class["metadata"]["name"],
        "volumeMode": claim["spec"].get("volumeMode") or "Filesystem",
        "hostPath": {"path": f"{_DIRECTORY}/{name}"},
        "mountOptions": storage_class.get("mountOptions"),
        "volumeAttributesClassName": claim["spec"].get("volumeAttributesClassName"),
        "nodeAffinity": _affinity(storage_class),
    }
    spec = {key: value for key, value in spec.items() if value}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": metadata, "spec": spec}


def _affinity(storage_class: JSONObject) -> JSONObject | None:
    """The volume is where its class allows it to be."""
    terms = [
        {
            "matchExpressions": [
                {"key": each["key"], "operator": "In", "values": each["values"]}
                for each in term.get("matchLabelExpressions") or ()
            ]
        }
        for term in storage_class.get("allowedTopologies") or ()
    ]
    return {"required": {"nodeSelectorTerms": terms}} if terms else None
