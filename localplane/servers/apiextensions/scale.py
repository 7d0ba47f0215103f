"""Scale: the number of replicas of a custom resource, wherever its definition says that it is.

Kubernetes: pkg/registry/customresource/etcd.go, ScaleREST.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from localplane.apimachinery.errors import BadRequest, InternalError
from localplane.apimachinery.gotext import go_quote
from localplane.apimachinery.groups import GroupVersion
from localplane.apimachinery.managedfields.scale import ReplicasPaths, ScaleManagers
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apiserver.registry import reads
from localplane.apiserver.registry import update as updates
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.metadata import set_or_drop
from localplane.apiserver.registry.rest import (
    Result,
    Update,
    Updated,
    UpdatedObject,
)
from localplane.apiserver.request import Request
from localplane.apiserver.resource import Subresource
from localplane.apiserver.storage.objects import StoredObject
from localplane.catalog import schemas
from localplane.catalog.scaling import SCALE_COLUMNS

from .nested import WrongKind, elements, nested_integer, nested_text, set_nested

_KEPT: Final = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


def scale_subresource(declared: Mapping[str, str], paths: ReplicasPaths) -> Subresource:
    """`paths` lead to the replicas in each version of the resource."""
    return Subresource(
        lambda definition: CustomScale(definition, declared, paths),
        kind="Scale",
        group_version=GroupVersion("autoscaling", "v1"),
        schema=schemas.schema("autoscaling/v1.Scale"),
        columns=SCALE_COLUMNS,
    )


def replicas_path(subresources: Mapping[str, Any] | None) -> tuple[str, ...] | None:
    scale = (subresources or {}).get("scale")
    return tuple(f"f:{name}" for name in elements(scale["specReplicasPath"])) if scale else None


class CustomScale:
    """get, update and patch."""

    def __init__(self, definition: Definition, declared: Mapping[str, str], paths: ReplicasPaths) -> None:
        self._definition = definition
        self._declared = declared
        self._paths = paths

    async def get(self, request: Request, name: str, *, resource_version: str = "") -> Result:
        found = await reads.get(self._definition, request, name, resource_version=resource_version)
        obj = self._hub(found)
        scale = self._scale(obj, InternalError.of)
        if self._replicas(obj, InternalError.of) is None:
            path = self._declared["specReplicasPath"]
            raise InternalError.of(f"the spec replicas field {go_quote(path)} does not exist")
        return scale

    async def update(self, request: Request, update: Update) -> Updated:
        async def scaled(parent: JSONObject) -> JSONObject:
            return await self._scaled(request, parent, update.changed)

        async def admit(obj: JSONObject, old: JSONObject) -> None:
            if update.validate_update is not None:
                await update.validate_update(self._scale(obj, InternalError.of), self._scale(old, InternalError.of))

        scaling = Update(update.name, scaled, validate_update=admit, options=update.options)
        done = await updates.update(self._definition, request, scaling)
        return Updated(self._scale(self._hub(done.result), BadRequest), created=False)

    async def _scaled(self, request: Request, parent: JSONObject, updated: UpdatedObject) -> JSONObject:
        """From the live object to its scale, to what the client makes of that, and back to the object."""
        api_version = f"{request.info.group}/{request.info.version}"
        managers = ScaleManagers(parent["metadata"].get("managedFields"), api_version, self._paths)
        old = self._scale(parent, InternalError.of)
        if self._replicas(parent, InternalError.of) is None:
            old["spec"] = {}
        set_or_drop(old["metadata"], "managedFields", managers.of_scale())
        scale = await updated(old)
        replicas = (scale.get("spec") or {}).get("replicas")
        if replicas is None and self._replicas(parent, InternalError.of) is None:
            path = self._declared["specReplicasPath"]
            raise BadRequest(f"the spec replicas field {go_quote(path)} cannot be empty")
        obj: JSONObject = copied(parent)
        try:
            set_nested(obj, self._declared["specReplicasPath"], replicas or 0)
        except WrongKind as error:
            raise InternalError.of(str(error)) from error
        given = scale.get("metadata") or {}
        if given.get("resourceVersion"):
            obj["metadata"]["resourceVersion"] = given["resourceVersion"]
        set_or_drop(obj["metadata"], "managedFields", managers.of_parent(given.get("managedFields")))
        return obj

    def _replicas(self, obj: JSONObject, raised: Callable[[str], Exception]) -> int | None:
        try:
            return nested_integer(obj, self._declared["specReplicasPath"])
        except WrongKind as error:
            raise raised(str(error)) from error

    def _scale(self, obj: JSONObject, raised: Callable[[str], Exception]) -> JSONObject:
        metadata, replicas = obj["metadata"], self._replicas(obj, raised)
        try:
            status: JSONObject = {"replicas": nested_integer(obj, self._declared["statusReplicasPath"]) or 0}
            selector = self._declared.get("labelSelectorPath")
            if selector and (text := nested_text(obj, selector)):
                status["selector"] = text
        except WrongKind as error:
            raise raised(str(error)) from error
        return {
            "kind": "Scale",
            "apiVersion": "autoscaling/v1",
            "metadata": {name: metadata[name] for name in _KEPT if name in metadata},
            "spec": {"replicas": replicas} if replicas else {},
            "status": status,
        }

    def _hub(self, result: Result) -> JSONObject:
        return self._definition.converter.hub_of(result) if isinstance(result, StoredObject) else result
