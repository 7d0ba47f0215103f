"""Kinds that kustomize knows without asking a server, which is as of Kubernetes 1.21: newer ones are unknown to it.

Kubernetes: kyaml/openapi, precomputedIsNamespaceScoped and the swagger of v1.21.2.
"""

from __future__ import annotations

from typing import Final

NAMESPACED: Final = {
    "apps/v1": "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet",
    "autoscaling/v1": "HorizontalPodAutoscaler Scale",
    "autoscaling/v2beta1": "HorizontalPodAutoscaler",
    "autoscaling/v2beta2": "HorizontalPodAutoscaler",
    "batch/v1": "CronJob Job",
    "batch/v1beta1": "CronJob",
    "coordination.k8s.io/v1": "Lease",
    "coordination.k8s.io/v1beta1": "Lease",
    "discovery.k8s.io/v1": "EndpointSlice",
    "discovery.k8s.io/v1beta1": "EndpointSlice",
    "events.k8s.io/v1": "Event",
    "events.k8s.io/v1beta1": "Event",
    "extensions/v1beta1": "Ingress",
    "networking.k8s.io/v1": "Ingress NetworkPolicy",
    "networking.k8s.io/v1beta1": "Ingress",
    "policy/v1": "PodDisruptionBudget",
    "policy/v1beta1": "PodDisruptionBudget",
    "rbac.authorization.k8s.io/v1": "Role RoleBinding",
    "rbac.authorization.k8s.io/v1beta1": "Role RoleBinding",
    "storage.k8s.io/v1beta1": "CSIStorageCapacity",
    "v1": "ConfigMap Endpoints Event LimitRange PersistentVolumeClaim Pod PodTemplate ReplicationController "
    "ResourceQuota Secret Service ServiceAccount",
}
CLUSTER_SCOPED: Final = {
    "admissionregistration.k8s.io/v1": "MutatingWebhookConfiguration ValidatingWebhookConfiguration",
    "admissionregistration.k8s.io/v1beta1": "MutatingWebhookConfiguration ValidatingWebhookConfiguration",
    "apiextensions.k8s.io/v1": "CustomResourceDefinition",
    "apiextensions.k8s.io/v1beta1": "CustomResourceDefinition",
    "apiregistration.k8s.io/v1": "APIService",
    "apiregistration.k8s.io/v1beta1": "APIService",
    "certificates.k8s.io/v1": "CertificateSigningRequest",
    "certificates.k8s.io/v1beta1": "CertificateSigningRequest",
    "flowcontrol.apiserver.k8s.io/v1beta1": "FlowSchema PriorityLevelConfiguration",
    "networking.k8s.io/v1": "IngressClass",
    "networking.k8s.io/v1beta1": "IngressClass",
    "node.k8s.io/v1": "RuntimeClass",
    "node.k8s.io/v1beta1": "RuntimeClass",
    "policy/v1beta1": "PodSecurityPolicy",
    "rbac.authorization.k8s.io/v1": "ClusterRole ClusterRoleBinding",
    "rbac.authorization.k8s.io/v1beta1": "ClusterRole ClusterRoleBinding",
    "scheduling.k8s.io/v1": "PriorityClass",
    "scheduling.k8s.io/v1beta1": "PriorityClass",
    "storage.k8s.io/v1": "CSIDriver CSINode StorageClass VolumeAttachment",
    "storage.k8s.io/v1beta1": "CSIDriver CSINode StorageClass VolumeAttachment",
    "v1": "ComponentStatus Namespace Node PersistentVolume",
}

LISTS: Final[dict[str, dict[str, str]]] = {
    "ObjectMeta": {"finalizers": "[]", "ownerReferences": "[uid]"},
    "PodSpec": {
        "containers": "[name] Container",
        "initContainers": "[name] Container",
        "ephemeralContainers": "[name] EphemeralContainer",
        "volumes": "[name] Volume",
        "imagePullSecrets": "[name]",
        "hostAliases": "[ip]",
        "topologySpreadConstraints": "[topologyKey,whenUnsatisfiable]",
    },
    "Container": {
        "env": "[name]",
        "volumeMounts": "[mountPath]",
        "volumeDevices": "[devicePath]",
        "ports": "[containerPort,protocol]",
    },
    "EphemeralContainer": {"env": "[name]", "volumeMounts": "[mountPath]", "volumeDevices": "[devicePath]"},
    "Volume": {"ephemeral": "EphemeralVolumeSource"},
    "EphemeralVolumeSource": {"volumeClaimTemplate": "PersistentVolumeClaimTemplate"},
    "PersistentVolumeClaimTemplate": {"metadata": "ObjectMeta"},
    "PodTemplateSpec": {"metadata": "ObjectMeta", "spec": "PodSpec"},
    "WorkloadSpec": {"template": "PodTemplateSpec"},
    "CronJobSpec": {"jobTemplate": "JobTemplateSpec"},
    "JobTemplateSpec": {"metadata": "ObjectMeta", "spec": "WorkloadSpec"},
    "Status": {"conditions": "[type]"},
    "PodStatus": {"conditions": "[type]", "podIPs": "[ip]"},
    "NodeSpec": {"podCIDRs": "[]"},
    "NodeStatus": {"conditions": "[type]", "addresses": "[type]"},
    "ServiceSpec": {"ports": "[port,protocol]"},
    "CSINodeSpec": {"drivers": "[name]"},
}
"""Which lists strategic merge patches merge, and by which keys; `[]` are lists of texts. What follows is the shape of
the elements, or of a field that leads to such a list."""

_WORKLOAD: Final = {"spec": "WorkloadSpec", "status": "Status"}
_CONDITIONS: Final = {"status": "Status"}
_WEBHOOKS: Final = {"webhooks": "[name]"}
KINDS: Final[dict[str, dict[str, str]]] = {
    **dict.fromkeys(
        ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet", "ReplicationController", "Job"), _WORKLOAD
    ),
    **dict.fromkeys(("PodDisruptionBudget", "APIService", "Namespace", "PersistentVolumeClaim"), _CONDITIONS),
    **dict.fromkeys(("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"), _WEBHOOKS),
    "CronJob": {"spec": "CronJobSpec"},
    "Pod": {"spec": "PodSpec", "status": "PodStatus"},
    "PodTemplate": {"template": "PodTemplateSpec"},
    "Node": {"spec": "NodeSpec", "status": "NodeStatus"},
    "Service": {"spec": "ServiceSpec", "status": "Status"},
    "ServiceAccount": {"secrets": "[name]"},
    "ComponentStatus": {"conditions": "[type]"},
    "CSINode": {"spec": "CSINodeSpec"},
}
"""Fields that lead to such lists, beside `metadata`, which all kinds have."""
