"""Scale: the one number that autoscalers and `kubectl scale` change, under the name of any kind that has replicas.

The kinds declare it as their subresource `scale`. It reads and writes the object itself, as an autoscaling/v1 Scale.
Kubernetes: pkg/registry/apps/deployment/storage, ScaleREST, and its siblings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from localplane.apimachinery.errors import BadRequest, Conflict, Invalid
from localplane.apimachinery.fieldpath import Path
from localplane.apimachinery.groups import GroupKind, GroupResource
from localplane.apimachinery.labels import InvalidSelector, from_labels
from localplane.apimachinery.managedfields.scale import ScaleManagers
from localplane.apimachinery.objectmeta import METADATA, validate_managed_fields
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apimachinery.times import age
from localplane.apiserver.endpoints.table import ABOUT_CREATION, ABOUT_NAME
from localplane.apiserver.registry import reads
from localplane.apiserver.registry import update as updates
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.rest import (
    Result,
    Update,
    Updated,
    UpdatedObject,
)
from localplane.apiserver.request import Request
from localplane.apiserver.resource import Column
from localplane.apiserver.storage.objects import StoredObject

from .validation.selectors import selector_of
from .validation.values import not_negative

_KIND = GroupKind("autoscaling", "Scale")
_REPLICAS = ("f:spec", "f:replicas")
_KEPT = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


def label_selector(selector: Any) -> str:
    """A selector of labels and expressions, as text. Raises BadRequest if it is none."""
    try:
        return str(selector_of(selector) or "")
    except InvalidSelector as error:
        raise BadRequest(str(error)) from error


def plain_labels(selector: Any) -> str:
    """A selector that is just labels, as text."""
    return str(from_labels(selector or {}))


def scale_of(*api_versions: str, selector: Callable[[Any], str] = label_selector) -> Callable[[Definition], ScaleStore]:
    """The storage of a kind's scale. `api_versions` are those in which managers may have written its replicas;
    `selector` makes a text of the kind's spec.selector."""
    return lambda definition: ScaleStore(definition, api_versions, selector)


class ScaleStore:
    """get, update and patch."""

    def __init__(self, definition: Definition, api_versions: tuple[str, ...], selector: Callable[[Any], str]) -> None:
        self._definition = definition
        self._selector = selector
        self._paths = dict.fromkeys(api_versions, _REPLICAS)

    async def get(self, request: Request, name: str, *, resource_version: str = "") -> Result:
        found = await reads.get(self._definition, request, name, resource_version=resource_version)
        return self._scale(self._hub(found))

    async def update(self, request: Request, update: Update) -> Updated:
        async def scaled(parent: JSONObject) -> JSONObject:
            return await self._scaled(request, parent, update.changed)

        async def admit(obj: JSONObject, old: JSONObject) -> None:
            if update.validate_update is not None:
                await update.validate_update(self._scale(obj), self._scale(old))

        scaling = Update(update.name, scaled, validate_update=admit, options=update.options)
        done = await updates.update(self._definition, request, scaling)
        return Updated(self._scale(self._hub(done.result)), created=False)

    async def _scaled(self, request: Request, parent: JSONObject, updated: UpdatedObject) -> JSONObject:
        """From the live object to its scale, to what the client makes of that, and back to the object."""
        api_version = f"{request.info.group}/{request.info.version}".lstrip("/")
        managers = ScaleManagers(parent["metadata"].get("managedFields"), api_version, self._paths)
        old = self._scale(parent)
        if entries := managers.of_scale():
            old["metadata"]["managedFields"] = entries
        scale = await updated(old)
        self._check(scale, parent["metadata"])
        obj: JSONObject = copied(parent)
        obj["spec"]["replicas"] = (scale.get("spec") or {}).get("replicas") or 0
        metadata, given = obj["metadata"], scale.get("metadata") or {}
        metadata["resourceVersion"] = given.get("resourceVersion", "")
        if owners := managers.of_parent(given.get("managedFields")):
            metadata["managedFields"] = owners
        else:
            metadata.pop("managedFields", None)
        return obj

    def _check(self, scale: JSONObject, parent: JSONObject) -> None:
        name, metadata = parent.get("name", ""), scale.get("metadata") or {}
        errors = [
            *validate_managed_fields(metadata.get("managedFields"), METADATA / "managedFields"),
            *not_negative((scale.get("spec") or {}).get("replicas"), Path("spec") / "replicas"),
        ]
        if errors:
            raise Invalid.of(_KIND, name, errors)
        given, live = metadata.get("uid") or "", parent.get("uid", "")
        if given and given != live:
            resource = self._definition.resource
            where = GroupResource(resource.group, f"{resource.resource}/scale")
            why = f"Precondition failed: UID in precondition: {given}, UID in object meta: {live}"
            raise Conflict.of(where, name, why)

    def _scale(self, obj: JSONObject) -> JSONObject:
        """The scale of an object."""
        spec, metadata = obj.get("spec") or {}, obj["metadata"]
        status: JSONObject = {"replicas": (obj.get("status") or {}).get("replicas") or 0}
        if selector := self._selector(spec.get("selector")):
            status["selector"] = selector
        return {
            "kind": "Scale",
            "apiVersion": "autoscaling/v1",
            "metadata": {name: metadata[name] for name in _KEPT if name in metadata},
            "spec": {"replicas": spec["replicas"]} if spec.get("replicas") else {},
            "status": status,
        }

    def _hub(self, result: Result) -> JSONObject:
        return self._definition.converter.hub_of(result) if isinstance(result, StoredObject) else result


def _replicas(part: str) -> Callable[[JSONObject], int]:
    return lambda scale: (scale.get(part) or {}).get("replicas") or 0


SCALE_COLUMNS: Final = (
    Column("Name", lambda scale: scale["metadata"].get("name", ""), description=ABOUT_NAME),
    Column(
        "Desired",
        _replicas("spec"),
        type="integer",
        description="replicas is the desired number of instances for the scaled object.",
    ),
    Column(
        "Available",
        _replicas("status"),
        type="integer",
        description="replicas is the actual number of observed instances of the scaled object.",
    ),
    Column("Age", lambda scale: age(scale["metadata"].get("creationTimestamp")), description=ABOUT_CREATION),
)
"""Kubernetes: pkg/printers/internalversion, printScale."""
