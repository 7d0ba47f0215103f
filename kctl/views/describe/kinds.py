"""Which describer is for which kind. Kubernetes: describerMap."""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable

from kctl.views.describe.page import Page, Source
from localplane.apimachinery.objects import JSONObject

Describe = Callable[[Page, JSONObject, Source], Awaitable[None]]

_RBAC = "rbac.authorization.k8s.io"
_NETWORKING, _STORAGE = "networking.k8s.io", "storage.k8s.io"
_DESCRIBERS = {
    ("", "ConfigMap"): "namespaces.config_map",
    ("", "Endpoints"): "networking.endpoints",
    ("", "LimitRange"): "namespaces.limit_range",
    ("", "Namespace"): "namespaces.namespace",
    ("", "Node"): "nodes.describe",
    ("", "PersistentVolume"): "storage.persistent_volume",
    ("", "PersistentVolumeClaim"): "storage.persistent_volume_claim",
    ("", "Pod"): "pods.describe",
    ("", "ReplicationController"): "workloads.replication_controller",
    ("", "ResourceQuota"): "namespaces.resource_quota",
    ("", "Secret"): "namespaces.secret",
    ("", "Service"): "networking.service",
    ("", "ServiceAccount"): "namespaces.service_account",
    ("apps", "DaemonSet"): "workloads.daemon_set",
    ("apps", "Deployment"): "workloads.deployment",
    ("apps", "ReplicaSet"): "workloads.replica_set",
    ("apps", "StatefulSet"): "workloads.stateful_set",
    ("autoscaling", "HorizontalPodAutoscaler"): "autoscaling.autoscaler",
    ("batch", "CronJob"): "workloads.cron_job",
    ("batch", "Job"): "workloads.job",
    ("certificates.k8s.io", "CertificateSigningRequest"): "access.signing_request",
    ("discovery.k8s.io", "EndpointSlice"): "networking.endpoint_slice",
    (_NETWORKING, "IPAddress"): "networking.ip_address",
    (_NETWORKING, "Ingress"): "networking.ingress",
    (_NETWORKING, "IngressClass"): "networking.ingress_class",
    (_NETWORKING, "NetworkPolicy"): "networking.network_policy",
    (_NETWORKING, "ServiceCIDR"): "networking.service_cidr",
    ("policy", "PodDisruptionBudget"): "autoscaling.disruption_budget",
    (_RBAC, "ClusterRole"): "access.role",
    (_RBAC, "ClusterRoleBinding"): "access.binding",
    (_RBAC, "Role"): "access.role",
    (_RBAC, "RoleBinding"): "access.binding",
    ("scheduling.k8s.io", "PriorityClass"): "autoscaling.priority_class",
    (_STORAGE, "CSINode"): "storage.csi_node",
    (_STORAGE, "StorageClass"): "storage.storage_class",
    (_STORAGE, "VolumeAttributesClass"): "storage.volume_attributes_class",
}


def describer_for(group: str, kind: str) -> Describe:
    """Its module is imported when it is asked for."""
    module, _, name = _DESCRIBERS.get((group, kind), "generic.describe").partition(".")
    found: Describe = getattr(importlib.import_module(f"kctl.views.describe.{module}"), name)
    return found
