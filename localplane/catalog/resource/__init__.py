"""Devices, and claims to them. The server's list of groups calls this; nothing here allocates a device."""

from __future__ import annotations

from .device_classes import DEVICE_CLASSES
from .device_taint_rules import DEVICE_TAINT_RULES
from .resource_claim_templates import RESOURCE_CLAIM_TEMPLATES
from .resource_claims import RESOURCE_CLAIMS
from .resource_slices import RESOURCE_SLICES

RESOURCES = (DEVICE_CLASSES, DEVICE_TAINT_RULES, RESOURCE_CLAIMS, RESOURCE_CLAIM_TEMPLATES, RESOURCE_SLICES)
