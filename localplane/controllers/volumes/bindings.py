"""What the binder writes: which volume and which claim belong together, and the phase of each.

A binding is four writes, the volume first. Anybody may change anything in between, so whoever is refused looks at it
all again. Kubernetes: pkg/controller/volume/persistentvolume/pv_controller.go (bind, unbindVolume, updateClaimStatus,
updateVolumePhase).
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import InvalidQuantity, parse
from localplane.client import Client, SharedInformer, object_key
from localplane.controllers.events import EventRecorder
from localplane.controllers.worker import NotYet

from .claim_users import CLAIMS, VOLUMES, reference_to
from .volume_choice import is_bound_to, storage

BIND_COMPLETED: Final = "pv.kubernetes.io/bind-completed"
BOUND_BY_CONTROLLER: Final = "pv.kubernetes.io/bound-by-controller"
PROVISIONED_BY: Final = "pv.kubernetes.io/provisioned-by"
MIGRATED_TO: Final = "pv.kubernetes.io/migrated-to"
STORAGE_PROVISIONER: Final = "volume.kubernetes.io/storage-provisioner"
SELECTED_NODE: Final = "volume.kubernetes.io/selected-node"
_PRE_RESIZE_CAPACITY: Final = "volume.alpha.kubernetes.io/pre-resize-capacity"


def annotation(obj: Mapping[str, Any], name: str) -> str | None:
    found: str | None = (obj["metadata"].get("annotations") or {}).get(name)
    return found


def phase_of(obj: Mapping[str, Any]) -> str:
    return str((obj.get("status") or {}).get("phase", ""))


class Newest:
    """An informer's objects or, where they are newer, those that we have written: an informer is always a little late,
    and who believes it does everything twice."""

    def __init__(self, informer: SharedInformer) -> None:
        self._indexer = informer.indexer
        self._written: dict[str, JSONObject] = {}

    def get(self, key: str) -> JSONObject | None:
        seen, written = self._indexer.get(key), self._written.get(key)
        if written is None:
            return seen
        if seen is not None and _version(seen) >= _version(written):
            del self._written[key]
            return seen
        return written

    def index(self, name: str, value: str) -> list[JSONObject]:
        """Those that the informer finds by this, in their newest form, which may have another value."""
        return [obj for key in self._indexer.index_keys(name, value) if (obj := self.get(key)) is not None]

    def wrote(self, obj: JSONObject) -> JSONObject:
        self._written[object_key(obj)] = obj
        return obj

    def forget(self, key: str) -> None:
        """It is gone."""
        self._written.pop(key, None)


def _version(obj: JSONObject) -> int:
    return int(obj["metadata"]["resourceVersion"])


class Bindings:
    """Every method returns what it has written, or what it was given if there was nothing to write."""

    def __init__(self, client: Client, events: EventRecorder, *, claims: Newest, volumes: Newest) -> None:
        self.client = client
        self.events = events
        self.claims = claims
        self.volumes = volumes
        self._volume_client = client.resource(VOLUMES)

    async def bind(self, volume: JSONObject, claim: JSONObject) -> None:
        volume = await self._bind_volume(volume, claim)
        volume = await self.set_volume_phase(volume, "Bound")
        claim = await self._bind_claim(claim, volume)
        await self.set_claim_phase(claim, "Bound", volume)

    async def unbind(self, volume: JSONObject) -> JSONObject:
        """What the controller has bound is free again; what somebody kept for a claim stays so, for any of its
        name."""
        changed = deepcopy(volume)
        annotations = changed["metadata"].get("annotations") or {}
        if annotations.pop(BOUND_BY_CONTROLLER, None) is not None:
            del changed["spec"]["claimRef"]
            if not annotations:
                del changed["metadata"]["annotations"]
        else:
            changed["spec"]["claimRef"].pop("uid", None)
        return await self.set_volume_phase(await self._update_volume(changed), "Available")

    async def set_volume_phase(self, volume: JSONObject, phase: str, message: str = "") -> JSONObject:
        if phase_of(volume) == phase:
            return volume
        status = {key: value for key, value in (volume.get("status") or {}).items() if key != "message"}
        status |= {"phase": phase} | ({"message": message} if message else {})
        return self.volumes.wrote(await self._volume_client.update(volume | {"status": status}, subresource="status"))

    async def fail_volume(self, volume: JSONObject, reason: str, message: str) -> None:
        """It is told once, however often it fails."""
        if phase_of(volume) != "Failed":
            self.events.warn(await self.set_volume_phase(volume, "Failed", message), reason, message)

    async def set_claim_phase(self, claim: JSONObject, phase: str, volume: JSONObject | None = None) -> JSONObject:
        old: JSONObject = claim.get("status") or {}
        new = _bound_status(old, phase, volume) if volume is not None else _unbound_status(old, phase)
        return claim if new == old else await self.update_claim(claim | {"status": new}, subresource="status")

    async def lose_claim(self, claim: JSONObject, reason: str, message: str) -> None:
        if phase_of(claim) != "Lost":
            self.events.warn(await self.set_claim_phase(claim, "Lost"), reason, message)

    async def annotate_claim(self, claim: JSONObject, annotations: Mapping[str, str]) -> JSONObject:
        old = claim["metadata"].get("annotations") or {}
        if old.items() >= annotations.items():
            return claim
        return await self.update_claim(
            claim | {"metadata": claim["metadata"] | {"annotations": {**old, **annotations}}}
        )

    async def update_claim(self, claim: JSONObject, *, subresource: str = "") -> JSONObject:
        claims = self.client.resource(CLAIMS, claim["metadata"]["namespace"])
        return self.claims.wrote(await claims.update(claim, subresource=subresource))

    async def _bind_volume(self, volume: JSONObject, claim: JSONObject) -> JSONObject:
        changed = deepcopy(volume)
        if not is_bound_to(volume, claim):
            changed["metadata"].setdefault("annotations", {}).setdefault(BOUND_BY_CONTROLLER, "yes")
        if not _names_exactly(volume["spec"].get("claimRef") or {}, claim):
            changed["spec"]["claimRef"] = reference_to(claim)
        return volume if changed == volume else await self._update_volume(changed)

    async def _bind_claim(self, claim: JSONObject, volume: JSONObject) -> JSONObject:
        changed = deepcopy(claim)
        annotations = changed["metadata"].setdefault("annotations", {})
        if claim["spec"].get("volumeName") != volume["metadata"]["name"]:
            changed["spec"]["volumeName"] = volume["metadata"]["name"]
            annotations.setdefault(BOUND_BY_CONTROLLER, "yes")
        annotations.setdefault(BIND_COMPLETED, "yes")
        return claim if changed == claim else await self.update_claim(changed)

    async def _update_volume(self, volume: JSONObject) -> JSONObject:
        return self.volumes.wrote(await self._volume_client.update(volume))


def _names_exactly(reference: JSONObject, claim: JSONObject) -> bool:
    return all(reference.get(key) == claim["metadata"][key] for key in ("name", "namespace", "uid"))


def _unbound_status(old: JSONObject, phase: str) -> JSONObject:
    of_the_volume = ("accessModes", "capacity", "currentVolumeAttributesClassName")
    return {key: value for key, value in old.items() if key not in of_the_volume} | {"phase": phase}


def _bound_status(old: JSONObject, phase: str, volume: JSONObject) -> JSONObject:
    """Once a claim is bound its capacity is no longer the binder's: a volume may grow before its file system does."""
    spec, new = volume["spec"], old | {"phase": phase, "accessModes": volume["spec"].get("accessModes") or []}
    if old.get("phase") == phase:
        return new
    if "storage" not in (spec.get("capacity") or {}):
        raise NotYet(f'PersistentVolume "{volume["metadata"]["name"]}" is without a storage capacity')
    before = annotation(volume, _PRE_RESIZE_CAPACITY)
    if before is not None:
        new["capacity"] = (old.get("capacity") or {}) | {"storage": _readable(before) or spec["capacity"]["storage"]}
    elif "capacity" not in old or storage(old["capacity"]) != storage(spec["capacity"]):
        new["capacity"] = spec["capacity"]
    if old.get("phase") == "Pending" and phase == "Bound":
        new.pop("currentVolumeAttributesClassName", None)
        if (attributes_class := spec.get("volumeAttributesClassName")) is not None:
            new["currentVolumeAttributesClassName"] = attributes_class
    return new


def _readable(quantity: str) -> str | None:
    try:
        return str(parse(quantity))
    except InvalidQuantity:
        return None
