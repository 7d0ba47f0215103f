"""What becomes of a claim: it finds a volume, waits for one, has one made for it, or has lost it.

Kubernetes: pkg/controller/volume/persistentvolume/pv_controller.go (syncUnboundClaim, syncBoundClaim, provisionClaim).
"""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import InvalidSelector
from localplane.client import Indexer, Lister, object_key
from localplane.controllers.worker import NotYet

from .bindings import BIND_COMPLETED, BOUND_BY_CONTROLLER, SELECTED_NODE, STORAGE_PROVISIONER, Bindings
from .bindings import annotation as annotation_of
from .claim_users import claim_key_of, unfinished_users
from .volume_choice import best_match, default_class, has_storage_class, is_bound_to, misfit, storage_class_of

CANDIDATES: Final = "volume-candidates"
"""Volumes by `candidate_keys`."""
_OLD_STORAGE_PROVISIONER: Final = "volume.beta.kubernetes.io/storage-provisioner"
_BUILT_IN: Final = "kubernetes.io/"
_HOST_PATH: Final = "kubernetes.io/host-path"
_DRIVERS: Final = {
    "kubernetes.io/aws-ebs": "ebs.csi.aws.com",
    "kubernetes.io/azure-disk": "disk.csi.azure.com",
    "kubernetes.io/azure-file": "file.csi.azure.com",
    "kubernetes.io/cinder": "cinder.csi.openstack.org",
    "kubernetes.io/gce-pd": "pd.csi.storage.gke.io",
    "kubernetes.io/portworx-volume": "pxd.portworx.com",
    "kubernetes.io/vsphere-volume": "csi.vsphere.vmware.com",
}
"""Provisioners that were once built in, and the drivers that do it now. Kubernetes: csi-translation-lib/plugins."""


