"""What most plugins have in common: they look at other objects."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar

from localplane.apiserver.admission import Attributes, Operation
from localplane.apiserver.registry.lookup import Lookup


class LookingPlugin:
    """`name` and `operations` are the plugin's; `objects` is there once the server is."""

    name: ClassVar[str]
    operations: ClassVar[Collection[Operation]]
    objects: Lookup

    def initialize(self, provided: Any) -> None:
        self.objects = provided.objects


def writes(attributes: Attributes, resource: str, *, subresource: str = "") -> bool:
    """Whether a write is to this resource (`pods`, `networking.k8s.io/ingresses`) and no other subresource of it."""
    group, _, plural = resource.rpartition("/")
    found = attributes.resource
    return found.resource == plural and found.group == group and attributes.subresource == subresource
