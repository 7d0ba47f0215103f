"""Warnings about pod specs that are accepted and yet unwise.

The strategies of pods and of workloads call these and send what they return. Nothing is refused here.
Kubernetes: pkg/api/pod/warnings.go.

    overlaps    files of a volume that are in each other's way: the same path twice, or one below the other
    ports       ports that are said twice, in one container or in two
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
