"""Fields that clients own by applying themselves, handed over to server-side apply.

Kubernetes: client-go/util/csaupgrade.
"""

from __future__ import annotations

from collections.abc import Collection

from kctl.changes.apply import last_applied
from localplane.apimachinery.managedfields import fieldset
from localplane.apimachinery.objects import JSONObject, sorted_keys

_FIELDS = ("manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource")


def owners_of_annotation(obj: JSONObject, operation: str) -> list[JSONObject]:
    """The managers, of an operation, that own the annotation of client-side apply."""
    return [
        entry
        for entry in _entries(obj)
        if entry.get("operation") == operation and _owns_annotation(entry.get("fieldsV1") or {})
    ]


_FORMER_MANAGER = "kctl-client-side-apply"
"""Who client-side apply was before kctl took over kubectl's names: of what was applied since, it still owns a part."""


def former_managers(obj: JSONObject) -> set[str]:
    """Who applied on a client's side until now."""
    owners = {str(owner.get("manager", "")) for owner in owners_of_annotation(obj, "Update")}
    return owners | {_FORMER_MANAGER for entry in _entries(obj) if _is(entry, _FORMER_MANAGER, "Update")}


def _entries(obj: JSONObject) -> list[JSONObject]:
    return list((obj.get("metadata") or {}).get("managedFields") or ())


def _owns_annotation(fields: JSONObject) -> bool:
    annotations = (fields.get("f:metadata") or {}).get("f:annotations") or {}
    return f"f:{last_applied.ANNOTATION}" in annotations


def migration(obj: JSONObject, managers: Collection[str], to: str) -> list[JSONObject] | None:
    """The JSON patch that makes what these managers updated what `to` applied; None if there is nothing to do."""
    before = _entries(obj)
    after = before
    for manager in sorted(managers):
        after = _moved(after, manager, to)
    if after == before:
        return None
    version = (obj.get("metadata") or {}).get("resourceVersion", "")
    return [
        {"op": "replace", "path": "/metadata/managedFields", "value": [_in_order(entry) for entry in after]},
        {"op": "replace", "path": "/metadata/resourceVersion", "value": version},
    ]


def _in_order(entry: JSONObject) -> JSONObject:
    """As Go writes it: a struct."""
    return {name: sorted_keys(entry[name]) for name in _FIELDS if name in entry}


def _moved(entries: list[JSONObject], manager: str, to: str) -> list[JSONObject]:
    moved = [dict(entry) for entry in entries]
    target = next((entry for entry in moved if _is(entry, to, "Apply")), None)
    if target is None:
        target = next((entry for entry in moved if _is(entry, manager, "Update")), None)
        if target is None:
            return entries
        target |= {"operation": "Apply", "manager": to}
    version = target.get("apiVersion")
    source = next((one for one in moved if _is(one, manager, "Update") and one.get("apiVersion") == version), None)
    if source is not None:
        target["fieldsV1"] = fieldset.union(target.get("fieldsV1") or {}, source.get("fieldsV1") or {})
    return [entry for entry in moved if not _is(entry, manager, "Update")]


def _is(entry: JSONObject, manager: str, operation: str) -> bool:
    return entry.get("manager") == manager and entry.get("operation") == operation and not entry.get("subresource")
