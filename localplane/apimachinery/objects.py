"""What an object of the API is in memory: its JSON, as dictionaries."""

from __future__ import annotations

from localplane.apimachinery.light_typing import Any

JSONObject = dict[str, Any]


def sorted_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: sorted_keys(value[key]) for key in sorted(value)}
    return [sorted_keys(item) for item in value] if isinstance(value, list) else value
