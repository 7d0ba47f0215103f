"""NodeRestriction: a kubelet writes its own node and the pods on it, and nothing that would give it more.

The Node authorizer lets kubelets write some resources at all; which objects of them, and what in them, is decided here,
where the objects can be seen. Kubernetes: plugin/pkg/admission/noderestriction.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final

from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.admission import Attributes, Operation
from localplane.apiserver.authorization import Authorizer
from localplane.apiserver.request import User
from localplane.servers.kube.admission.plugin import (
    CLAIMS,
    PODS,
    LookingPlugin,
    SelectivePlugin,
    refused,
    spec,
    written,
)
from localplane.servers.kube.admission.pods.pod_references import config_map_names, is_mirror, secret_names
from localplane.servers.kube.node_identity import is_node, node_name

from .node_requests import check_certificate_request, check_pod_certificate_request, check_token_request

_NODES: Final = GroupResource("", "nodes")
_ACCOUNTS: Final = GroupResource("", "serviceaccounts")
_LEASES: Final = GroupResource("coordination.k8s.io", "leases")
_CSI_NODES: Final = GroupResource("storage.k8s.io", "csinodes")
_SLICES: Final = GroupResource("resource.k8s.io", "resourceslices")
_SIGNING: Final = GroupResource("certificates.k8s.io", "certificatesigningrequests")
_POD_CERTIFICATES: Final = GroupResource("certificates.k8s.io", "podcertificaterequests")
_LEASE_NAMESPACE: Final = "kube-node-lease"
_MIRROR: Final = "kubernetes.io/config.mirror"
_RESTRICTED: Final = "node-restriction.kubernetes.io"

# kubelet/pkg/apis/well_known_labels.go
_KUBELET_LABELS: Final = frozenset(
    {
        "kubernetes.io/hostname",
        "topology.kubernetes.io/zone",
        "topology.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/zone",
        "failure-domain.beta.kubernetes.io/region",
        "beta.kubernetes.io/instance-type",
        "node.kubernetes.io/instance-type",
        "kubernetes.io/os",
        "kubernetes.io/arch",
        "beta.kubernetes.io/os",
        "beta.kubernetes.io/arch",
    }
)
_KUBELET_LABEL_NAMESPACES: Final = ("kubelet.kubernetes.io", "node.kubernetes.io")

# What the volumes of a pod are called that refer to another object. Kubernetes: pkg/api/pod, HasAPIObjectReference.
_REFERRING_VOLUMES: Final = {
    "configMap": "configmaps (via configmap volumes)",
    "secret": "secrets (via secret volumes)",
    "csi": "csidrivers (via CSI volumes)",
    "glusterfs": "endpoints (via glusterFS volumes)",
    "persistentVolumeClaim": "persistentvolumeclaims",
    "ephemeral": "persistentvolumeclaims (via ephemeral volumes)",
    "azureFile": "secrets (via azureFile volumes)",
}
_REFERRING_SOURCES: Final = {
    "configMap": "configmaps (via projected volumes)",
    "secret": "secrets (via projected volumes)",
    "serviceAccountToken": "serviceaccounts (via projected volumes)",
    "clusterTrustBundle": "clustertrustbundles",
    "podCertificate": "podcertificates",
}


class NodeRestriction(LookingPlugin, SelectivePlugin):
    name = "NodeRestriction"
    operations = (Operation.CREATE, Operation.UPDATE, Operation.DELETE)
    resources = (
        PODS,
        _NODES,
        CLAIMS,
        _ACCOUNTS,
        _LEASES,
        _CSI_NODES,
        _SLICES,
        _SIGNING,
        _POD_CERTIFICATES,
    )
    authorizer: Authorizer

    def initialize(self, provided: Any) -> None:
        super().initialize(provided)
        self.authorizer = provided.authorizer

    def is_about(self, user: User | None) -> bool:
        return is_node(user)

    async def admit(self, attributes: Attributes) -> None:
        if not is_node(attributes.user):
            return
        node = node_name(attributes.user)
        if not node:
            raise refused(attributes, f"could not determine node from user {go_quote(attributes.user.name)}")
        checks: dict[GroupResource, Callable[[str, Attributes], Awaitable[None]]] = {
            PODS: self._check_pod,
            _NODES: self._check_node,
            CLAIMS: self._check_claim,
            _ACCOUNTS: self._check_token,
            _LEASES: self._check_lease,
            _CSI_NODES: self._check_csi_node,
            _SLICES: self._check_slice,
            _SIGNING: self._check_signing_request,
            _POD_CERTIFICATES: self._check_pod_certificate,
        }
        await checks[attributes.resource](node, attributes)

    async def _check_pod(self, node: str, attributes: Attributes) -> None:
        match attributes.subresource, attributes.operation:
            case "", Operation.CREATE:
                await self._check_mirror_pod(node, attributes)
            case "", Operation.DELETE:
                if _node_of(attributes.old_object) != node:
                    raise refused(
                        attributes, f"node {go_quote(node)} can only delete pods with spec.nodeName set to itself"
                    )
            case "", operation:
                unexpected = f'unexpected operation "{operation}"'
                raise refused(attributes, f"{unexpected}, node {go_quote(node)} can only create and delete mirror pods")
            case "status", Operation.UPDATE:
                _check_pod_status(node, attributes)
            case "eviction", Operation.CREATE:
                await self._check_eviction(node, attributes)
            case "status", operation:
                raise refused(attributes, f'unexpected operation "{operation}"')
            case "eviction", operation:
                raise refused(attributes, f"unexpected operation {operation}")
            case subresource, _:
                unexpected = f"unexpected pod subresource {go_quote(subresource)}"
                raise refused(attributes, f"{unexpected}, only 'status' and 'eviction' are allowed")

    async def _check_mirror_pod(self, node: str, attributes: Attributes) -> None:
        pod, quoted = written(attributes), go_quote(node)
        if not is_mirror(pod):
            why = f"pod does not have {go_quote(_MIRROR)} annotation, node {quoted} can only create mirror pods"
            raise refused(attributes, why)
        if _node_of(pod) != node:
            raise refused(attributes, f"node {quoted} can only create pods with spec.nodeName set to itself")
        await self._check_owner(node, attributes, (pod.get("metadata") or {}).get("ownerReferences") or [])
        if (referring := next(_references(spec(pod)), None)) is not None:
            raise refused(attributes, f"node {quoted} can not create pods that reference {referring}")

    async def _check_owner(self, node: str, attributes: Attributes, owners: list[JSONObject]) -> None:
        can_only = f"node {go_quote(node)} can only create pods with"
        if len(owners) > 1:
            raise refused(attributes, f"{can_only} a single owner reference set to itself")
        wanted = {"apiVersion": "v1", "kind": "Node", "name": node}
        if not owners or not wanted.items() <= owners[0].items():
            raise refused(attributes, f"{can_only} an owner reference set to itself")
        (owner,) = owners
        if not owner.get("controller"):
            raise refused(attributes, f"{can_only} a controller owner reference set to itself")
        if owner.get("blockOwnerDeletion"):
            raise refused(attributes, f"node {go_quote(node)} must not set blockOwnerDeletion on an owner reference")
        found = await self.objects.get("nodes", "", node)
        if found is None:
            raise NotFound.of(_NODES, node)
        uid, given = found["metadata"].get("uid", ""), owner.get("uid", "")
        if given != uid:
            raise refused(attributes, f"node {node} UID mismatch: expected {given} got {uid}")

    async def _check_eviction(self, node: str, attributes: Attributes) -> None:
        if not attributes.name:
            raise refused(attributes, "could not determine pod from request data")
        pod = await self.objects.get("pods", attributes.namespace, attributes.name)
        if pod is None:
            raise NotFound.of(PODS, attributes.name)
        if _node_of(pod) != node:
            raise refused(attributes, f"node {node} can only evict pods with spec.nodeName set to itself")

    async def _check_node(self, node: str, attributes: Attributes) -> None:
        quoted = go_quote(node)
        if attributes.name != node:
            raise refused(attributes, f"node {quoted} is not allowed to modify node {go_quote(attributes.name)}")
        if attributes.operation is Operation.CREATE:
            made = written(attributes)
            if spec(made).get("configSource") is not None:
                raise refused(attributes, f"node {quoted} is not allowed to create pods with a non-nil configSource")
            if labels := _forbidden_labels(made, {}):
                why = f"node {quoted} is not allowed to set the following labels: {', '.join(labels)}"
                raise refused(attributes, why)
        elif attributes.operation is Operation.UPDATE:
            _check_node_change(quoted, attributes, written(attributes), attributes.old_object or {})

    async def _check_claim(self, node: str, attributes: Attributes) -> None:
        if attributes.subresource != "status":
            raise refused(attributes, "may only update PVC status")
        if attributes.operation is not Operation.UPDATE:
            raise refused(attributes, f'unexpected operation "{attributes.operation}"')
        if (field := _other_change(written(attributes), attributes.old_object or {})) is not None:
            allowed = "is not allowed to update fields other than status.quantity and status.conditions"
            raise refused(attributes, f"node {go_quote(node)} {allowed}: {field}")

    async def _check_token(self, node: str, attributes: Attributes) -> None:
        if attributes.operation is Operation.CREATE and attributes.subresource == "token":
            await check_token_request(node, attributes, self.objects, self.authorizer)

    async def _check_pod_certificate(self, node: str, attributes: Attributes) -> None:
        await check_pod_certificate_request(node, attributes, self.objects, self.authorizer)

    async def _check_lease(self, node: str, attributes: Attributes) -> None:
        if attributes.namespace != _LEASE_NAMESPACE:
            where = f"the {go_quote(_LEASE_NAMESPACE)} system namespace"
            raise refused(attributes, f"can only access leases in {where}")
        if attributes.name != node:
            raise refused(attributes, "can only access node lease with the same name as the requesting node")

    async def _check_csi_node(self, node: str, attributes: Attributes) -> None:
        if attributes.name != node:
            raise refused(attributes, "can only access CSINode with the same name as the requesting node")
        if attributes.subresource == "status":
            raise refused(attributes, "CSIVolumeHealth feature gate is disabled")

    async def _check_slice(self, node: str, attributes: Attributes) -> None:
        verb = {Operation.CREATE: "create", Operation.DELETE: "delete"}.get(attributes.operation)
        obj = attributes.object if attributes.operation is Operation.CREATE else attributes.old_object
        if verb is not None and _node_of(obj) != node:
            raise refused(attributes, f"can only {verb} ResourceSlice with the same NodeName as the requesting node")

    async def _check_signing_request(self, node: str, attributes: Attributes) -> None:
        if attributes.operation is Operation.CREATE:
            check_certificate_request(node, attributes)


def _node_of(obj: JSONObject | None) -> str | None:
    return ((obj or {}).get("spec") or {}).get("nodeName")


def _check_pod_status(node: str, attributes: Attributes) -> None:
    old, new, quoted = attributes.old_object or {}, written(attributes), go_quote(node)
    if _node_of(old) != node:
        allowed = "pod status for pods with spec.nodeName set to itself"
        raise refused(attributes, f"node {quoted} can only update {allowed}")
    if _labels(old) != _labels(new):
        raise refused(attributes, f"node {quoted} cannot update labels through pod status")
    for field, what in (
        ("resourceClaimStatuses", "resource claim statues"),
        ("extendedResourceClaimStatus", "extended resource claim status"),
        ("nodeAllocatableResourceClaimStatuses", "node allocatable resource claim statuses"),
    ):
        before, after = ((each.get("status") or {}).get(field) or None for each in (old, new))
        if before != after:
            raise refused(attributes, f"node {quoted} cannot update {what}")


def _check_node_change(quoted: str, attributes: Attributes, new: JSONObject, old: JSONObject) -> None:
    before, after = old.get("spec") or {}, new.get("spec") or {}
    source = after.get("configSource")
    if source is not None and source != before.get("configSource"):
        why = f"node {quoted} is not allowed to update configSource to a new non-nil configSource"
        raise refused(attributes, why)
    if (after.get("taints") or []) != (before.get("taints") or []):
        raise refused(attributes, f"node {quoted} is not allowed to modify taints")
    owners = [(each.get("metadata") or {}).get("ownerReferences") or [] for each in (new, old)]
    if owners[0] != owners[1]:
        raise refused(attributes, f"node {quoted} is not allowed to modify ownerReferences")
    if labels := _forbidden_labels(new, _labels(old)):
        raise refused(attributes, f"is not allowed to modify labels: {', '.join(labels)}")


def _labels(obj: JSONObject) -> dict[str, str]:
    return (obj.get("metadata") or {}).get("labels") or {}


def _forbidden_labels(new: JSONObject, old: dict[str, str]) -> list[str]:
    """Those that differ and that a kubelet must not touch: they could draw pods to it."""
    labels = _labels(new)
    changed = {key for key in labels.keys() | old.keys() if labels.get(key) != old.get(key)}
    return sorted(filter(_is_forbidden, changed))


def _is_forbidden(label: str) -> bool:
    namespace = label.partition("/")[0] if "/" in label else ""
    if _is_in(namespace, _RESTRICTED):
        return True
    if not (_is_in(namespace, "kubernetes.io") or _is_in(namespace, "k8s.io")) or label in _KUBELET_LABELS:
        return False
    return not any(_is_in(namespace, allowed) for allowed in _KUBELET_LABEL_NAMESPACES)


def _is_in(namespace: str, domain: str) -> bool:
    return namespace == domain or namespace.endswith(f".{domain}")


def _references(pod: JSONObject) -> Iterator[str]:
    """What a pod refers to, in the words of HasAPIObjectReference."""
    if pod.get("serviceAccountName"):
        yield "serviceaccounts"
    if any(secret_names(pod)):
        yield "secrets"
    if any(config_map_names(pod)):
        yield "configmaps"
    if pod.get("resourceClaims"):
        yield "resourceclaims"
    for volume in pod.get("volumes") or ():
        yield from (words for kind, words in _REFERRING_VOLUMES.items() if kind in volume)
        for source in (volume.get("projected") or {}).get("sources") or ():
            yield from (words for kind, words in _REFERRING_SOURCES.items() if kind in source)


def _other_change(new: JSONObject, old: JSONObject) -> str | None:
    """The first field that differs, of those that a kubelet does not write when it has grown a volume."""
    for field in sorted(new.keys() | old.keys()):
        before, after = old.get(field), new.get(field)
        if field in ("metadata", "status"):
            left_out = _LEFT_OUT[field]
            before, after = (
                {key: value for key, value in (each or {}).items() if key not in left_out and value}
                for each in (before, after)
            )
        if before != after:
            return field
    return None


_LEFT_OUT: Final = {
    "metadata": ("resourceVersion", "managedFields"),
    "status": ("capacity", "conditions", "allocatedResources", "allocatedResourceStatuses"),
}
