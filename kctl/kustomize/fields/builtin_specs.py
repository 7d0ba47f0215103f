"""Where labels, names, images and references are in the kinds that kustomize knows.

Kubernetes: api/internal/konfig/builtinpluginconsts.
"""

from __future__ import annotations

from collections.abc import Iterator

from kctl.kustomize.resources.ids import Gvk

from .field_specs import FieldSpec, FieldSpecs

_POD_SPECS = {
    "Pod": "spec",
    "PodTemplate": "template/spec",
    "Deployment": "spec/template/spec",
    "ReplicaSet": "spec/template/spec",
    "DaemonSet": "spec/template/spec",
    "StatefulSet": "spec/template/spec",
    "Job": "spec/template/spec",
    "CronJob": "spec/jobTemplate/spec/template/spec",
    "ReplicationController": "spec/template/spec",
}
"""Where the pods of a kind are specified."""
_HOLDS_REFERENCES = ("Pod", "PodTemplate", "Deployment", "ReplicaSet", "DaemonSet", "StatefulSet", "Job", "CronJob")
_RUNS_PODS = ("Pod", "StatefulSet", "Deployment", "ReplicationController", "CronJob", "Job", "DaemonSet")


def _spec(path: str, kind: str = "", *, group: str = "", version: str = "", create: bool = False) -> FieldSpec:
    return FieldSpec(Gvk(group, version, kind), path, create)


def _in_pods(kinds: tuple[str, ...], paths: tuple[str, ...], *, core: bool = False) -> Iterator[FieldSpec]:
    """`core`: of pods only those of v1."""
    for kind in kinds:
        for path in paths:
            yield _spec(f"{_POD_SPECS[kind]}/{path}", kind, version="v1" if core and kind == "Pod" else "")


def _metadata(name: str) -> FieldSpecs:
    """Labels or annotations, of an object and of what it makes."""
    apps = "apps" if name == "labels" else ""
    claims = (_spec("spec/volumeClaimTemplates[]/metadata/labels", "StatefulSet", group="apps", create=True),)
    return (
        _spec(f"metadata/{name}", create=True),
        _spec(f"spec/template/metadata/{name}", "ReplicationController", version="v1", create=True),
        *(
            _spec(f"spec/template/metadata/{name}", kind, create=True)
            for kind in ("Deployment", "ReplicaSet", "DaemonSet")
        ),
        _spec(f"spec/template/metadata/{name}", "StatefulSet", group=apps, create=True),
        *(claims if name == "labels" else ()),
        _spec(f"spec/template/metadata/{name}", "Job", group="batch", create=True),
        _spec(f"spec/jobTemplate/metadata/{name}", "CronJob", group="batch", create=True),
        _spec(f"spec/jobTemplate/spec/template/metadata/{name}", "CronJob", group="batch", create=True),
    )


def _affinity(kind: str) -> FieldSpecs:
    within = "spec/template/spec/affinity"
    return (
        *(
            _spec(f"{within}/{affinity}/{when}/labelSelector/matchLabels", kind, group="apps")
            for affinity in ("podAffinity", "podAntiAffinity")
            for when in (
                "preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm",
                "requiredDuringSchedulingIgnoredDuringExecution",
            )
        ),
        _spec("spec/template/spec/topologySpreadConstraints/labelSelector/matchLabels", kind, group="apps"),
    )


