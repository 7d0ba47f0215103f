"""Runtime classes."""

from __future__ import annotations

from localplane.catalog.declaring import builtin

RESOURCES = (builtin("node.k8s.io/runtimeclasses"),)
