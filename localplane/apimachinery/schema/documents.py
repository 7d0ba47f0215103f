"""A schema as OpenAPI documents show it: v3 in full, v2 without what its readers choke on.

Classes become definitions that are referred to; a dictionary comes back as it was given. The caller adds what it alone
knows, such as x-kubernetes-group-version-kind. Kubernetes: apiextensions-apiserver pkg/controller/openapi.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject

from .declarations.structural import EXTENSIONS, LIMITS
from .meta import type_meta
from .nodes import NOTHING, Node, Property

_CONVENTIONS: Final = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md"

# What documents say of the fields that every custom resource has: clients show it, so it is Kubernetes' own.
_METADATA: Final = f"Standard object's metadata. More info: {_CONVENTIONS}#metadata"
TOP_LEVEL: Final = {
    "apiVersion": "APIVersion defines the versioned schema of this representation of an object. Servers should convert"
    " recognized schemas to the latest internal value, and may reject unrecognized values."
    f" More info: {_CONVENTIONS}#resources",
    "kind": "Kind is a string value representing the REST resource this object represents. Servers may infer this from"
    " the endpoint the client submits requests to. Cannot be updated. In CamelCase."
    f" More info: {_CONVENTIONS}#types-kinds",
    "metadata": _METADATA,
}
EMBEDDED: Final = {
    "apiVersion": "apiVersion defines the versioned schema of this representation of an object."
    f" More info: {_CONVENTIONS}#resources",
    "kind": "kind is a string value representing the type of this object. In CamelCase."
    f" More info: {_CONVENTIONS}#types-kinds",
    "metadata": _METADATA,
}


class Documents:
    """One run: the definitions that were met on the way are in `definitions`, by name."""

    def __init__(self, *, ref_prefix: str, v2: bool) -> None:
        self.definitions: dict[str, JSONObject] = {}
        self._ref_prefix = ref_prefix
        self._v2 = v2

    def root(self, node: Node) -> JSONObject:
        """The top-level object, with the fields that every object has."""
        node.load()
        if self._v2 and node.preserve_unknown_fields:
            return {"type": "object"}
        return self._node(_with_meta(node))

    def _reference(self, node: Node) -> JSONObject:
        if not node.name:
            return self._node(node)
        if node.name not in self.definitions:
            self.definitions[node.name] = {}
            self.definitions[node.name] = self._node(node)
        return {"$ref": f"{self._ref_prefix}{node.name}"}

    def _property(self, each: Property) -> JSONObject:
        document = self._reference(each.node)
        notes = dict(each.notes)
        if each.node.default is not NOTHING and each.node.name:
            notes["default"] = each.node.default
        if each.patch_merge_key:
            notes["x-kubernetes-patch-merge-key"] = each.patch_merge_key
        if each.patch_strategy:
            notes["x-kubernetes-patch-strategy"] = each.patch_strategy
        if "$ref" not in document or not notes:
            return {**notes, **document} if "$ref" not in document else document
        # Beside a reference nothing else counts in v3.
        return {**document, **notes} if self._v2 else {**notes, "allOf": [document]}

    def _node(self, node: Node) -> JSONObject:
        node.load()
        document: JSONObject = dict(node.notes)
        document |= _limits(node)
        is_open = self._v2 and (node.nullable or node.preserve_unknown_fields)
        self._put_type(node, document)
        if node.default is not NOTHING and not node.name:
            document["default"] = node.default
        properties, required = node.properties, node.required
        if node.embedded_resource and not (self._v2 and node.preserve_unknown_fields):
            properties = {**properties, **_described(EMBEDDED)}
            required = (*required, *(name for name in ("kind", "apiVersion") if name not in required))
        if properties and not is_open:
            document["properties"] = {name: self._property(each) for name, each in properties.items()}
        if node.values is not None:
            document["additionalProperties"] = self._reference(node.values)
        elif node.values_allowed is not None:
            document["additionalProperties"] = node.values_allowed
        if node.items is not None and not is_open:
            document["items"] = self._reference(node.items)
        self._put_required(node, required, document)
        if not self._v2:
            self._put_alternatives(node, document)
        for key, attribute in EXTENSIONS.items():
            value = getattr(node, attribute)
            if value and not (node.codec and attribute == "int_or_string"):
                document[key] = list(value) if attribute == "list_map_keys" else value
        return document

    def _put_type(self, node: Node, document: JSONObject) -> None:
        if node.format:
            document["format"] = node.format
        if not self._v2:
            document |= {"type": node.type} if node.type else {}
            document |= {"nullable": True} if node.nullable else {}
            if node.codec and node.int_or_string:
                document["oneOf"] = [{"type": "integer"}, {"type": "string"}]
            return
        has_items = node.items is not None and not node.preserve_unknown_fields
        is_untyped = node.nullable or (node.type == "array" and not has_items)
        if (
            node.type
            and not is_untyped
            and not (node.preserve_unknown_fields and node.type == "object" and not node.codec)
        ):
            document["type"] = node.type
        if node.codec and not node.type and not node.preserve_unknown_fields:
            document["type"] = "string"

    def _put_required(self, node: Node, names: Sequence[str], document: JSONObject) -> None:
        required = [
            name for name in names if not (self._v2 and name in node.properties and node.properties[name].node.nullable)
        ]
        if required:
            document["required"] = required

    def _put_alternatives(self, node: Node, document: JSONObject) -> None:
        for key, nodes in (("allOf", node.all_of), ("anyOf", node.any_of), ("oneOf", node.one_of)):
            if nodes:
                document[key] = [self._node(each) for each in nodes]
        if node.not_ is not None:
            document["not"] = self._node(node.not_)
        if node.int_or_string and not node.codec:
            _put_int_or_string(document)


def _limits(node: Node) -> Mapping[str, Any]:
    limits = node.limits
    found: JSONObject = {}
    for key, attribute in LIMITS.items():
        value = getattr(limits, attribute)
        if value is not None and value != "" and value is not False:
            found[key] = value
    if limits.enum:
        found["enum"] = list(limits.enum)
    return found


def _with_meta(node: Node) -> Node:
    """The node with the fields that every object has, unless a class declares them itself."""
    declared = {name: each for name, each in node.properties.items() if each.node.name or name not in type_meta()}
    common = type_meta() if node.name else _described(TOP_LEVEL)
    return node.changed(properties=common | declared)


def _described(about: Mapping[str, str]) -> dict[str, Property]:
    """The fields that every object has, as custom resources show them."""
    return {name: Property(node=each.node, notes={"description": about[name]}) for name, each in type_meta().items()}


def _put_int_or_string(document: JSONObject) -> None:
    """Either type, said so that everybody understands it. Kubernetes: pkg/apiserver/schema/unfold.go."""
    either = [{"type": "integer"}, {"type": "string"}]
    is_said = document.get("anyOf") == either or (document.get("allOf") or [{}])[0].get("anyOf") == either
    if is_said:
        return
    if "anyOf" in document:
        document["allOf"] = [{"anyOf": either}, *document.get("allOf", [])]
    else:
        document["anyOf"] = either
