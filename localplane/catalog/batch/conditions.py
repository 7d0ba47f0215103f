"""The conditions of a job."""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject


def has(status: JSONObject, kind: str, value: str) -> bool:
    return any(each.get("type") == kind and each.get("status") == value for each in status.get("conditions") or ())


def is_true(status: JSONObject, kind: str) -> bool:
    return has(status, kind, "True")


def is_finished(status: JSONObject) -> bool:
    return is_true(status, "Complete") or is_true(status, "Failed")
