"""What most plugins have in common: they are about a few resources, look at other objects, and refuse in one way."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar, Final

from localplane.apimachinery.errors import Forbidden
from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.admission import Attributes, Operation
from localplane.apiserver.registry.lookup import Lookup

PODS: Final = GroupResource("", "pods")
CLAIMS: Final = GroupResource("", "persistentvolumeclaims")
WRITES: Final = (Operation.CREATE, Operation.UPDATE)


class SelectivePlugin:
    """About some resources, whatever else is written. `name` and `operations` are the plugin's."""

    name: ClassVar[str]
    operations: ClassVar[Collection[Operation]]
    resources: ClassVar[Collection[GroupResource]]

    def concerns(self, operation: Operation, resource: GroupResource) -> bool:
        return resource in self.resources


class LookingPlugin:
    """`objects` is there once the server is. They are read without waiting: NamespaceLifecycle, which is asked first
    about everything that is created, has waited for all that was written before."""

    name: ClassVar[str]
    operations: ClassVar[Collection[Operation]]
    objects: Lookup

    def initialize(self, provided: Any) -> None:
        self.objects = provided.objects.cached()


def written(attributes: Attributes) -> JSONObject:
    """The object of a create or an update."""
    assert attributes.object is not None, "only a deletion has none"
    return attributes.object


def metadata(obj: JSONObject) -> JSONObject:
    found: JSONObject = obj.setdefault("metadata", {})
    return found


def spec(obj: JSONObject) -> JSONObject:
    found: JSONObject = obj.setdefault("spec", {})
    return found


def annotations_of(obj: JSONObject) -> dict[str, str]:
    """To look at: what is not there is empty."""
    return (obj.get("metadata") or {}).get("annotations") or {}


def refused(attributes: Attributes, why: str) -> Forbidden:
    """In the words of every plugin. What has no name yet goes by the beginning of the one it will have.
    Kubernetes: apiserver/pkg/admission, NewForbidden."""
    name = attributes.name
    if not name:
        given = (attributes.object or {}).get("metadata") or {}
        name = given.get("name") or given.get("generateName") or "Unknown"
    return Forbidden.of(attributes.resource, name, why)


def aggregated(problems: list[str]) -> str:
    """Several in one, as Go's aggregate prints them: each once, in brackets if there are more than one."""
    distinct = list(dict.fromkeys(problems))
    return distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]"
