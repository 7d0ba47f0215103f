"""Leases."""

from __future__ import annotations

from localplane.catalog.declaring import builtin

RESOURCES = (builtin("coordination.k8s.io/leases"),)
