"""The decision. Nothing is forbidden by it: what it does not allow is left to others, with the reason why.

Kubernetes: plugin/pkg/auth/authorizer/node/node_authorizer.go, and NodeRules in rbac/bootstrappolicy for what all nodes
may do alike.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from localplane.apimachinery.errors import APIError, BadRequest
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.selectors import fields
from localplane.apiserver.authorization import ALLOWED, NO_OPINION, Attributes, Decision, Rules, Verdict
from localplane.apiserver.registry.lookup import Lookup
from localplane.apiserver.request import User
from localplane.apiserver.storage.errors import StorageError
from localplane.servers.kube.node_identity import is_node, node_name
from localplane.servers.kube.rbac.rules import CompiledRule

from .relations import Relations

_READS: Final = ("get", "list", "watch")
_OWN: Final = ("get", "create", "update", "patch", "delete")
_LEASES: Final = "kube-node-lease"
_CORE: Final = ""
_STORAGE: Final = "storage.k8s.io"
_RESOURCE: Final = "resource.k8s.io"
_CERTIFICATES: Final = "certificates.k8s.io"

# Of what the role `system:node` gives, what is not divided among nodes by one of the functions below.
_RULES: Final = (
    ("authentication.k8s.io", ("tokenreviews",), ("create",)),
    ("authorization.k8s.io", ("localsubjectaccessreviews", "subjectaccessreviews"), ("create",)),
    (_CORE, ("services",), _READS),
    (_CORE, ("events",), ("create", "patch", "update")),
    ("events.k8s.io", ("events",), ("create", "patch", "update")),
    (_CORE, ("endpoints",), ("get",)),
    (_CERTIFICATES, ("certificatesigningrequests",), ("create", *_READS)),
    (_CERTIFICATES, ("clustertrustbundles",), _READS),
    (_STORAGE, ("csidrivers",), _READS),
    ("node.k8s.io", ("runtimeclasses",), _READS),
)


class NodeAuthorizer:
    def __init__(self, objects: Lookup) -> None:
        self._relations = Relations(objects)
        self._rules: tuple[CompiledRule, ...] = ()
        self._divided: dict[tuple[str, str], Callable[[str, Attributes], Awaitable[Decision]]] = {
            (_CORE, "secrets"): self._read,
            (_CORE, "configmaps"): self._read,
            (_CORE, "persistentvolumeclaims"): self._claim,
            (_CORE, "persistentvolumes"): self._get,
            (_RESOURCE, "resourceclaims"): self._get,
            (_STORAGE, "volumeattachments"): self._get,
            (_CORE, "serviceaccounts"): self._service_account,
            ("coordination.k8s.io", "leases"): self._lease,
            (_STORAGE, "csinodes"): self._csi_node,
            (_RESOURCE, "resourceslices"): self._resource_slice,
            (_CORE, "nodes"): self._node,
            (_CORE, "pods"): self._pod,
            (_CERTIFICATES, "podcertificaterequests"): self._pod_certificate_request,
        }

    async def authorize(self, attributes: Attributes) -> Decision:
        if not is_node(attributes.user):
            return NO_OPINION
        if not (node := node_name(attributes.user)):
            return _because(f"unknown node for user {go_quote(attributes.user.name)}")
        if attributes.is_resource:
            divided = self._divided.get((attributes.group, attributes.resource))
            if divided is not None:
                return await divided(node, attributes)
        return ALLOWED if any(rule.allows(attributes) for rule in self._common()) else NO_OPINION

    async def rules_for(self, user: User, namespace: str) -> Rules:
        if is_node(user):
            return Rules(incomplete=True, error="node authorizer does not support user rule resolution")
        return Rules()

    def _common(self) -> tuple[CompiledRule, ...]:
        self._rules = self._rules or tuple(
            CompiledRule({"apiGroups": [group], "resources": list(resources), "verbs": list(verbs)})
            for group, resources, verbs in _RULES
        )
        return self._rules

    async def _related(self, node: str, asked: Attributes) -> Decision:
        if not asked.name:
            return _because("No Object name found")
        try:
            if await self._relations.exist(node, asked.resource, asked.namespace, asked.name):
                return ALLOWED
        except BadRequest:
            pass  # nothing can have such a name
        except (APIError, StorageError) as error:
            return Decision(Verdict.NO_OPINION, error=str(error))
        return _because(f"no relationship found between node '{node}' and this object")

    async def _get(self, node: str, asked: Attributes) -> Decision:
        if asked.verb != "get":
            return _because("can only get individual resources of this type")
        if asked.subresource:
            return _because("cannot get subresource")
        return await self._related(node, asked)

    async def _read(self, node: str, asked: Attributes) -> Decision:
        if asked.verb not in _READS:
            return _because("can only read resources of this type")
        if asked.subresource:
            return _because("cannot read subresource")
        if not asked.namespace:
            return _because("can only read namespaced object of this type")
        return await self._related(node, asked)

    async def _claim(self, node: str, asked: Attributes) -> Decision:
        if asked.subresource != "status":
            return await self._get(node, asked)
        if asked.verb not in ("update", "patch"):
            return _because("can only get/update/patch this type")
        return await self._related(node, asked)

    async def _service_account(self, node: str, asked: Attributes) -> Decision:
        if asked.verb == "get" and not asked.subresource:
            return await self._read(node, asked)
        if asked.verb != "create" or not asked.name:
            return _because("can only create tokens for individual service accounts")
        if asked.subresource != "token":
            return _because("can only create token subresource of serviceaccount")
        return await self._related(node, asked)

    async def _lease(self, node: str, asked: Attributes) -> Decision:
        """Whoever creates one says its name to admission only."""
        if asked.verb not in _OWN:
            return _because("can only get, create, update, patch, or delete a node lease")
        if asked.namespace != _LEASES:
            return _because(f"can only access leases in the {go_quote(_LEASES)} system namespace")
        if asked.verb != "create" and asked.name != node:
            return _because("can only access node lease with the same name as the requesting node")
        return ALLOWED

    async def _csi_node(self, node: str, asked: Attributes) -> Decision:
        if asked.subresource == "status":
            return _because("CSINode status access requires CSIVolumeHealth feature")
        if asked.subresource:
            return _because("cannot authorize CSINode subresources")
        if asked.verb not in _OWN:
            return _because("can only get, create, update, patch, or delete a CSINode")
        if asked.verb != "create" and asked.name != node:
            return _because("can only access CSINode with the same name as the requesting node")
        return ALLOWED

    async def _resource_slice(self, node: str, asked: Attributes) -> Decision:
        if asked.subresource:
            return _because("cannot authorize ResourceSlice subresources")
        match asked.verb:
            case "create":
                return ALLOWED
            case "get" | "update" | "patch" | "delete":
                return await self._related(node, asked)
            case "watch" | "list" | "deletecollection":
                if _selects(asked, node):
                    return ALLOWED
                return _because("can only list/watch/deletecollection resourceslices with nodeName field selector")
        return _because(
            "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, "
            "delete, deletecollection"
        )

    async def _pod_certificate_request(self, node: str, asked: Attributes) -> Decision:
        if asked.subresource:
            return _because("nodes may not access the status subresource of PodCertificateRequests")
        match asked.verb:
            case "create":
                return ALLOWED
            case "get":
                return await self._related(node, asked)
            case "list" | "watch":
                if _selects(asked, node):
                    return ALLOWED
                return _because("can only list/watch podcertificaterequests with nodeName field selector")
        return _because(f"nodes may not {asked.verb} podcertificaterequests")

    async def _node(self, node: str, asked: Attributes) -> Decision:
        """Admission sees to it that a node writes itself only."""
        match asked.subresource, asked.verb:
            case ("", "create" | "update" | "patch") | ("status", "update" | "patch"):
                return ALLOWED
            case "", "get" | "list" | "watch":
                if asked.name == node:
                    return ALLOWED
                others = f"'{asked.name}'" if asked.name else "all nodes"
                return _because(f"node '{node}' cannot read {others}, only its own Node object")
        return NO_OPINION

    async def _pod(self, node: str, asked: Attributes) -> Decision:
        """Admission sees to it that a node makes mirror pods only, and touches none that is not on it."""
        match asked.subresource, asked.verb:
            case "", "get":
                return await self._get(node, asked)
            case "", "list" | "watch":
                if _selects(asked, node):
                    return ALLOWED
                if asked.name:
                    return await self._related(node, asked)
                return _because("can only list/watch pods with spec.nodeName field selector")
            case ("", "create" | "delete") | ("status", "update" | "patch") | ("eviction", "create"):
                return ALLOWED
        return NO_OPINION


def _selects(asked: Attributes, node: str) -> bool:
    """Only what is on this node."""
    try:
        selector = fields.parse(asked.field_selector)
    except fields.InvalidSelector:
        return False
    return fields.Requirement("spec.nodeName", fields.EQUALS, node) in selector.requirements


def _because(reason: str) -> Decision:
    return Decision(Verdict.NO_OPINION, reason)
