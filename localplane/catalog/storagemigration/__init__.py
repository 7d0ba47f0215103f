"""Storage version migrations."""

from __future__ import annotations

from localplane.catalog.declaring import builtin

RESOURCES = (builtin("storagemigration.k8s.io/storageversionmigrations"),)
