"""What a pod's volumes have against a node, and which free volumes it gets."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.scheduler.attempt import NoPlace
from localplane.scheduler.plugins.volumes.reservations import Reservation
from localplane.scheduler.plugins.volumes.views import SELECTED_NODE
from localplane.scheduler.sources import (
    ATTACHMENTS,
    CLAIMS,
    CSI_CAPACITIES,
    CSI_DRIVERS,
    CSI_NODES,
    STORAGE_CLASSES,
    VOLUMES,
)
from localplane.scheduler.state.pod_info import PodInfo
from tests.unit.scheduler.subjects import HOSTNAME, ZONE, Setting, node, pod

ONCE = ["ReadWriteOnce"]


def with_class(setting: Setting, name: str = "local", provisioner: str = "kubernetes.io/no-provisioner") -> None:
    found = {"metadata": {"name": name}, "provisioner": provisioner, "volumeBindingMode": "WaitForFirstConsumer"}
    setting.sources.put(STORAGE_CLASSES, found)


def with_claim(setting: Setting, name: str, *, size: str = "1Gi", volume: str = "", **spec: Any) -> None:
    """Bound, if it has a volume."""
    annotations = {"pv.kubernetes.io/bind-completed": "yes"} if volume else {}
    body = {"accessModes": ONCE, "storageClassName": "local", "resources": {"requests": {"storage": size}}}
    metadata = {"name": name, "namespace": "default", "uid": f"claim-{name}", "annotations": annotations}
    bound = {"volumeName": volume} if volume else {}
    setting.sources.put(CLAIMS, {"metadata": metadata | {"resourceVersion": "1"}, "spec": body | bound | spec})


def with_volume(
    setting: Setting, name: str, *, near: str = "", size: str = "1Gi", labels: dict[str, str] | None = None, **spec: Any
) -> None:
    body: JSONObject = {"capacity": {"storage": size}, "accessModes": ONCE, "storageClassName": "local"}
    if near:
        term = {"matchExpressions": [{"key": HOSTNAME, "operator": "In", "values": [near]}]}
        body["nodeAffinity"] = {"required": {"nodeSelectorTerms": [term]}}
    metadata = {"name": name, "labels": labels or {}, "resourceVersion": "1"}
    setting.sources.put(VOLUMES, {"metadata": metadata, "spec": body | spec, "status": {"phase": "Available"}})


def user_of(*claims: str, **options: Any) -> PodInfo:
    volumes = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in claims]
    return pod(volumes=volumes, **options)


async def excuse(setting: Setting, info: PodInfo) -> str:
    with pytest.raises(NoPlace) as failure:
        await setting.place(info)
    return failure.value.diagnosis.message


async def test_the_smallest_volume_that_is_large_enough_is_taken() -> None:
    setting = Setting(node("a"))
    with_class(setting)
    for name, size in (("large", "9Gi"), ("fit", "3Gi"), ("small", "1Gi")):
        with_volume(setting, name, near="a", size=size)
    with_claim(setting, "data", size="2Gi")
    placement = await setting.place(user_of("data"))
    assert placement.cycle.volumes is not None
    (match,) = placement.cycle.volumes.found["a"].matches
    assert match.volume["metadata"]["name"] == "fit"


async def test_a_volume_that_was_promised_is_not_free() -> None:
    setting = Setting(node("a"))
    with_class(setting)
    with_volume(setting, "only", near="a")
    with_claim(setting, "first")
    with_claim(setting, "second")
    placement = await setting.place(user_of("first"))
    assert placement.cycle.volumes is not None
    reservation = Reservation(setting.views, "a", placement.cycle.volumes.found["a"])
    assert await excuse(setting, user_of("second")) == (
        "0/1 nodes are available: 1 node(s) didn't find available persistent volumes to bind."
    )
    reservation.revert()
    assert await setting.where(user_of("second")) == "a"


async def test_a_claim_that_was_promised_to_a_node_waits_for_its_volume_there() -> None:
    setting = Setting(node("a"), node("b"))
    with_class(setting, provisioner="example.com/disks")
    with_claim(setting, "data")
    placement = await setting.place(user_of("data"))
    assert placement.cycle.volumes is not None
    Reservation(setting.views, placement.node_name, placement.cycle.volumes.found[placement.node_name])
    claim = setting.views.claim("default", "data")
    assert claim is not None
    assert claim["metadata"]["annotations"][SELECTED_NODE] == placement.node_name
    assert await setting.where(user_of("data")) == placement.node_name


async def test_a_driver_that_tells_its_capacity_must_have_enough_near_the_node() -> None:
    setting = Setting(node("a", labels={ZONE: "one"}), node("b", labels={ZONE: "two"}))
    with_class(setting, provisioner="example.com/disks")
    setting.sources.put(CSI_DRIVERS, {"metadata": {"name": "example.com/disks"}, "spec": {"storageCapacity": True}})
    with_claim(setting, "data", size="5Gi")
    assert "2 node(s) did not have enough free storage" in await excuse(setting, user_of("data"))
    capacity = {"storageClassName": "local", "capacity": "10Gi", "nodeTopology": {"matchLabels": {ZONE: "two"}}}
    setting.sources.put(CSI_CAPACITIES, {"metadata": {"name": "c", "namespace": "default"}} | capacity)
    assert await setting.where(user_of("data")) == "b"


async def test_a_claim_that_must_be_bound_at_once_is_waited_for() -> None:
    setting = Setting(node("a"))
    with_claim(setting, "data", storageClassName="unknown")
    assert "pod has unbound immediate PersistentVolumeClaims" in await excuse(setting, user_of("data"))


async def test_a_volume_in_another_zone_is_out_of_reach() -> None:
    setting = Setting(node("a", labels={ZONE: "one"}), node("b", labels={ZONE: "two"}), node("c"))
    with_volume(setting, "disk", labels={ZONE: "two__three"})
    with_claim(setting, "data", volume="disk")
    placement = await setting.place(user_of("data", nodeSelector={ZONE: "two"}))
    assert placement.node_name == "b"
    assert await setting.where(user_of("data", nodeSelector={HOSTNAME: "c"})) == "c"
    message = await excuse(setting, user_of("data", nodeSelector={ZONE: "one"}))
    assert "1 node(s) had no available volume zone" in message


async def test_a_node_takes_so_many_volumes_of_a_driver() -> None:
    setting = Setting(node("a"))
    drivers = [{"name": "csi.example.com", "nodeID": "a", "allocatable": {"count": 2}}]
    setting.sources.put(CSI_NODES, {"metadata": {"name": "a"}, "spec": {"drivers": drivers}})
    for name in ("one", "two", "three"):
        with_volume(setting, name, csi={"driver": "csi.example.com", "volumeHandle": name})
        with_claim(setting, f"claim-{name}", volume=name)
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "claim-one"}}]
    setting.put("a", volumes=volumes)
    assert await setting.where(user_of("claim-two")) == "a"
    source = {"persistentVolumeName": "three"}
    spec = {"nodeName": "a", "attacher": "csi.example.com", "source": source}
    setting.sources.put(ATTACHMENTS, {"metadata": {"name": "x"}, "spec": spec})
    assert "1 node(s) exceed max volume count" in await excuse(setting, user_of("claim-two"))
    assert await setting.where(user_of("claim-one")) == "a"


async def test_a_claim_for_one_pod_only_is_in_use() -> None:
    setting = Setting(node("a"), node("b"))
    with_volume(setting, "disk")
    with_claim(setting, "data", volume="disk", accessModes=["ReadWriteOncePod"])
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
    first = setting.put("a", volumes=volumes)
    in_use = "2 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by"
    assert f"{in_use} another pod" in await excuse(setting, user_of("data"))
    setting.cluster.remove_pod(first.uid)
    assert await setting.where(user_of("data")) in ("a", "b")


async def test_two_pods_can_not_write_to_one_disk_of_a_node() -> None:
    setting = Setting(node("a"), node("b"))
    disk = [{"name": "disk", "gcePersistentDisk": {"pdName": "disk"}}]
    setting.put("a", volumes=disk)
    assert await setting.where(pod(volumes=disk)) == "b"
    setting.cluster.remove_node("b")
    assert "1 node(s) had no available disk" in await excuse(setting, pod(volumes=disk))
