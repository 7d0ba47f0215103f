"""Webhooks and admission policies: what an administrator configures. The server's list of groups calls this; who calls
the webhooks and evaluates the policies is admission."""

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
