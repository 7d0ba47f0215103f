"""Definitions to judge."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from localplane.apimachinery.objects import JSONObject

_GOOD: JSONObject = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.example.com", "uid": "1", "resourceVersion": "1", "generation": 1},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
        "versions": [
            {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
        ],
        "conversion": {"strategy": "None"},
    },
    "status": {"storedVersions": ["v1"]},
}


def good(**spec: Any) -> JSONObject:
    """A definition without faults, but for these parts of its spec."""
    obj = deepcopy(_GOOD)
    obj["spec"].update(spec)
    return obj


def with_schema(schema: JSONObject, **version: Any) -> JSONObject:
    obj = good()
    obj["spec"]["versions"][0].update({"schema": {"openAPIV3Schema": schema}, **version})
    return obj


def with_properties(**properties: JSONObject) -> JSONObject:
    return with_schema({"type": "object", "properties": properties})
