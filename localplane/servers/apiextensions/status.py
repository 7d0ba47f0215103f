"""The status of a definition: its conditions, and how the server writes them, past admission and as fast as storage is.

Kubernetes: pkg/apihelpers, SetCRDCondition and its neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

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


def condition(type_: str, status: str, reason: str, message: str) -> JSONObject:
    return {"type": type_, "status": status, "reason": reason, "message": message}


def find(obj: Mapping[str, Any], type_: str) -> JSONObject | None:
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return next((each for each in conditions if each.get("type") == type_), None)


def is_true(obj: Mapping[str, Any], type_: str) -> bool:
    found = find(obj, type_)
    return found is not None and found.get("status") == "True"


def set_condition(obj: JSONObject, new: JSONObject) -> None:
    """The time is that of the last change of the status, not of its reasons."""
    status = obj.setdefault("status", {})
    known = find(obj, new["type"])
    if known is None:
        status["conditions"] = [*(status.get("conditions") or ()), _ordered(new, now())]
        return
    changed = known.get("status") != new["status"] or not known.get("lastTransitionTime")
    since = now() if changed else known["lastTransitionTime"]
    known.update(_ordered(new, since))


def remove_condition(obj: JSONObject, type_: str) -> None:
    status = obj.get("status") or {}
    status["conditions"] = [each for each in status.get("conditions") or () if each.get("type") != type_]


def same(one: JSONObject | None, other: JSONObject | None) -> bool:
    """Apart from their times."""
    if one is None or other is None:
        return one is other
    return all(one.get(key) == other.get(key) for key in ("type", "status", "reason", "message"))


def _ordered(new: JSONObject, since: str) -> JSONObject:
    return {
        "type": new["type"],
        "status": new["status"],
        "lastTransitionTime": since,
        "reason": new["reason"],
        "message": new["message"],
    }
