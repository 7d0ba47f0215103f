"""Persistent volume claims. Kubernetes: printPersistentVolumeClaim.

Persistent volumes. Kubernetes: describePersistentVolume.

Storage classes, attribute classes, and what storage a node has drivers for. Kubernetes: describeStorageClass.
"""

from __future__ import annotations

from collections.abc import Sequence

from kctl.views.describe.page import (
    NONE,
    Page,
    Source,
    annotation_lines,
    events,
    full_time,
    labels,
    labels_text,
    of,
    several,
    since,
    truth,
)
from kctl.views.describe.volumes import access_modes, claim, storage_class_name, volume_source
from localplane.apimachinery.golang.text import go_plain
from localplane.apimachinery.objects import JSONObject


async def persistent_volume_claim(page: Page, obj: JSONObject, source: Source) -> None:
    metadata = of(obj, "metadata")
    claim(page, obj, whole=True)
    pods = await source.list("", "v1", "pods", metadata.get("namespace", ""))
    several(page, "Used By", _users(obj, pods))
    if every := of(obj, "status").get("conditions"):
        page.line("Conditions:")
        page.line("Type\tStatus\tLastProbeTime\tLastTransitionTime\tReason\tMessage", level=1)
        page.line("----\t------\t-----------------\t------------------\t------\t-------", level=1)
        for one in every:
            times = f"{full_time(one.get('lastProbeTime'))} \t{full_time(one.get('lastTransitionTime'))}"
            page.line(
                f"{one.get('type', '')} \t{one.get('status', '')} \t{times} \t{one.get('reason', '')} "
                f"\t{one.get('message', '')}",
                level=1,
            )
    events(page, await source.events(obj))


def _users(claimed: JSONObject, pods: list[JSONObject]) -> list[str]:
    """Pods that mount it, and pods that own it: theirs is an ephemeral volume."""
    name = of(claimed, "metadata").get("name")
    users = [
        pod
        for pod in pods
        for volume in of(pod, "spec").get("volumes") or ()
        if of(volume, "persistentVolumeClaim").get("claimName") == name
    ]
    known = {of(pod, "metadata").get("uid") for pod in users}
    for owner in of(claimed, "metadata").get("ownerReferences") or ():
        found = [pod for pod in pods if of(pod, "metadata").get("uid") == owner.get("uid")]
        if owner.get("kind") == "Pod" and owner.get("uid") not in known:
            users += found[:1]
            known.add(owner.get("uid"))
    return sorted(str(of(pod, "metadata").get("name", "")) for pod in users)


async def persistent_volume(page: Page, obj: JSONObject, source: Source) -> None:
    metadata, spec, status = of(obj, "metadata"), of(obj, "spec"), of(obj, "status")
    page.field("Name", metadata.get("name", ""))
    labels(page, "Labels", metadata.get("labels"))
    annotation_lines(page, "Annotations", metadata.get("annotations"))
    page.field("Finalizers", go_plain(metadata.get("finalizers") or []))
    page.field("StorageClass", storage_class_name(obj))
    gone = metadata.get("deletionTimestamp")
    page.field("Status", f"Terminating (lasts {since(gone)})" if gone else status.get("phase", ""))
    claim = spec.get("claimRef")
    page.field("Claim", "" if claim is None else f"{claim.get('namespace', '')}/{claim.get('name', '')}")
    page.field("Reclaim Policy", spec.get("persistentVolumeReclaimPolicy", ""))
    page.field("Access Modes", access_modes(spec.get("accessModes")))
    if spec.get("volumeMode") is not None:
        page.field("VolumeMode", spec["volumeMode"])
    page.field("Capacity", of(spec, "capacity").get("storage", "0"))
    _affinity(page, of(spec, "nodeAffinity").get("required"))
    page.field("Message", status.get("message", ""))
    page.line("Source:")
    volume_source(page, spec, persistent=True)
    events(page, await source.events(obj))


def _affinity(page: Page, required: JSONObject | None) -> None:
    if required is None:
        page.field("Node Affinity", NONE)
        return
    page.line("Node Affinity:\t")
    every = required.get("nodeSelectorTerms") or ()
    page.line("Required Terms:\t" + ("" if every else NONE), level=1)
    for number, term in enumerate(every):
        terms(page, f"Term {number}", term.get("matchExpressions") or (), level=2)


_DEFAULT = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")


async def storage_class(page: Page, obj: JSONObject, source: Source) -> None:
    metadata = of(obj, "metadata")
    annotations = metadata.get("annotations") or {}
    page.field("Name", metadata.get("name", ""))
    page.field("IsDefaultClass", "Yes" if any(annotations.get(key) == "true" for key in _DEFAULT) else "No")
    page.field("Annotations", labels_text(annotations))
    page.field("Provisioner", obj.get("provisioner", ""))
    page.field("Parameters", labels_text(obj.get("parameters")))
    expands = obj.get("allowVolumeExpansion")
    page.field("AllowVolumeExpansion", "<unset>" if expands is None else truth(expands))
    options = obj.get("mountOptions") or ()
    page.line("MountOptions:" if options else f"MountOptions:\t{NONE}")
    for option in options:
        page.line(option, level=1)
    for title, field in (("ReclaimPolicy", "reclaimPolicy"), ("VolumeBindingMode", "volumeBindingMode")):
        if obj.get(field) is not None:
            page.field(title, obj[field])
    if (topologies := obj.get("allowedTopologies")) is not None:
        page.line("AllowedTopologies:\t" + ("" if topologies else NONE))
        for number, term in enumerate(topologies):
            terms(page, f"Term {number}", term.get("matchLabelExpressions") or (), level=1)
    events(page, await source.events(obj))


def terms(page: Page, title: str, requirements: Sequence[JSONObject], *, level: int) -> None:
    """`Term 0:  zone in [a, b]`, one below the other."""
    page.write(f"{title}:\t", level=level)
    if not requirements:
        page.line(NONE)
    for number, one in enumerate(requirements):
        if number:
            page.write("\t", level=level)
        values = one.get("values") or ()
        listed = f" [{', '.join(values)}]" if values else ""
        page.line(f"{one.get('key', '')} {str(one.get('operator', 'In')).lower()}{listed}")


async def volume_attributes_class(page: Page, obj: JSONObject, source: Source) -> None:
    metadata = of(obj, "metadata")
    page.field("Name", metadata.get("name", ""))
    page.field("Annotations", labels_text(metadata.get("annotations")))
    page.field("DriverName", obj.get("driverName", ""))
    page.field("Parameters", labels_text(obj.get("parameters")))
    events(page, await source.events(obj))


async def csi_node(page: Page, obj: JSONObject, source: Source) -> None:
    metadata = of(obj, "metadata")
    page.field("Name", metadata.get("name", ""))
    labels(page, "Labels", metadata.get("labels"))
    annotation_lines(page, "Annotations", metadata.get("annotations"))
    page.field("CreationTimestamp", full_time(metadata.get("creationTimestamp")))
    page.line("Spec:")
    drivers = of(obj, "spec").get("drivers")
    if drivers is not None:
        page.line("Drivers:", level=1)
    for driver in drivers or ():
        page.line(f"{driver.get('name', '')}:", level=2)
        page.field("Node ID", driver.get("nodeID", ""), level=3)
        if (count := of(driver, "allocatable").get("count")) is not None:
            page.line("Allocatables:", level=3)
            page.field("Count", count, level=4)
        if (keys := driver.get("topologyKeys")) is not None:
            page.field("Topology Keys", f"[{' '.join(keys)}]", level=3)
    events(page, await source.events(obj))
