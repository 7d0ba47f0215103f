"""Warnings about volumes: storage that is gone, and words that have become others.

Kubernetes: pkg/api/persistentvolume, GetWarningsForPersistentVolume.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.catalog.core.pods.warnings.placement import node_term_warnings

from .validation import MOUNT_OPTIONS, SPEC

CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class"
CLASS_ANNOTATION_WARNING = (
    f'metadata.annotations[{CLASS_ANNOTATION}]: deprecated since v1.8; use "storageClassName" attribute instead'
)

_GONE = {
    "cephfs": "spec.cephfs: deprecated in v1.28, non-functional in v1.31+",
    "photonPersistentDisk": "spec.photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+",
    "scaleIO": "spec.scaleIO: deprecated in v1.16, non-functional in v1.22+",
    "storageos": "spec.storageOS: deprecated in v1.22, non-functional in v1.25+",
    "glusterfs": "spec.glusterfs: deprecated in v1.25, non-functional in v1.26+",
    "rbd": "spec.rbd: deprecated in v1.28, non-functional in v1.31+",
}


def persistent_volume_warnings(volume: Mapping[str, Any]) -> Iterator[str]:
    spec = volume.get("spec") or {}
    annotations = (volume.get("metadata") or {}).get("annotations") or {}
    if CLASS_ANNOTATION in annotations:
        yield CLASS_ANNOTATION_WARNING
    if MOUNT_OPTIONS in annotations:
        yield f'metadata.annotations[{MOUNT_OPTIONS}]: deprecated since v1.31; use "mountOptions" attribute instead'
    if spec.get("persistentVolumeReclaimPolicy") == "Recycle":
        yield (
            "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended "
            "approach is to use dynamic provisioning."
        )
    terms = ((spec.get("nodeAffinity") or {}).get("required") or {}).get("nodeSelectorTerms") or ()
    for index, term in enumerate(terms):
        yield from node_term_warnings(term, (SPEC / "nodeAffinity" / "required" / "nodeSelectorTerms")[index])
    yield from (warning for kind, warning in _GONE.items() if spec.get(kind) is not None)