class ClaimSync:
    """`pods` are found by the claims that they use."""

    def __init__(self, bindings: Bindings, *, classes: Lister, pods: Indexer) -> None:
        self._bindings = bindings
        self._events = bindings.events
        self._volumes = bindings.volumes
        self._classes = classes
        self._pods = pods

    async def sync(self, claim: JSONObject) -> None:
        """Raises APIError and NotYet."""
        if annotation_of(claim, BIND_COMPLETED) is not None:
            await self._sync_bound(claim)
        elif claim["spec"].get("volumeName"):
            await self._sync_with_wish(claim)
        else:
            await self._sync_unbound(claim)

    async def _sync_bound(self, claim: JSONObject) -> None:
        bindings, name = self._bindings, claim["spec"].get("volumeName")
        volume = self._volumes.get(name) if name else None
        if volume is None:
            what = "its" if name else "reference to"
            message = f"Bound claim has lost {what} PersistentVolume. Data on the volume is lost!"
            await bindings.lose_claim(claim, "ClaimLost", message)
            return
        reference = volume["spec"].get("claimRef")
        if reference is None or reference.get("uid") == claim["metadata"]["uid"]:
            await bindings.bind(volume, claim)  # writes only what is not so already
            return
        message = "Two claims are bound to the same volume, this one is bound incorrectly"
        await bindings.lose_claim(claim, "ClaimMisbound", message)

    async def _sync_with_wish(self, claim: JSONObject) -> None:
        """Somebody asked for one volume by its name."""
        name = claim["spec"]["volumeName"]
        volume = self._volumes.get(name)
        if volume is None:
            await self._bindings.set_claim_phase(claim, "Pending")
        elif volume["spec"].get("claimRef") is None:
            await self._bind_if_it_fits(claim, volume)
        elif is_bound_to(volume, claim):
            await self._bindings.bind(volume, claim)
        else:
            self._events.warn(claim, "FailedBinding", f'volume "{name}" already bound to a different claim.')
            if annotation_of(claim, BOUND_BY_CONTROLLER) is not None:
                raise NotYet(
                    f'invalid binding of claim "{object_key(claim)}" to volume "{name}": '
                    f'volume already claimed by "{claim_key_of(volume)}"'
                )
            await self._bindings.set_claim_phase(claim, "Pending")

    async def _bind_if_it_fits(self, claim: JSONObject, volume: JSONObject) -> None:
        reason = misfit(volume, claim)
        if reason is None:
            await self._bindings.bind(volume, claim)
            return
        message = f'Cannot bind to requested volume "{volume["metadata"]["name"]}": {reason}'
        self._events.warn(claim, "VolumeMismatch", message)
        await self._bindings.set_claim_phase(claim, "Pending")

    async def _sync_unbound(self, claim: JSONObject) -> None:
        is_delayed = self._is_delayed(claim)
        volume = self._best(claim, only_reserved=is_delayed)
        if volume is not None:
            await self._bindings.bind(volume, claim)
        elif (chosen := self._default_for(claim)) is not None:
            spec = claim["spec"] | {"storageClassName": chosen["metadata"]["name"]}
            await self._bindings.update_claim(claim | {"spec": spec})  # and is looked at again
        elif is_delayed and annotation_of(claim, SELECTED_NODE) is None:
            self._tell_what_it_waits_for(claim)
            await self._bindings.set_claim_phase(claim, "Pending")
        elif storage_class_of(claim):
            await self._provision(claim)
        else:
            message = "no persistent volumes available for this claim and no storage class is set"
            self._events.normal(claim, "FailedBinding", message)
            await self._bindings.set_claim_phase(claim, "Pending")

    def _is_delayed(self, claim: JSONObject) -> bool:
        """Its volume is chosen when the scheduler has chosen a node."""
        storage_class = self._classes.get(storage_class_of(claim)) if storage_class_of(claim) else None
        return storage_class is not None and storage_class.get("volumeBindingMode") == "WaitForFirstConsumer"

    def _best(self, claim: JSONObject, *, only_reserved: bool) -> JSONObject | None:
        places = (f"claim/{object_key(claim)}", f"class/{storage_class_of(claim)}")
        volumes = [volume for place in places for volume in self._volumes.index(CANDIDATES, place)]
        try:
            return best_match(claim, volumes, only_reserved=only_reserved)
        except InvalidSelector as error:
            raise NotYet(f'error finding PV for claim "{object_key(claim)}": {error}') from error

    def _default_for(self, claim: JSONObject) -> JSONObject | None:
        return None if has_storage_class(claim) else default_class(self._classes.list())

    def _tell_what_it_waits_for(self, claim: JSONObject) -> None:
        users = unfinished_users(self._pods, object_key(claim))
        names = [pod["metadata"]["name"] for pod in users if not pod["spec"].get("nodeName")]
        if names:
            pods = "pod" if len(names) == 1 else "pods"
            message = f"waiting for {pods} {','.join(names)} to be scheduled"
            self._events.normal(claim, "WaitForPodScheduled", message)
        else:
            message = "waiting for first consumer to be created before binding"
            self._events.normal(claim, "WaitForFirstConsumer", message)

    async def _provision(self, claim: JSONObject) -> None:
        name = storage_class_of(claim)
        storage_class = self._classes.get(name)
        if storage_class is None:
            self._fail(claim, f'storageclass.storage.k8s.io "{name}" not found')
            return
        provisioner: str = storage_class["provisioner"]
        driver = _DRIVERS.get(provisioner, provisioner)
        if driver.startswith(_BUILT_IN) and driver != _HOST_PATH:
            self._fail(claim, f"no volume plugin matched name: {driver}")
            return
        annotations = {_OLD_STORAGE_PROVISIONER: driver, STORAGE_PROVISIONER: driver}
        claim = await self._bindings.annotate_claim(claim, annotations)
        if driver == _HOST_PATH:  # --enable-hostpath-provisioner is for tests of a kubelet
            self._fail(claim, f'Failed to create provisioner: provisioning in volume plugin "{_HOST_PATH}" is disabled')
            return
        message = (
            f"Waiting for a volume to be created either by the external provisioner '{driver}' or manually by the "
            "system administrator. If volume creation is delayed, please verify that the provisioner is running and "
            "correctly registered."
        )
        self._events.normal(claim, "ExternalProvisioning", message)

    def _fail(self, claim: JSONObject, message: str) -> None:
        self._events.warn(claim, "ProvisioningFailed", message)
