"""Devices, and claims to them. The server's list of groups calls this; nothing here allocates a device.

binding_conditions    conditions that must be met, or must not, before a pod is bound to the node of its device
capacities            how much of a device's capacity a claim may ask for, where several claims share it
claim_specs           what a claim asks for: requests, what they have in common
claim_statuses        what was allocated for a claim, who uses it, and what drivers report of its devices
device_expressions    expressions that select devices: what they may speak of, and why one can't be compiled
device_selectors      selectors of devices in CEL, and configuration that only a driver understands
devices               one device of a slice: its attributes, its capacities, where it is
lists                 lists with a limit, and lists whose items differ
names                 names of drivers, pools and attributes
taints                taints of devices, and who tolerates them
"""

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
