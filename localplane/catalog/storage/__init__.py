"""Storage classes, CSI drivers, attachments."""

from __future__ import annotations

from localplane.catalog.declaring import builtin

RESOURCES = (
    builtin("storage.k8s.io/csidrivers"),
    builtin("storage.k8s.io/csinodes"),
    builtin("storage.k8s.io/csistoragecapacities"),
    builtin("storage.k8s.io/storageclasses"),
    builtin("storage.k8s.io/volumeattachments"),
    builtin("storage.k8s.io/volumeattributesclasses"),
)