TEMPLATE_LABELS = _metadata("labels")
COMMON_ANNOTATIONS = _metadata("annotations")
COMMON_LABELS: FieldSpecs = (
    _spec("spec/selector", "Service", version="v1", create=True),
    _spec("spec/selector", "ReplicationController", version="v1", create=True),
    _spec("spec/selector/matchLabels", "Deployment", create=True),
    *_affinity("Deployment"),
    _spec("spec/selector/matchLabels", "ReplicaSet", create=True),
    _spec("spec/selector/matchLabels", "DaemonSet", create=True),
    _spec("spec/selector/matchLabels", "StatefulSet", group="apps", create=True),
    *_affinity("StatefulSet"),
    _spec("spec/selector/matchLabels", "Job", group="batch"),
    _spec("spec/jobTemplate/spec/selector/matchLabels", "CronJob", group="batch"),
    _spec("spec/selector/matchLabels", "PodDisruptionBudget", group="policy"),
    _spec("spec/podSelector/matchLabels", "NetworkPolicy", group="networking.k8s.io"),
    _spec("spec/ingress/from/podSelector/matchLabels", "NetworkPolicy", group="networking.k8s.io"),
    _spec("spec/egress/to/podSelector/matchLabels", "NetworkPolicy", group="networking.k8s.io"),
    *TEMPLATE_LABELS,
)
NAMES: FieldSpecs = (_spec("metadata/name"),)
NAMESPACES: FieldSpecs = (
    _spec("metadata/name", "Namespace", create=True),
    _spec("spec/service/namespace", "APIService", group="apiregistration.k8s.io", create=True),
    _spec(
        "spec/conversion/webhook/clientConfig/service/namespace",
        "CustomResourceDefinition",
        group="apiextensions.k8s.io",
    ),
)
IMAGES: FieldSpecs = tuple(
    _spec(f"{within}/{path}", create=True)
    for within in ("spec", "spec/template/spec")
    for path in ("containers[]/image", "initContainers[]/image", "volumes[]/image/reference")
)
REPLICAS: FieldSpecs = tuple(
    _spec("spec/replicas", kind, create=True)
    for kind in ("Deployment", "ReplicationController", "ReplicaSet", "StatefulSet")
)


def _container_variables(within: str, kind: str) -> Iterator[FieldSpec]:
    for containers in ("containers", "initContainers"):
        for path in ("args", "command", "env/value", "volumeMounts/mountPath"):
            yield _spec(f"{within}/{containers}/{path}", kind)


VARIABLES: FieldSpecs = (
    *(
        one
        for kind in ("CronJob", "DaemonSet", "Deployment", "Job", "Pod", "ReplicaSet", "StatefulSet")
        for one in _container_variables(_POD_SPECS[kind], kind)
    ),
    *(
        _spec(f"{_POD_SPECS[kind]}/volumes/nfs/server", kind)
        for kind in ("DaemonSet", "Deployment", "Job", "Pod", "ReplicaSet")
    ),
    _spec("spec/jobTemplate/spec/template/volumes/nfs/server", "CronJob"),
    _spec("spec/volumeClaimTemplates/spec/nfs/server", "StatefulSet"),
    _spec("spec/nfs/server", "PersistentVolume"),
    _spec("spec/template/metadata/annotations", "Deployment"),
    _spec("spec/rules/host", "Ingress"),
    _spec("spec/tls/hosts", "Ingress"),
    _spec("spec/tls/secretName", "Ingress"),
    _spec("spec/ports/port", "Service"),
    _spec("spec/ports/targetPort", "Service"),
    _spec("metadata/labels"),
    _spec("metadata/annotations"),
)

_CONFIG_MAPS = (
    "volumes/configMap/name",
    "containers/env/valueFrom/configMapKeyRef/name",
    "initContainers/env/valueFrom/configMapKeyRef/name",
    "containers/envFrom/configMapRef/name",
    "initContainers/envFrom/configMapRef/name",
    "volumes/projected/sources/configMap/name",
)
_SECRETS = (
    "volumes/secret/secretName",
    "containers/env/valueFrom/secretKeyRef/name",
    "initContainers/env/valueFrom/secretKeyRef/name",
    "containers/envFrom/secretRef/name",
    "initContainers/envFrom/secretRef/name",
    "imagePullSecrets/name",
    "volumes/projected/sources/secret/name",
)
_RBAC, _WEBHOOKS = "rbac.authorization.k8s.io", "admissionregistration.k8s.io"
_NAMED_IN_RULES = (_spec("rules/resourceNames", "Role"), _spec("rules/resourceNames", "ClusterRole"))
_NGINX = "metadata/annotations/nginx.ingress.kubernetes.io\\/"

