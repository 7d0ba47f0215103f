"""Words for types that bring none along: whoever composes a server may know what their fields mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from localplane.apimachinery.objects import JSONObject

Descriptions = Mapping[str, Mapping[str, str]]
"""By a definition's name its fields' descriptions, and its own under the empty name. Under the empty name of a
definition: what every kind's fields mean."""


def with_descriptions(schema: JSONObject, name: str, described: Descriptions, *, v2: bool) -> JSONObject:
    """A copy that says more. What a schema says itself stays."""
    words = described.get(name)
    every = described.get("", {}) if name.startswith("io.k8s.") and _is_kind(schema) else {}
    if not words and not every:
        return schema
    words = {**every, **(words or {})}
    found = dict(schema)
    if (text := words.get("")) and "description" not in schema:
        found = {"description": text, **found}
    properties = found.get("properties")
    if properties:
        found["properties"] = {
            field: _with_description(each, words.get(field, ""), v2=v2) for field, each in properties.items()
        }
    return found


def _is_kind(schema: JSONObject) -> bool:
    return "x-kubernetes-group-version-kind" in schema


def _with_description(schema: Any, text: str, *, v2: bool) -> Any:
    if not text or "description" in schema:
        return schema
    if "$ref" in schema and not v2:
        return {"description": text, "allOf": [schema]}  # beside a reference nothing else counts in v3
    return {"description": text, **schema}
