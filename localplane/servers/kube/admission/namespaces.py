"""NamespaceLifecycle: nothing is created in a namespace that is not there or on its way out, and some never go.

Kubernetes: apiserver/pkg/admission/plugin/namespace/lifecycle.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from localplane.apimachinery.errors import AlreadyExists, APIError, Cause, Forbidden, NotFound
from localplane.apimachinery.groups import GroupResource
from localplane.apiserver.admission import Attributes, Operation
from localplane.apiserver.storage.cacher.storage import CachedStorage
from localplane.client import Client, GroupVersionResource

from .plugin import LookingPlugin, refused

_IMMORTAL: Final = frozenset({"default", "kube-system", "kube-public"})
_NAMESPACES: Final = GroupResource("", "namespaces")
_ACCESS_REVIEWS: Final = "authorization.k8s.io"
_OPEN: Final = "namespace.is_open"


class NamespaceLifecycle(LookingPlugin):
    name = "NamespaceLifecycle"
    operations = (Operation.CREATE, Operation.DELETE)

    def initialize(self, provided: Any) -> None:
        self.objects = provided.objects

    def concerns(self, operation: Operation, resource: GroupResource) -> bool:
        return operation is Operation.CREATE or resource == _NAMESPACES

    async def admit(self, attributes: Attributes) -> None:
        if attributes.kind.group == "" and attributes.kind.kind == "Namespace":
            if attributes.operation is Operation.DELETE and attributes.name in _IMMORTAL:
                raise Forbidden.of(_NAMESPACES, attributes.name, "this namespace may not be deleted")
            return
        if attributes.operation is Operation.DELETE or not attributes.namespace:
            return
        if attributes.kind.group == _ACCESS_REVIEWS:
            return  # whether a namespace is there is nothing that they may tell
        namespace = await self.objects.get("namespaces", "", attributes.namespace)
        if namespace is None:
            raise NotFound.of(_NAMESPACES, attributes.namespace)
        if _is_terminating(namespace):
            raise _terminating(attributes)

    def may_enter(self, namespace: str) -> bool:
        """A webhook may have held the request back until its namespace was gone."""
        definition = self.objects.definition("namespaces")
        if not isinstance(definition.storage, CachedStorage):
            return True
        stored = definition.storage.peek(definition.prefix + namespace)
        if stored is None:
            return False
        memo = stored.memo = {} if stored.memo is None else stored.memo
        if _OPEN not in memo:
            memo[_OPEN] = not _is_terminating(stored.decode())
        is_open: bool = memo[_OPEN]
        return is_open


def _is_terminating(namespace: dict[str, Any]) -> bool:
    return bool((namespace.get("status") or {}).get("phase") == "Terminating")


def _terminating(attributes: Attributes) -> Forbidden:
    namespace = attributes.namespace
    why = f"unable to create new content in namespace {namespace} because it is being terminated"
    refusal = refused(attributes, why)
    cause = Cause("NamespaceTerminating", f"namespace {namespace} is being terminated", "metadata.namespace")
    refusal.causes = (*refusal.causes, cause)
    return refusal


# NamespaceExists: nothing is written in a namespace that is not there. Off unless asked for: NamespaceLifecycle says
# the same of what is created. Kubernetes: plugin/pkg/admission/namespace/exists.


class NamespaceExists(LookingPlugin):
    name = "NamespaceExists"
    operations = (Operation.CREATE, Operation.UPDATE, Operation.DELETE)

    async def validate(self, attributes: Attributes) -> None:
        is_namespace = attributes.kind.group == "" and attributes.kind.kind == "Namespace"
        if not attributes.namespace or is_namespace:
            return
        if await self.objects.get("namespaces", "", attributes.namespace) is None:
            raise NotFound.of(_NAMESPACES, attributes.namespace)


# NamespaceAutoProvision: whoever creates something makes its namespace too. Off unless asked for.
#
# Kubernetes: plugin/pkg/admission/namespace/autoprovision.

_PROVISIONED: Final = GroupVersionResource("", "v1", "namespaces")


class NamespaceAutoProvision(LookingPlugin):
    name = "NamespaceAutoProvision"
    operations = (Operation.CREATE,)
    client: Client

    def initialize(self, provided: Any) -> None:
        super().initialize(provided)
        self.client = provided.client

    async def admit(self, attributes: Attributes) -> None:
        name = attributes.namespace
        is_namespace = attributes.kind.group == "" and attributes.kind.kind == "Namespace"
        if attributes.dry_run or not name or is_namespace:
            return
        if await self.objects.get("namespaces", "", name) is not None:
            return
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        try:
            with suppress(AlreadyExists):
                await self.client.resource(_PROVISIONED).create(namespace)
        except APIError as error:
            raise refused(attributes, error.message) from error
