"""Claims find volumes, volumes are made for claims, and neither goes while somebody needs it."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.volumes.simulation import PROVISIONER
from localplane.servers.kube.bootstrap import make_storage_class
from tests.integration.life.world import World, cluster

CLAIMS, VOLUMES = "v1/persistentvolumeclaims", "v1/persistentvolumes"
CLASSES, PODS = "storage.k8s.io/v1/storageclasses", "v1/pods"
BINDER, CLAIM_PROTECTION = "persistentvolume-binder-controller", "persistentvolumeclaim-protection-controller"
VOLUME_PROTECTION = "persistentvolume-protection-controller"
ALL = (BINDER, CLAIM_PROTECTION, VOLUME_PROTECTION)
STORAGE = "storage.k8s.io/v1/volumeattributesclasses"


def claim(name: str, size: str = "1Gi", **spec: Any) -> JSONObject:
    said = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}, "storageClassName": ""}
    return {
        "metadata": {"name": name},
        "spec": {key: value for key, value in (said | spec).items() if value is not None},
    }


def volume(name: str, size: str = "1Gi", labels: dict[str, str] | None = None, **spec: Any) -> JSONObject:
    said = {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": size}}
    if not {"csi", "nfs", "iscsi"} & spec.keys():
        said["hostPath"] = {"path": f"/tmp/{name}"}
    return {"metadata": {"name": name, "labels": labels or {}}, "spec": said | spec}


def storage_class(name: str, provisioner: str = PROVISIONER, **fields: Any) -> JSONObject:
    return {"metadata": {"name": name}, "provisioner": provisioner} | fields


def pod(name: str, volumes: list[JSONObject]) -> JSONObject:
    return {
        "metadata": {"name": name},
        "spec": {"containers": [{"name": "c", "image": "i"}], "volumes": volumes},
    }


def using(claim_name: str) -> list[JSONObject]:
    return [{"name": "data", "persistentVolumeClaim": {"claimName": claim_name}}]


def in_phase(*phases: str) -> Any:
    return lambda obj: obj["status"].get("phase") in phases


def is_unused(status: str) -> Any:
    def so(obj: JSONObject) -> bool:
        conditions = obj["status"].get("conditions") or ()
        return any(each["type"] == "Unused" and each["status"] == status for each in conditions)

    return so


async def bound(world: World, name: str) -> JSONObject:
    return await world.becomes(CLAIMS, name, in_phase("Bound"))


async def available(world: World, *volumes: JSONObject) -> None:
    for each in volumes:
        await world.create(VOLUMES, each, "")
        await world.becomes(VOLUMES, each["metadata"]["name"], in_phase("Available"), "")


async def test_a_claim_and_a_volume_are_bound_to_each_other() -> None:
    async with cluster(*ALL, nodes=0) as world:
        await available(world, volume("disk", "5Gi", accessModes=["ReadWriteOnce", "ReadOnlyMany"]))
        made = await world.create(CLAIMS, claim("data"))
        data = await bound(world, "data")
        assert data["spec"]["volumeName"] == "disk"
        assert data["status"]["capacity"] == {"storage": "5Gi"}
        assert data["status"]["accessModes"] == ["ReadWriteOnce", "ReadOnlyMany"]
        marks = {"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes"}
        assert data["metadata"]["annotations"] == marks
        disk = await world.becomes(VOLUMES, "disk", in_phase("Bound"), "")
        assert disk["metadata"]["annotations"] == {"pv.kubernetes.io/bound-by-controller": "yes"}
        reference = disk["spec"]["claimRef"]
        assert reference["uid"] == made["metadata"]["uid"]
        assert (reference["kind"], reference["namespace"], reference["name"]) == (
            "PersistentVolumeClaim",
            "default",
            "data",
        )


async def test_a_claim_gets_the_smallest_volume_that_fits() -> None:
    async with cluster(BINDER, nodes=0) as world:
        await available(
            world,
            volume("small", "1Gi"),
            volume("large", "10Gi"),
            volume("fitting", "3Gi"),
            volume("other-class", "2Gi", storageClassName="fast"),
            volume("other-modes", "2Gi", accessModes=["ReadOnlyMany"]),
            volume("block", "2Gi", volumeMode="Block"),
        )
        await world.create(CLAIMS, claim("data", "2Gi"))
        assert (await bound(world, "data"))["spec"]["volumeName"] == "fitting"


async def test_a_claim_gets_a_volume_that_its_selector_chooses() -> None:
    async with cluster(BINDER, nodes=0) as world:
        await available(world, volume("plain"), volume("red", "9Gi", {"colour": "red"}))
        expressions = [{"key": "colour", "operator": "In", "values": ["red", "green"]}]
        await world.create(CLAIMS, claim("data", selector={"matchExpressions": expressions}))
        assert (await bound(world, "data"))["spec"]["volumeName"] == "red"


async def test_a_claim_that_waits_is_bound_when_its_volume_comes() -> None:
    async with cluster(BINDER, nodes=0) as world:
        await world.create(CLAIMS, claim("data"))
        event = await world.event("data", "FailedBinding")
        assert event["message"] == "no persistent volumes available for this claim and no storage class is set"
        assert (event["type"], event["source"]["component"]) == ("Normal", "persistentvolume-controller")
        await world.create(VOLUMES, volume("disk"), "")
        await bound(world, "data")


async def test_a_volume_that_is_kept_for_a_claim_goes_to_no_other() -> None:
    async with cluster(BINDER, nodes=0) as world:
        reference = {"namespace": "default", "name": "mine"}
        await available(world, volume("kept", claimRef=reference), volume("free", "20Gi"))
        await world.create(CLAIMS, claim("other"))
        assert (await bound(world, "other"))["spec"]["volumeName"] == "free"
        mine = await world.create(CLAIMS, claim("mine"))
        assert (await bound(world, "mine"))["spec"]["volumeName"] == "kept"
        kept = await world.becomes(VOLUMES, "kept", in_phase("Bound"), "")
        assert kept["spec"]["claimRef"]["uid"] == mine["metadata"]["uid"]
        assert not kept["metadata"].get("annotations")


async def test_a_claim_may_name_its_volume() -> None:
    async with cluster(BINDER, nodes=0) as world:
        await available(world, volume("small", "1Gi"), volume("named", "10Gi"))
        await world.create(CLAIMS, claim("data", volumeName="named"))
        data = await bound(world, "data")
        assert data["spec"]["volumeName"] == "named"
        assert data["metadata"]["annotations"] == {"pv.kubernetes.io/bind-completed": "yes"}
        await world.create(CLAIMS, claim("greedy", "5Gi", volumeName="small"))
        event = await world.event("greedy", "VolumeMismatch")
        assert event["message"] == 'Cannot bind to requested volume "small": requested PV is too small'
        await world.create(CLAIMS, claim("late", volumeName="named"))
        event = await world.event("late", "FailedBinding")
        assert event["message"] == 'volume "named" already bound to a different claim.'
        await world.create(CLAIMS, claim("early", volumeName="to-come"))
        await world.create(VOLUMES, volume("to-come"), "")
        await bound(world, "early")


async def test_a_claim_whose_volume_is_gone_is_lost() -> None:
    async with cluster(BINDER, nodes=0) as world:
        await available(world, volume("disk"))
        await world.create(CLAIMS, claim("data"))
        await bound(world, "data")
        await world.of(VOLUMES, "").delete("disk")
        await world.merge(VOLUMES, "disk", {"metadata": {"finalizers": None}}, "")
        lost = await world.becomes(CLAIMS, "data", in_phase("Lost"))
        assert "capacity" not in lost["status"]
        event = await world.event("data", "ClaimLost")
        assert event["message"] == "Bound claim has lost its PersistentVolume. Data on the volume is lost!"


async def release(world: World, each: JSONObject) -> None:
    """Bind it to a claim that goes then."""
    name = each["metadata"]["name"]
    await available(world, each)
    await world.create(CLAIMS, claim(f"of-{name}", volumeName=name))
    await bound(world, f"of-{name}")
    await world.of(CLAIMS).delete(f"of-{name}")
    await world.gone(CLAIMS, f"of-{name}")


async def test_a_released_volume_is_reclaimed_as_its_policy_says() -> None:
    async with cluster(*ALL, nodes=0) as world:
        await release(world, volume("retained", persistentVolumeReclaimPolicy="Retain"))
        retained = await world.becomes(VOLUMES, "retained", in_phase("Released"), "")
        assert retained["spec"]["claimRef"]["name"] == "of-retained"

        await release(world, volume("deleted", persistentVolumeReclaimPolicy="Delete"))
        await world.gone(VOLUMES, "deleted", "")

        elsewhere = {"path": "/var/lib/data"}
        await release(world, volume("elsewhere", persistentVolumeReclaimPolicy="Delete", hostPath=elsewhere))
        failed = await world.becomes(VOLUMES, "elsewhere", in_phase("Failed"), "")
        message = "host_path deleter only supports /tmp/.+ but received provided /var/lib/data"
        assert failed["status"]["message"] == message
        assert (await world.event("elsewhere", "VolumeFailedDelete"))["message"] == message

        driver = {"driver": "d.example.com", "volumeHandle": "h"}
        await release(world, volume("driven", persistentVolumeReclaimPolicy="Delete", csi=driver))
        await world.becomes(VOLUMES, "driven", in_phase("Released"), "")

        await release(world, volume("recycled", persistentVolumeReclaimPolicy="Recycle"))
        recycled = await world.becomes(VOLUMES, "recycled", in_phase("Available"), "")
        assert "uid" not in (recycled["spec"].get("claimRef") or {})
        assert (await world.event("recycled", "VolumeRecycled"))["message"] == "Volume recycled"


async def test_an_old_claim_gets_the_default_class_when_there_is_one() -> None:
    async with cluster(BINDER, nodes=0) as world:
        await world.create(CLAIMS, claim("data", storageClassName=None))
        await world.event("data", "FailedBinding")
        await make_storage_class(world.client)
        data = await bound(world, "data")
        assert data["spec"]["storageClassName"] == "standard"


async def test_a_volume_is_made_for_a_claim_of_a_simulated_class_and_goes_with_it() -> None:
    async with cluster(*ALL, nodes=0) as world:
        await make_storage_class(world.client)
        made = await world.create(CLAIMS, claim("data", "3Gi", storageClassName=None))
        data = await bound(world, "data")
        name = f"pvc-{made['metadata']['uid']}"
        assert data["spec"]["volumeName"] == name
        assert data["metadata"]["annotations"]["volume.kubernetes.io/storage-provisioner"] == PROVISIONER
        disk = await world.becomes(VOLUMES, name, in_phase("Bound"), "")
        assert disk["metadata"]["annotations"]["pv.kubernetes.io/provisioned-by"] == PROVISIONER
        assert "simulated" in disk["metadata"]["annotations"]["simulation.localplane/volume"]
        assert disk["spec"]["capacity"] == {"storage": "3Gi"}
        assert disk["spec"]["persistentVolumeReclaimPolicy"] == "Delete"
        await world.event("data", "ExternalProvisioning")
        event = await world.event("data", "ProvisioningSucceeded")
        assert event["message"] == f"Successfully provisioned volume {name}"
        await world.of(CLAIMS).delete("data")
        await world.gone(CLAIMS, "data")
        await world.gone(VOLUMES, name, "")


async def test_a_volume_of_a_class_that_retains_stays() -> None:
    async with cluster(*ALL, nodes=0) as world:
        await world.create(CLASSES, storage_class("kept", reclaimPolicy="Retain"), "")
        await world.create(CLAIMS, claim("data", storageClassName="kept"))
        name = (await bound(world, "data"))["spec"]["volumeName"]
        await world.of(CLAIMS).delete("data")
        await world.becomes(VOLUMES, name, in_phase("Released"), "")
        await world.of(VOLUMES, "").delete(name)
        await world.gone(VOLUMES, name, "")


async def test_a_claim_of_a_simulated_volume_grows() -> None:
    async with cluster(*ALL, admission=("PersistentVolumeClaimResize",), nodes=0) as world:
        await make_storage_class(world.client)
        await world.create(CLAIMS, claim("data", storageClassName=None))
        name = (await bound(world, "data"))["spec"]["volumeName"]
        await world.merge(CLAIMS, "data", {"spec": {"resources": {"requests": {"storage": "4Gi"}}}})
        grown = await world.becomes(
            CLAIMS, "data", lambda data: bool(data["status"].get("capacity") == {"storage": "4Gi"})
        )
        assert grown["status"]["allocatedResources"] == {"storage": "4Gi"}
        disk = await world.get(VOLUMES, name, "")
        assert disk is not None
        assert disk["spec"]["capacity"] == {"storage": "4Gi"}
        assert (await world.event("data", "VolumeResizeSuccessful"))["message"] == "Resize volume succeeded"


async def test_a_claim_that_asks_for_more_is_told_whom_it_waits_for() -> None:
    async with cluster(BINDER, "persistentvolume-expander-controller", nodes=0) as world:
        await world.create(CLASSES, storage_class("grows", "example.com/disks", allowVolumeExpansion=True), "")
        await available(world, volume("disk", storageClassName="grows", csi={"driver": "d.e", "volumeHandle": "h"}))
        await world.create(CLAIMS, claim("data", storageClassName="grows"))
        await bound(world, "data")
        await world.merge(CLAIMS, "data", {"spec": {"resources": {"requests": {"storage": "4Gi"}}}})
        event = await world.event("data", "ExternalExpanding")
        assert event["message"] == "waiting for an external controller to expand this PVC"
        assert (event["type"], event["source"]["component"]) == ("Normal", "volume_expand")


async def test_a_claim_is_told_that_simulated_volumes_have_no_attributes() -> None:
    async with cluster(BINDER, nodes=0) as world:
        await make_storage_class(world.client)
        await world.create(CLAIMS, claim("data", storageClassName=None, volumeAttributesClassName="gold"))
        event = await world.event("data", "ProvisioningFailed")
        assert event["message"].startswith('failed to provision volume with StorageClass "standard": ')
        assert "spec.csi: Required value" in event["message"]


async def test_a_claim_waits_for_its_first_consumer_and_its_node() -> None:
    async with cluster(*ALL, nodes=0) as world:
        await world.create(CLASSES, storage_class("late", volumeBindingMode="WaitForFirstConsumer"), "")
        await world.create(CLAIMS, claim("data", storageClassName="late"))
        event = await world.event("data", "WaitForFirstConsumer")
        assert event["message"] == "waiting for first consumer to be created before binding"
        await world.create(PODS, pod("web", using("data")))
        event = await world.event("data", "WaitForPodScheduled")
        assert event["message"] == "waiting for pod web to be scheduled"
        annotations = {"volume.kubernetes.io/selected-node": "node-1"}
        await world.merge(CLAIMS, "data", {"metadata": {"annotations": annotations}})
        await bound(world, "data")


@pytest.mark.parametrize(
    ("provisioner", "reason", "message"),
    [
        (
            "kubernetes.io/no-provisioner",
            "ProvisioningFailed",
            "no volume plugin matched name: kubernetes.io/no-provisioner",
        ),
        (
            "example.com/disks",
            "ExternalProvisioning",
            (
                "Waiting for a volume to be created either by the external provisioner 'example.com/disks' or manually "
                "by the system administrator. If volume creation is delayed, please verify that the provisioner is "
                "running and correctly registered."
            ),
        ),
        (None, "ProvisioningFailed", 'storageclass.storage.k8s.io "some" not found'),
    ],
)
async def test_a_claim_says_who_is_to_make_its_volume(provisioner: str | None, reason: str, message: str) -> None:
    async with cluster(BINDER, nodes=0) as world:
        if provisioner is not None:
            await world.create(CLASSES, storage_class("some", provisioner), "")
        await world.create(CLAIMS, claim("data", storageClassName="some"))
        assert (await world.event("data", reason))["message"] == message


async def test_a_claim_stays_while_a_scheduled_pod_uses_it() -> None:
    async with cluster(*ALL, nodes=0) as world:
        await available(world, volume("disk"))
        await world.create(CLAIMS, claim("data"))
        await bound(world, "data")
        await world.becomes(CLAIMS, "data", is_unused("True"))
        await world.play(await world.create(PODS, pod("web", using("data"))))
        used = await world.becomes(CLAIMS, "data", is_unused("False"))
        (condition,) = used["status"]["conditions"]
        assert condition["reason"] == "PodUsingPVC"
        assert condition["message"] == "A pod is currently referencing this PVC"
        await world.of(CLAIMS).delete("data")
        await world.of(VOLUMES, "").delete("disk")
        await world.create(CLAIMS, claim("other"))  # whoever works on them has seen the deletion before this
        await world.of(CLAIMS).delete("other")
        await world.gone(CLAIMS, "other")
        assert await world.get(CLAIMS, "data") is not None
        assert await world.get(VOLUMES, "disk", "") is not None
        await world.of(PODS).delete("web", grace_period_seconds=0)
        await world.gone(CLAIMS, "data")
        await world.gone(VOLUMES, "disk", "")


async def test_objects_without_their_finalizers_get_them() -> None:
    async with cluster(
        *ALL,
        "volumeattributesclass-protection-controller",
        without_admission=("StorageObjectInUseProtection",),
        nodes=0,
    ) as world:
        await world.create(CLAIMS, claim("data"))
        await world.create(VOLUMES, volume("disk"), "")
        await world.create(STORAGE, {"metadata": {"name": "gold"}, "driverName": "d", "parameters": {"a": "b"}}, "")
        for plural, name, namespace, finalizer in (
            (CLAIMS, "data", "default", "kubernetes.io/pvc-protection"),
            (VOLUMES, "disk", "", "kubernetes.io/pv-protection"),
            (STORAGE, "gold", "", "kubernetes.io/vac-protection"),
        ):
            await world.becomes(plural, name, partial(_is_kept_by, finalizer), namespace)


def _is_kept_by(finalizer: str, obj: JSONObject) -> bool:
    return bool(obj["metadata"].get("finalizers") == [finalizer])


async def test_a_class_of_attributes_stays_while_a_claim_names_it() -> None:
    async with cluster("volumeattributesclass-protection-controller", nodes=0) as world:
        for name in ("gold", "silver"):
            await world.create(STORAGE, {"metadata": {"name": name}, "driverName": "d", "parameters": {"a": "b"}}, "")
        await world.create(CLAIMS, claim("data", volumeAttributesClassName="gold"))
        await world.of(STORAGE, "").delete("gold")
        await world.of(STORAGE, "").delete("silver")
        await world.gone(STORAGE, "silver", "")
        assert await world.get(STORAGE, "gold", "") is not None
        await world.merge(CLAIMS, "data", {"metadata": {"finalizers": None}})
        await world.of(CLAIMS).delete("data")
        await world.gone(STORAGE, "gold", "")


EPHEMERAL = {
    "name": "scratch",
    "ephemeral": {
        "volumeClaimTemplate": {
            "metadata": {"labels": {"a": "b"}},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
        }
    },
}


async def test_a_pod_gets_claims_for_its_ephemeral_volumes() -> None:
    async with cluster(*ALL, "ephemeral-volume-controller", nodes=0) as world:
        await make_storage_class(world.client)
        web = await world.create(PODS, pod("web", [EPHEMERAL]))
        scratch = await bound(world, "web-scratch")
        assert scratch["metadata"]["labels"] == {"a": "b"}
        (owner,) = scratch["metadata"]["ownerReferences"]
        assert (owner["kind"], owner["uid"], owner["controller"]) == ("Pod", web["metadata"]["uid"], True)
        await world.of(CLAIMS).delete("web-scratch")
        await world.becomes(
            CLAIMS, "web-scratch", lambda again: bool(again["metadata"]["uid"] != scratch["metadata"]["uid"])
        )


async def test_a_pod_does_not_take_a_claim_that_is_not_its_own() -> None:
    async with cluster("ephemeral-volume-controller", nodes=0) as world:
        await world.create(CLAIMS, claim("web-scratch"))
        await world.create(PODS, pod("web", [EPHEMERAL]))
        event = await world.event("web", "FailedBinding")
        assert event["message"] == (
            "ephemeral volume scratch: PVC default/web-scratch was not created for pod default/web (pod is not owner)"
        )
