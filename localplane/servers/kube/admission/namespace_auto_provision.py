"""NamespaceAutoProvision: whoever creates something makes its namespace too. Off unless asked for.

Kubernetes: plugin/pkg/admission/namespace/autoprovision.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from localplane.apimachinery.errors import AlreadyExists, APIError
from localplane.apiserver.admission import Attributes, Operation
from localplane.client import Client, GroupVersionResource

from .plugin import LookingPlugin, refused

_NAMESPACES: Final = GroupVersionResource("", "v1", "namespaces")


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
                await self.client.resource(_NAMESPACES).create(namespace)
        except APIError as error:
            raise refused(attributes, error.message) from error
