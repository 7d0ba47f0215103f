"""Persistent volumes. Kubernetes: describePersistentVolume."""

from __future__ import annotations

from localplane.apimachinery.gotext import go_plain
from localplane.apimachinery.objects import JSONObject

from .claims import access_modes, storage_class
from .classes import terms
from .events import events
from .metadata import NONE, annotation_lines, labels, of, since
from .page import Page
from .source import Source
from .volumes import volume_source


async def describe(page: Page, obj: JSONObject, source: Source) -> None:
    metadata, spec, status = of(obj, "metadata"), of(obj, "spec"), of(obj, "status")
    page.field("Name", metadata.get("name", ""))
    labels(page, "Labels", metadata.get("labels"))
    annotation_lines(page, "Annotations", metadata.get("annotations"))
    page.field("Finalizers", go_plain(metadata.get("finalizers") or []))
    page.field("StorageClass", storage_class(obj))
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
