"""The row of a claim in a table. Kubernetes: pkg/printers/internalversion, printPersistentVolumeClaim."""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.times import age
from localplane.catalog.core.persistent_volumes.columns import access_modes_text, class_text, phase_text, unless_unset


def claim_cells(obj: dict[str, Any]) -> list[Any]:
    """What it got shows once it has a volume."""
    metadata, spec, status = obj.get("metadata") or {}, obj.get("spec") or {}, obj.get("status") or {}
    volume = spec.get("volumeName", "")
    return [
        metadata.get("name", ""),
        phase_text(obj),
        volume,
        (status.get("capacity") or {}).get("storage", "0") if volume else "",
        access_modes_text(status.get("accessModes") or ()) if volume else "",
        class_text(obj),
        unless_unset(spec.get("volumeAttributesClassName")),
        age(metadata.get("creationTimestamp")),
        unless_unset(spec.get("volumeMode")),
    ]
