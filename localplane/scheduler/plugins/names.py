"""The plugins' names, which people read in logs and messages. Kubernetes: plugins/names/names.go."""

from __future__ import annotations

from typing import Final

SCHEDULING_GATES: Final = "SchedulingGates"
NODE_NAME: Final = "NodeName"
NODE_UNSCHEDULABLE: Final = "NodeUnschedulable"
TAINT_TOLERATION: Final = "TaintToleration"
NODE_AFFINITY: Final = "NodeAffinity"
NODE_PORTS: Final = "NodePorts"
NODE_RESOURCES_FIT: Final = "NodeResourcesFit"
VOLUME_RESTRICTIONS: Final = "VolumeRestrictions"
NODE_VOLUME_LIMITS: Final = "NodeVolumeLimits"
VOLUME_BINDING: Final = "VolumeBinding"
VOLUME_ZONE: Final = "VolumeZone"
POD_TOPOLOGY_SPREAD: Final = "PodTopologySpread"
INTER_POD_AFFINITY: Final = "InterPodAffinity"
DYNAMIC_RESOURCES: Final = "DynamicResources"
NODE_DECLARED_FEATURES: Final = "NodeDeclaredFeatures"

NO_NODES: Final = "NoNodes"
"""Ours, and nobody sees it: what has rejected a pod when there was no node at all."""
