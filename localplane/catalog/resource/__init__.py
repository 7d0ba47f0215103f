"""Devices, and claims to them. The server's list of groups calls this; nothing here allocates a device."""

from __future__ import annotations

from dataclasses import replace

from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.resource import Resource
from localplane.catalog.options import CatalogOptions

from .claim_permissions import AdministrationStore, ClaimStatusStore
from .device_classes import DEVICE_CLASSES
from .device_taint_rules import DEVICE_TAINT_RULES
from .resource_claim_templates import RESOURCE_CLAIM_TEMPLATES
from .resource_claims import RESOURCE_CLAIMS
from .resource_slices import RESOURCE_SLICES


def resources(options: CatalogOptions) -> tuple[Resource, ...]:
    def status(definition: Definition) -> ClaimStatusStore:
        return ClaimStatusStore(definition, options.authorizer)

    def main(definition: Definition) -> AdministrationStore:
        return AdministrationStore(definition, options.objects)

    claims = replace(RESOURCE_CLAIMS, storage=main, status_storage=status)
    templates = replace(RESOURCE_CLAIM_TEMPLATES, storage=main)
    return (DEVICE_CLASSES, DEVICE_TAINT_RULES, claims, templates, RESOURCE_SLICES)
