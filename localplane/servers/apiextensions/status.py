"""Writing what the server has to say of a definition, as the server: past admission, and as fast as storage is."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

from localplane.apimachinery.groups import GroupVersion
from localplane.apimachinery.managedfields import FieldManager
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import now
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.metadata import set_or_drop
from localplane.apiserver.storage.objects import StoredObject
from localplane.catalog import schemas

Change = Callable[[JSONObject], JSONObject | None]
"""From a definition to the status that it should have; None if that is what it has. May run more than once."""

_VERSION: Final = GroupVersion("apiextensions.k8s.io", "v1")
_KIND: Final = "CustomResourceDefinition"
_MANAGER: Final = "kube-apiserver"


async def write_status(definition: Definition, name: str, change: Change) -> StoredObject:
    """The definition as it is then. Raises StorageError."""
    converter = definition.converter

    async def step(current: JSONObject) -> JSONObject:
        obj = converter.from_storage(current)
        status = change(obj)
        if status is not None:
            _put(obj, status)
        return converter.to_storage(obj)

    return await definition.storage.guaranteed_update(definition.key("", name), step)


def _put(obj: JSONObject, status: JSONObject) -> None:
    """The spec is left out of sight: it is large, and its owners stay as they are."""
    named = {"apiVersion": str(_VERSION), "kind": _KIND, "metadata": obj["metadata"]}
    before, after = {**named, "status": obj.get("status") or {}}, {**named, "status": status}
    managed = _field_manager().update(before, after, manager=_MANAGER, now=now())
    obj["status"] = status
    set_or_drop(obj["metadata"], "managedFields", managed["metadata"].get("managedFields"))


@cache
def _field_manager() -> FieldManager:
    schema = schemas.schema("apiextensions/v1.CustomResourceDefinition")
    return FieldManager(schema, _VERSION, _KIND, subresource="status")
