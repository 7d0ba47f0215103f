"""The row of a volume in a table. Kubernetes: pkg/printers/internalversion, printPersistentVolume."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age

from .warnings import CLASS_ANNOTATION

_SHORT = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}


def persistent_volume_cells(obj: dict[str, Any]) -> list[Any]:
    metadata, spec, status = obj.get("metadata") or {}, obj.get("spec") or {}, obj.get("status") or {}
    claim = spec.get("claimRef")
    return [
        metadata.get("name", ""),
        (spec.get("capacity") or {}).get("storage", "0"),
        access_modes_text(spec.get("accessModes") or ()),
        spec.get("persistentVolumeReclaimPolicy", ""),
        phase_text(obj),
        "" if claim is None else f"{claim.get('namespace', '')}/{claim.get('name', '')}",
        class_text(obj),
        unless_unset(spec.get("volumeAttributesClassName")),
        status.get("reason", ""),
        age(metadata.get("creationTimestamp")),
        unless_unset(spec.get("volumeMode")),
    ]


def access_modes_text(modes: Sequence[str]) -> str:
    return ",".join(short for mode, short in _SHORT.items() if mode in modes)


def phase_text(obj: JSONObject) -> str:
    """What is going says so, whatever its phase."""
    if (obj.get("metadata") or {}).get("deletionTimestamp"):
        return "Terminating"
    return str((obj.get("status") or {}).get("phase", ""))


def class_text(obj: JSONObject) -> str:
    """An annotation wins over the field, as old as it is."""
    annotations = (obj.get("metadata") or {}).get("annotations") or {}
    return str(annotations.get(CLASS_ANNOTATION, (obj.get("spec") or {}).get("storageClassName", "")))


def unless_unset(value: str | None) -> str:
    return "<unset>" if value is None else value
