"""Persistent volume claims. Kubernetes: printPersistentVolumeClaim."""

from __future__ import annotations

from localplane.apimachinery.gotext import go_plain
from localplane.apimachinery.objects import JSONObject

from .events import events
from .metadata import annotation_lines, full_time, labels, of, several, since
from .page import Page
from .source import Source

_MODES = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}
_CLASS = "volume.beta.kubernetes.io/storage-class"


def access_modes(modes: list[str] | None) -> str:
    """Kubernetes: storageutil.GetAccessModesAsString."""
    return ",".join(short for mode, short in _MODES.items() if mode in (modes or ()))


def storage_class(obj: JSONObject) -> str:
    told = of(obj, "metadata", "annotations").get(_CLASS)
    return str(told if told is not None else of(obj, "spec").get("storageClassName") or "")


def claim(page: Page, obj: JSONObject, *, whole: bool) -> None:
    """Without `whole` it is a template, which has no name and no status."""
    metadata, spec, status = of(obj, "metadata"), of(obj, "spec"), of(obj, "status")
    if whole:
        page.field("Name", metadata.get("name", ""))
        page.field("Namespace", metadata.get("namespace", ""))
    page.field("StorageClass", storage_class(obj))
    if whole:
        gone = metadata.get("deletionTimestamp")
        page.field("Status", f"Terminating (lasts {since(gone)})" if gone else status.get("phase", ""))
    page.field("Volume", spec.get("volumeName", ""))
    labels(page, "Labels", metadata.get("labels"))
    annotation_lines(page, "Annotations", metadata.get("annotations"))
    if whole:
        page.field("Finalizers", go_plain(metadata.get("finalizers") or []))
    bound = bool(spec.get("volumeName"))
    page.field("Capacity", of(status, "capacity").get("storage", "0") if bound else "")
    page.field("Access Modes", access_modes(status.get("accessModes")) if bound else "")
    if spec.get("volumeMode"):
        page.field("VolumeMode", spec["volumeMode"])
    if (source := spec.get("dataSource")) is not None:
        page.line("DataSource:")
        if source.get("apiGroup") is not None:
            page.field("APIGroup", source["apiGroup"], level=1)
        page.field("Kind", source.get("kind", ""), level=1)
        page.field("Name", source.get("name", ""), level=1)


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
