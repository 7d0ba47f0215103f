"""Storage: classes of it, the drivers that make it, where they run, what they have left, what is attached where.

One file for each kind; `parameters` holds what classes have in common. Nothing in here provisions or attaches.
"""

from __future__ import annotations

from .csi_drivers import CSI_DRIVERS
from .csi_nodes import CSI_NODES
from .csi_storage_capacities import CSI_STORAGE_CAPACITIES
from .storage_classes import STORAGE_CLASSES
from .volume_attachments import VOLUME_ATTACHMENTS
from .volume_attributes_classes import VOLUME_ATTRIBUTES_CLASSES

RESOURCES = (
    CSI_DRIVERS,
    CSI_NODES,
    CSI_STORAGE_CAPACITIES,
    STORAGE_CLASSES,
    VOLUME_ATTACHMENTS,
    VOLUME_ATTRIBUTES_CLASSES,
)
