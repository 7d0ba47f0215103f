"""Handing fields over from client-side to server-side apply."""

from __future__ import annotations

from typing import Any

from kctl.changes.apply import migration as migrating

_ANNOTATION: dict[str, Any] = {
    "f:metadata": {"f:annotations": {"f:kubectl.kubernetes.io/last-applied-configuration": {}}}
}


def _entry(manager: str, operation: str, **fields: Any) -> dict[str, Any]:
    return {
        "manager": manager,
        "operation": operation,
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }


def _object(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"metadata": {"resourceVersion": "7", "managedFields": list(entries)}}


def test_who_owns_the_annotation_applied_by_itself() -> None:
    obj = _object(_entry("a", "Update", **_ANNOTATION), _entry("b", "Apply", **_ANNOTATION), _entry("c", "Update"))
    assert [entry["manager"] for entry in migrating.owners_of_annotation(obj, "Update")] == ["a"]


def test_its_fields_become_part_of_what_the_server_applied() -> None:
    obj = _object(
        _entry("client", "Update", **{"f:data": {"f:a": {}}}), _entry("kctl", "Apply", **{"f:data": {"f:b": {}}})
    )
    assert migrating.migration(obj, {"client"}, "kctl") == [
        {
            "op": "replace",
            "path": "/metadata/managedFields",
            "value": [_entry("kctl", "Apply", **{"f:data": {"f:a": {}, "f:b": {}}})],
        },
        {"op": "replace", "path": "/metadata/resourceVersion", "value": "7"},
    ]


def test_without_an_entry_of_the_server_the_clients_is_renamed() -> None:
    patch = migrating.migration(_object(_entry("client", "Update")), {"client"}, "kctl")
    assert patch is not None
    assert patch[0]["value"] == [_entry("kctl", "Apply")]


def test_a_subresource_and_other_managers_are_left_alone() -> None:
    obj = _object({**_entry("client", "Update"), "subresource": "status"}, _entry("else", "Update"))
    assert migrating.migration(obj, {"client"}, "kctl") is None
