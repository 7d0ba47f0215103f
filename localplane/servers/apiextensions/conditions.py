"""The conditions of a definition. Kubernetes: pkg/apihelpers, SetCRDCondition and its neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import now


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
