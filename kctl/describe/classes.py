"""Storage classes, attribute classes, and what storage a node has drivers for. Kubernetes: describeStorageClass."""

from __future__ import annotations

from collections.abc import Sequence

from localplane.apimachinery.objects import JSONObject

from .events import events
from .metadata import NONE, annotation_lines, full_time, labels, labels_text, of, truth
from .page import Page
from .source import Source

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
