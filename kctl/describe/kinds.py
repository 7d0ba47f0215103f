"""Which describer is for which kind. Kubernetes: describerMap."""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable
from typing import Any

from .page import Page
from .source import Source

Object = dict[str, Any]
Describe = Callable[[Page, Object, Source], Awaitable[None]]

_RBAC = "rbac.authorization.k8s.io"
_DESCRIBERS = {
    ("", "Pod"): "pods.describe",
    ("", "Node"): "nodes.describe",
    ("", "Secret"): "configuration.secret",
    ("", "ConfigMap"): "configuration.config_map",
    ("", "ServiceAccount"): "configuration.service_account",
    ("", "PersistentVolumeClaim"): "configuration.persistent_volume_claim",
    ("", "Namespace"): "configuration.namespace",
    ("", "ResourceQuota"): "configuration.resource_quota",
    ("", "LimitRange"): "configuration.limit_range",
    ("", "Service"): "networks.service",
    ("networking.k8s.io", "Ingress"): "networks.ingress",
    ("", "ReplicationController"): "workloads.replication_controller",
    ("apps", "Deployment"): "workloads.deployment",
    ("apps", "ReplicaSet"): "workloads.replica_set",
    ("apps", "DaemonSet"): "workloads.daemon_set",
    ("apps", "StatefulSet"): "workloads.stateful_set",
    ("batch", "Job"): "workloads.job",
    ("batch", "CronJob"): "workloads.cron_job",
    (_RBAC, "Role"): "access.role",
    (_RBAC, "ClusterRole"): "access.role",
    (_RBAC, "RoleBinding"): "access.binding",
    (_RBAC, "ClusterRoleBinding"): "access.binding",
}


def describer_for(group: str, kind: str) -> Describe:
    """Its module is imported when it is asked for."""
    module, _, name = _DESCRIBERS.get((group, kind), "generic.describe").partition(".")
    found: Describe = getattr(importlib.import_module(f"kctl.describe.{module}"), name)
    return found
