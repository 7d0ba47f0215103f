"""Plugins asked about one write, with other objects in a dictionary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from localplane.apimachinery.groups import GroupResource, GroupVersionKind
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.admission import Attributes, MutatingPlugin, Operation, ValidatingPlugin
from localplane.apiserver.request import User

KINDS = {
    "pods": "Pod",
    "namespaces": "Namespace",
    "persistentvolumeclaims": "PersistentVolumeClaim",
    "deployments.apps": "Deployment",
    "ingresses.networking.k8s.io": "Ingress",
    "priorityclasses.scheduling.k8s.io": "PriorityClass",
    "configmaps": "ConfigMap",
    "services": "Service",
}


class Objects:
    """What plugins ask for others with: lists by the name of the resource."""

    def __init__(self, objects: Mapping[str, Sequence[JSONObject]]) -> None:
        self._objects = objects

    def cached(self) -> Objects:
        return self

    async def get(self, resource: str, namespace: str, name: str) -> JSONObject | None:
        return next((each for each in await self.list(resource, namespace) if each["metadata"]["name"] == name), None)

    async def list(self, resource: str, namespace: str = "") -> list[JSONObject]:
        found = self._objects.get(resource, ())
        return [each for each in found if each["metadata"].get("namespace", "") == namespace or not namespace]


def asked(
    resource: str,
    obj: JSONObject,
    old: JSONObject | None = None,
    *,
    subresource: str = "",
    namespace: str = "ns",
) -> Attributes:
    """About a create, or about an update if there is an old object."""
    plural, _, group = resource.partition(".")
    return Attributes(
        operation=Operation.CREATE if old is None else Operation.UPDATE,
        kind=GroupVersionKind(group, "v1", KINDS[resource]),
        resource=GroupResource(group, plural),
        subresource=subresource,
        namespace=namespace,
        name=obj["metadata"].get("name", ""),
        object=obj,
        old_object=old,
        user=User("jane"),
    )


async def admitted(plugin: Any, attributes: Attributes, **objects: Sequence[JSONObject]) -> JSONObject:
    """The object after all that the plugin does to it. Keywords are resources, with `__` for a slash."""
    named = {name.replace("__", "/").replace("_", "."): found for name, found in objects.items()}
    if hasattr(plugin, "initialize"):
        plugin.initialize(SimpleNamespace(objects=Objects(named), client=None, authorizer=None))
    if not plugin.concerns(attributes.operation, attributes.resource):
        raise AssertionError(f"{plugin.name} has no say in this")
    if isinstance(plugin, MutatingPlugin):
        await plugin.admit(attributes)
    if isinstance(plugin, ValidatingPlugin):
        await plugin.validate(attributes)
    assert attributes.object is not None
    return attributes.object


def pod(name: str = "p", *, metadata: JSONObject | None = None, **spec: Any) -> JSONObject:
    spec.setdefault("containers", [{"name": "c", "image": "i"}])
    return {"metadata": {"name": name, "namespace": "ns", **(metadata or {})}, "spec": spec}


def named(name: str, *, namespace: str = "", **rest: Any) -> JSONObject:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {}), **rest.pop("metadata", {})}
    return {"metadata": metadata, **rest}
