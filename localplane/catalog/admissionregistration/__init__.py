"""Webhooks and admission policies."""

from __future__ import annotations

from localplane.catalog.declaring import builtin

RESOURCES = (
    builtin("admissionregistration.k8s.io/mutatingadmissionpolicies"),
    builtin("admissionregistration.k8s.io/mutatingadmissionpolicybindings"),
    builtin("admissionregistration.k8s.io/mutatingwebhookconfigurations"),
    builtin("admissionregistration.k8s.io/validatingadmissionpolicies"),
    builtin("admissionregistration.k8s.io/validatingadmissionpolicybindings"),
    builtin("admissionregistration.k8s.io/validatingwebhookconfigurations"),
)