NAME_REFERENCES: tuple[tuple[Gvk, FieldSpecs], ...] = (
    *(
        (Gvk(kind=kind), (_spec("spec/scaleTargetRef/name", "HorizontalPodAutoscaler"),))
        for kind in ("Deployment", "ReplicationController", "ReplicaSet", "StatefulSet")
    ),
    (
        Gvk("", "v1", "ConfigMap"),
        (
            *_in_pods(_HOLDS_REFERENCES, _CONFIG_MAPS, core=True),
            _spec("spec/configSource/configMap", "Node"),
            *_NAMED_IN_RULES,
            _spec(f"{_NGINX}fastcgi-params-configmap", "Ingress"),
        ),
    ),
    (
        Gvk("", "v1", "Secret"),
        (
            *_in_pods(_HOLDS_REFERENCES, _SECRETS, core=True),
            _spec("spec/tls/secretName", "Ingress"),
            _spec("metadata/annotations/ingress.kubernetes.io\\/auth-secret", "Ingress"),
            _spec(f"{_NGINX}auth-secret", "Ingress"),
            _spec(f"{_NGINX}auth-tls-secret", "Ingress"),
            _spec("imagePullSecrets/name", "ServiceAccount"),
            *(
                _spec(f"parameters/{name}", "StorageClass")
                for name in ("secretName", "adminSecretName", "userSecretName", "secretRef")
            ),
            *_NAMED_IN_RULES,
            _spec(
                "spec/template/spec/containers/env/valueFrom/secretKeyRef/name",
                "Service",
                group="serving.knative.dev",
                version="v1",
            ),
            _spec("spec/azureFile/secretName", "PersistentVolume"),
        ),
    ),
    (
        Gvk("", "v1", "Service"),
        (
            _spec("spec/serviceName", "StatefulSet", group="apps"),
            _spec("spec/rules/http/paths/backend/serviceName", "Ingress"),
            _spec("spec/backend/serviceName", "Ingress"),
            _spec("spec/rules/http/paths/backend/service/name", "Ingress"),
            _spec("spec/defaultBackend/service/name", "Ingress"),
            _spec("spec/service/name", "APIService", group="apiregistration.k8s.io"),
            _spec("webhooks/clientConfig/service", "ValidatingWebhookConfiguration", group=_WEBHOOKS),
            _spec("webhooks/clientConfig/service", "MutatingWebhookConfiguration", group=_WEBHOOKS),
        ),
    ),
    (Gvk(_RBAC, "", "Role"), (_spec("roleRef/name", "RoleBinding", group=_RBAC),)),
    (
        Gvk(_RBAC, "", "ClusterRole"),
        (
            _spec("roleRef/name", "RoleBinding", group=_RBAC),
            _spec("roleRef/name", "ClusterRoleBinding", group=_RBAC),
        ),
    ),
    (
        Gvk("", "v1", "ServiceAccount"),
        (
            _spec("subjects", "RoleBinding", group=_RBAC),
            _spec("subjects", "ClusterRoleBinding", group=_RBAC),
            *_in_pods(_RUNS_PODS, ("serviceAccountName",)),
        ),
    ),
    (Gvk("", "v1", "PersistentVolumeClaim"), tuple(_in_pods(_RUNS_PODS, ("volumes/persistentVolumeClaim/claimName",)))),
    (
        Gvk("", "v1", "PersistentVolume"),
        (_spec("spec/volumeName", "PersistentVolumeClaim"), _spec("rules/resourceNames", "ClusterRole")),
    ),
    (
        Gvk("storage.k8s.io", "v1", "StorageClass"),
        (
            _spec("spec/storageClassName", "PersistentVolume"),
            _spec("spec/storageClassName", "PersistentVolumeClaim"),
            _spec("spec/volumeClaimTemplates/spec/storageClassName", "StatefulSet"),
        ),
    ),
    (Gvk("scheduling.k8s.io", "v1", "PriorityClass"), tuple(_in_pods(_RUNS_PODS, ("priorityClassName",)))),
    (Gvk("networking.k8s.io/v1", "v1", "IngressClass"), (_spec("spec/ingressClassName", "Ingress"),)),
    (
        Gvk(_WEBHOOKS, "", "ValidatingAdmissionPolicy"),
        (_spec("spec/policyName", "ValidatingAdmissionPolicyBinding", group=_WEBHOOKS),),
    ),
)
"""What is referred to, and the fields that refer to it. The group of IngressClass is a slip of kustomize's, so that
those references stay as they are."""
