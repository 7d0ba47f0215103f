"""Schemas for patches out of a server's OpenAPI v3 documents, reduced to what merging asks for: small enough to keep.

    kept = reduced(document)              JSON of a tenth of the size
    node = node_of(kept, "Deployment")    None where the server does not merge strategically

Kubernetes: strategicpatch.PatchMetaFromOpenAPIV3, and gvkSupportsPatchOpenAPIV3 in kubectl/pkg/cmd/apply/patcher.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema import Node, Property

_STRATEGIC: Final = "application/strategic-merge-patch+json"
_KIND: Final = "x-kubernetes-group-version-kind"
_PREFIX: Final = "#/components/schemas/"


def reduced(document: Mapping[str, Any], group: str, version: str) -> JSONObject:
    """`kinds` that merge strategically, each with the name of its schema; `schemas`, only those that are needed."""
    schemas = (document.get("components") or {}).get("schemas") or {}
    mergeable = _mergeable(document, group, version)
    kinds = {}
    for name, schema in schemas.items():
        for kind in schema.get(_KIND) or ():
            if (kind.get("group"), kind.get("version")) == (group, version) and kind.get("kind") in mergeable:
                kinds[kind["kind"]] = name
    kept: JSONObject = {}
    waiting = list(kinds.values())
    while waiting:
        name = waiting.pop()
        if name in kept:
            continue
        kept[name] = _reduced(schemas.get(name) or {})
        waiting += _references(kept[name])
    return {"kinds": kinds, "schemas": kept}


def node_of(kept: Mapping[str, Any], kind: str) -> Node | None:
    name = kept["kinds"].get(kind)
    return None if name is None else _Nodes(kept["schemas"]).named(name)


def _mergeable(document: Mapping[str, Any], group: str, version: str) -> set[str]:
    found = set()
    for path in (document.get("paths") or {}).values():
        patch = path.get("patch") or {}
        kind = patch.get(_KIND) or {}
        content = (patch.get("requestBody") or {}).get("content") or {}
        if (kind.get("group"), kind.get("version")) == (group, version) and _STRATEGIC in content:
            found.add(kind.get("kind", ""))
    return found


def _reduced(schema: Mapping[str, Any]) -> JSONObject:
    """`ref`, `properties`, `items`, `map` or nothing at all for a scalar; `strategy` and `key` of a field."""
    found: JSONObject = {}
    if strategy := schema.get("x-kubernetes-patch-strategy"):
        found["strategy"] = strategy
    if key := schema.get("x-kubernetes-patch-merge-key"):
        found["key"] = key
    target = (schema.get("allOf") or [schema])[0]
    if reference := target.get("$ref"):
        found["ref"] = reference.removeprefix(_PREFIX)
    elif properties := target.get("properties"):
        found["properties"] = {name: _reduced(each) for name, each in properties.items()}
    elif target.get("type") == "array" or "items" in target:
        found["items"] = _reduced(target.get("items") or {})
    elif target.get("type") == "object":
        found["map"] = True
    return found


def _references(schema: JSONObject) -> list[str]:
    found = [schema["ref"]] if "ref" in schema else []
    for each in [*schema.get("properties", {}).values(), schema.get("items") or {}]:
        found += _references(each) if each else []
    return found


class _Nodes:
    def __init__(self, schemas: Mapping[str, Any]) -> None:
        self._schemas = schemas
        self._named: dict[str, Node] = {}

    def named(self, name: str) -> Node:
        """Filled in when it is first looked at: schemas contain themselves."""
        if name not in self._named:
            self._named[name] = Node(loader=lambda node: self._fill(node, self._schemas.get(name) or {}))
        return self._named[name]

    def _node(self, schema: Mapping[str, Any]) -> Node:
        if "ref" in schema:
            return self.named(schema["ref"])
        node = Node()
        self._fill(node, schema)
        return node

    def _fill(self, node: Node, schema: Mapping[str, Any]) -> None:
        if "properties" in schema:
            node.type = "object"
            node.properties = {name: self._property(each) for name, each in schema["properties"].items()}
        elif "items" in schema:
            node.type = "array"
            node.items = self._node(schema["items"])
        elif "map" in schema:
            node.type = "object"
            node.values_allowed = True

    def _property(self, schema: Mapping[str, Any]) -> Property:
        return Property(
            node=self._node(schema),
            patch_strategy=schema.get("strategy", ""),
            patch_merge_key=schema.get("key", ""),
        )
