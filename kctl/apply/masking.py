"""Secrets in a diff: that they differ may be seen, what they are may not. Kubernetes: Masker in cmd/diff."""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject

_SAME, _BEFORE, _AFTER = "***", "*** (before)", "*** (after)"


def masked(before: JSONObject | None, after: JSONObject) -> tuple[JSONObject | None, JSONObject]:
    """Copies without the values of `data`."""
    old: JSONObject = (before or {}).get("data") or {}
    new: JSONObject = after.get("data") or {}
    left, right = {}, {}
    for key in {**old, **new}:
        differs = key in old and key in new and old[key] != new[key]
        left[key], right[key] = (_BEFORE, _AFTER) if differs else (_SAME, _SAME)
    return (
        None if before is None else _with_data(before, {key: left[key] for key in old}),
        _with_data(after, {key: right[key] for key in new}),
    )


def _with_data(obj: JSONObject, data: JSONObject) -> JSONObject:
    return {**obj, "data": data} if obj.get("data") is not None else obj
