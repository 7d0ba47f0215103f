"""Priority levels and flow schemas."""

from __future__ import annotations

from localplane.catalog.declaring import builtin

RESOURCES = (
    builtin("flowcontrol.apiserver.k8s.io/flowschemas"),
    builtin("flowcontrol.apiserver.k8s.io/prioritylevelconfigurations"),
)
