"""Warnings about pod specs that are accepted and yet unwise.

The strategies of pods and of workloads call these and send what they return. Nothing is refused here.
Kubernetes: pkg/api/pod/warnings.go.
"""

from .placement import node_label_message
from .spec import claim_spec_warnings, pod_spec_warnings, pod_template_warnings, pod_warnings

__all__ = [
    "claim_spec_warnings",
    "node_label_message",
    "pod_spec_warnings",
    "pod_template_warnings",
    "pod_warnings",
]
