"""What a volume has that does not say. Kubernetes: pkg/apis/core/v1, SetObjectDefaults_PersistentVolume."""

from __future__ import annotations

from typing import Any

from localplane.catalog.core.pods.defaults.resources import default_resource_list
from localplane.catalog.core.pods.defaults.volumes import default_volume

_SOURCES = ("hostPath", "rbd", "iscsi", "azureDisk", "scaleIO")


def default_persistent_volume(obj: dict[str, Any]) -> None:
    spec, status = obj.setdefault("spec", {}), obj.setdefault("status", {})
    if not status.get("phase"):
        status["phase"] = "Pending"
    if not spec.get("persistentVolumeReclaimPolicy"):
        spec["persistentVolumeReclaimPolicy"] = "Retain"
    spec.setdefault("volumeMode", "Filesystem")
    default_source(spec)


def default_source(spec: dict[str, Any]) -> None:
    """Of a volume, or of one that stands in an attachment."""
    default_resource_list(spec.get("capacity"))
    for name in _SOURCES:
        if spec.get(name) is not None:
            default_volume({name: spec[name]})
