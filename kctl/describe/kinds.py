"""Which describer is for which kind. Kubernetes: describerMap."""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable

from localplane.apimachinery.objects import JSONObject

from .page import Page
from .source import Source

Describe = Callable[[Page, JSONObject, Source], Awaitable[None]]

_RBAC = "rbac.authorization.k8s.io"
_NETWORKING, _STORAGE = "networking.k8s.io", "storage.k8s.io"
_DESCRIBERS = {
    ("", "ConfigMap"): "configuration.config_map",
    ("", "Endpoints"): "endpoints.endpoints",
    ("", "LimitRange"): "namespaces.limit_range",
    ("", "Namespace"): "namespaces.namespace",
    ("", "Node"): "nodes.describe",
    ("", "PersistentVolume"): "persistent_volumes.describe",
    ("", "PersistentVolumeClaim"): "claims.persistent_volume_claim",
    ("", "Pod"): "pods.describe",
    ("", "ReplicationController"): "workloads.replication_controller",
    ("", "ResourceQuota"): "namespaces.resource_quota",
    ("", "Secret"): "configuration.secret",
    ("", "Service"): "services.service",
    ("", "ServiceAccount"): "configuration.service_account",
    ("apps", "DaemonSet"): "workloads.daemon_set",
    ("apps", "Deployment"): "workloads.deployment",
    ("apps", "ReplicaSet"): "workloads.replica_set",
    ("apps", "StatefulSet"): "workloads.stateful_set",
    ("autoscaling", "HorizontalPodAutoscaler"): "autoscaling.describe",
    ("batch", "CronJob"): "batch.cron_job",
    ("batch", "Job"): "batch.job",
    ("certificates.k8s.io", "CertificateSigningRequest"): "certificates.signing_request",
    ("discovery.k8s.io", "EndpointSlice"): "endpoints.endpoint_slice",
    (_NETWORKING, "IPAddress"): "addresses.ip_address",
    (_NETWORKING, "Ingress"): "ingresses.ingress",
    (_NETWORKING, "IngressClass"): "ingresses.ingress_class",
    (_NETWORKING, "NetworkPolicy"): "network_policies.describe",
    (_NETWORKING, "ServiceCIDR"): "addresses.service_cidr",
    ("policy", "PodDisruptionBudget"): "policies.disruption_budget",
    (_RBAC, "ClusterRole"): "access.role",
    (_RBAC, "ClusterRoleBinding"): "access.binding",
    (_RBAC, "Role"): "access.role",
    (_RBAC, "RoleBinding"): "access.binding",
    ("scheduling.k8s.io", "PriorityClass"): "policies.priority_class",
    (_STORAGE, "CSINode"): "classes.csi_node",
    (_STORAGE, "StorageClass"): "classes.storage_class",
    (_STORAGE, "VolumeAttributesClass"): "classes.volume_attributes_class",
}


def describer_for(group: str, kind: str) -> Describe:
    """Its module is imported when it is asked for."""
    module, _, name = _DESCRIBERS.get((group, kind), "generic.describe").partition(".")
    found: Describe = getattr(importlib.import_module(f"kctl.describe.{module}"), name)
    return found
