"""NamespaceExists: nothing is written in a namespace that is not there. Off unless asked for: NamespaceLifecycle says
the same of what is created. Kubernetes: plugin/pkg/admission/namespace/exists.
"""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.groups import GroupResource
from localplane.apiserver.admission import Attributes, Operation

from .plugin import LookingPlugin

_NAMESPACES: Final = GroupResource("", "namespaces")


class NamespaceExists(LookingPlugin):
    name = "NamespaceExists"
    operations = (Operation.CREATE, Operation.UPDATE, Operation.DELETE)

    async def validate(self, attributes: Attributes) -> None:
        is_namespace = attributes.kind.group == "" and attributes.kind.kind == "Namespace"
        if not attributes.namespace or is_namespace:
            return
        if await self.objects.get("namespaces", "", attributes.namespace) is None:
            raise NotFound.of(_NAMESPACES, attributes.namespace)
