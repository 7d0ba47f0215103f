"""Devices, and claims to them."""

from __future__ import annotations

from localplane.catalog.declaring import builtin

RESOURCES = (
    builtin("resource.k8s.io/deviceclasses"),
    builtin("resource.k8s.io/devicetaintrules"),
    builtin("resource.k8s.io/resourceclaims"),
    builtin("resource.k8s.io/resourceclaimtemplates"),
    builtin("resource.k8s.io/resourceslices"),
)
