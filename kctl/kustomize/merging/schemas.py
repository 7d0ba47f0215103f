"""Which lists a strategic merge patch merges, and which kinds have no namespace.

The built-in answer, or that of an OpenAPI document which a kustomization names. Kubernetes: kyaml/openapi.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, Protocol

from kctl.kustomize.errors import KustomizeError
from localplane.apimachinery.api_types import APIField
from localplane.apimachinery.serializers import errors, yaml
from localplane.apis.table import TYPES, go_package

_BUILTIN_VERSION = "v1.21.2"
_GVK = "x-kubernetes-group-version-kind"

_NAMESPACED: Final = {
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
_CLUSTER_SCOPED: Final = {
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
"""Kinds that kustomize knows without asking a server, as of Kubernetes 1.21: newer ones are unknown to it.
Kubernetes: kyaml/openapi, precomputedIsNamespaceScoped and the swagger of v1.21.2."""


class Schema(Protocol):
    """What is known of a field."""

    @property
    def keys(self) -> tuple[str, ...] | None:
        """By which elements are merged; none for a list of texts. None if the list is replaced."""

    def field(self, name: str) -> Schema | None: ...

    def elements(self) -> Schema | None: ...


class _Builtin:
    """Of a built-in type, or of a field that has it. What came later than the release whose types kustomize knows is
    nothing to it."""

    def __init__(self, kind: str, field: APIField | None = None) -> None:
        self._kind = kind
        self._field = field

    @property
    def keys(self) -> tuple[str, ...] | None:
        field = self._field
        if field is None or "merge" not in field.patch_strategies:
            return None
        return tuple(field.list_keys or ([field.merge_key] if field.merge_key else ()))

    def field(self, name: str) -> Schema | None:
        struct = TYPES.get(self._kind)
        fields = struct.fields if struct is not None else ()
        field = next((field for field in fields if field.name == name and "after" not in field.words), None)
        return None if field is None else _Builtin(field.type, field)

    def elements(self) -> Schema | None:
        return _Builtin(self._kind[2:]) if self._kind.startswith("[]") else None


class _Documented:
    """A schema of an OpenAPI document."""

    def __init__(self, schema: dict[str, Any], definitions: dict[str, Any]) -> None:
        for _ in range(100):
            reference = schema.get("$ref")
            if not isinstance(reference, str):
                break
            schema = definitions.get(reference.rsplit("/", 1)[-1]) or {}
        self._schema = schema
        self._definitions = definitions

    @property
    def keys(self) -> tuple[str, ...] | None:
        if "merge" not in str(self._schema.get("x-kubernetes-patch-strategy", "")).split(","):
            return None
        several = self._schema.get("x-kubernetes-list-map-keys")
        if isinstance(several, list):
            return tuple(map(str, several))
        one = self._schema.get("x-kubernetes-patch-merge-key")
        return () if one is None else (str(one),)

    def field(self, name: str) -> Schema | None:
        inner = (self._schema.get("properties") or {}).get(name)
        if inner is None:
            inner = self._schema.get("additionalProperties")
        return _Documented(inner, self._definitions) if isinstance(inner, dict) else None

    def elements(self) -> Schema | None:
        inner = self._schema.get("items")
        if self._schema.get("type") not in ("array", ["array"]) or not isinstance(inner, dict):
            return None
        return _Documented(inner, self._definitions)


def documented(schema: dict[str, Any]) -> Schema:
    """A schema by itself, without definitions."""
    return _Documented(schema, {})


class Schemas:
    """One build's knowledge. A document of the outermost kustomization takes the built-in schemas' place; one of a
    base is added, unless there is one already."""

    def __init__(self) -> None:
        self._document: bytes | None = None
        self._version = ""
        self._read = False
        self._asked_builtin = False
        self._builtin = False
        self._definitions: dict[str, Any] = {}
        self._types: dict[tuple[str, str], dict[str, Any]] = {}
        self._scopes: dict[tuple[str, str], bool] = {}

    def use(self, openapi: dict[str, str], document: bytes | None, *, outermost: bool) -> None:
        """What a kustomization's `openapi` says. Raises KustomizeError."""
        if (self._version or self._document is not None) and not outermost:
            return
        version = openapi.get("version", "")
        if document is not None:
            if "version" in openapi:
                raise KustomizeError("builtin version and custom schema provided, cannot use both")
            self._document, self._version, self._read = document, "custom", False
            return
        self._version = version
        if version and version != _BUILTIN_VERSION:
            raise KustomizeError("the specified OpenAPI version is not built in")

    def is_cluster_scoped(self, api_version: str, kind: str) -> bool:
        """Whether it is certain that the kind has no namespaces."""
        known = _scopes().get((api_version, kind))
        if known is not None:
            return not known
        if not self._read:
            if self._document is None:
                self._asked_builtin = True
                return False
            self._read_all()
        return self._scopes.get((api_version, kind)) is False

    def of(self, api_version: str, kind: str) -> Schema | None:
        if not self._read:
            self._read_all()
        if self._builtin and (api_version, kind) in _scopes():
            return _Builtin(_definition(api_version, kind))
        definition = self._types.get((api_version, kind))
        return None if definition is None else _Documented(definition, self._definitions)

    def _read_all(self) -> None:
        self._read = True
        if self._document is not None:
            self._read_document(self._document)
        self._builtin = self._builtin or self._document is None or self._asked_builtin

    def _read_document(self, document: bytes) -> None:
        try:
            swagger = yaml.parse_yaml(document).value
        except errors.SerializationError as error:
            raise KustomizeError(f"invalid schema file: {error}") from error
        if not isinstance(swagger, dict):
            raise KustomizeError("invalid schema file: it is no object")
        self._definitions = swagger.get("definitions") or {}
        for definition in self._definitions.values():
            for gvk in definition.get(_GVK) or () if isinstance(definition, dict) else ():
                self._types[_type(gvk)] = definition
        for path, methods in (swagger.get("paths") or {}).items():
            gvk = ((methods or {}).get("get") or {}).get(_GVK)
            if isinstance(gvk, dict):
                if "namespaces/{namespace}" in path:
                    self._scopes[_type(gvk)] = True
                else:
                    self._scopes.setdefault(_type(gvk), False)


def _definition(api_version: str, kind: str) -> str:
    """Versions that are gone had the lists of v1. A kind that is gone as well has only its metadata."""
    package = go_package(api_version)
    versions = (package, f"{package.partition('/')[0]}/v1")
    definitions = (f"{version}.{kind}" for version in versions)
    return next(filter(TYPES.get, definitions), "meta/v1.PartialObjectMetadata")


def _type(gvk: dict[str, Any]) -> tuple[str, str]:
    group, version = gvk.get("group") or "", gvk.get("version") or ""
    return (f"{group}/{version}" if group else str(version)), str(gvk.get("kind", ""))


@cache
def _scopes() -> dict[tuple[str, str], bool]:
    """Whether a built-in kind has namespaces."""
    return {
        (api_version, kind): namespaced
        for table, namespaced in ((_NAMESPACED, True), (_CLUSTER_SCOPED, False))
        for api_version, kinds in table.items()
        for kind in kinds.split()
    }
