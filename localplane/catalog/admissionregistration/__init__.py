"""Webhooks and admission policies: what an administrator configures. The server's list of groups calls this; who calls
the webhooks and evaluates the policies is admission.

    compiler           expressions of webhooks and policies, compiled
    configuration      what all six kinds have in common: their metadata, and names that no client may take
    expressions        CEL expressions in webhooks and policies
    match_resources    what a policy or a binding is about: the objects that it matches, and the kind of its parameters
    patch_types        what expressions of mutating policies can make: `Object{...}` and `JSONPatch{...}`
    rules              rules: which operations on which resources a webhook or a policy wants to see
"""

from __future__ import annotations

from .mutating_admission_policies import MUTATING_ADMISSION_POLICIES
from .policy_bindings import MUTATING_ADMISSION_POLICY_BINDINGS, VALIDATING_ADMISSION_POLICY_BINDINGS
from .validating_admission_policies import VALIDATING_ADMISSION_POLICIES
from .webhook_configurations import MUTATING_WEBHOOK_CONFIGURATIONS, VALIDATING_WEBHOOK_CONFIGURATIONS

RESOURCES = (
    MUTATING_ADMISSION_POLICIES,
    MUTATING_ADMISSION_POLICY_BINDINGS,
    MUTATING_WEBHOOK_CONFIGURATIONS,
    VALIDATING_ADMISSION_POLICIES,
    VALIDATING_ADMISSION_POLICY_BINDINGS,
    VALIDATING_WEBHOOK_CONFIGURATIONS,
)
