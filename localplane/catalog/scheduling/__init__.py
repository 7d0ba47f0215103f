"""Priority classes."""

from __future__ import annotations

from localplane.catalog.declaring import builtin

RESOURCES = (builtin("scheduling.k8s.io/priorityclasses"),)
