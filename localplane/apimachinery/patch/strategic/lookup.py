"""What a schema says of the fields of a map: how they merge, and what is below them.

Kubernetes: apimachinery/pkg/util/strategicpatch/meta.go and third_party/forked/golang/json/fields.go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.patch.errors import PatchFailed
from localplane.apimachinery.schema import Node, Property, go_type

RETAIN_KEYS: Final = "retainKeys"


@dataclass(frozen=True, slots=True)
class Field:
    """`below` is what its value is, or what its items are; `strategy` is merge, replace or nothing.

    `retains_keys`: a patch for it says which keys there are, so that others go (one of several alternatives).
    """

    below: Node
    strategy: str = ""
    merge_key: str = ""
    retains_keys: bool = False


def map_field(parent: Node, name: str) -> Field:
    """A field that holds a map. Raises PatchFailed."""
    found = _property(parent, name)
    return Field(found.node.load(), _strategy(found), found.patch_merge_key, _retains_keys(found))


def list_field(parent: Node, name: str) -> Field:
    """A field that holds a list. Raises PatchFailed."""
    found = _property(parent, name)
    node = found.node.load()
    if node.shape != "list":
        raise PatchFailed(f"expected slice or array type, but got: {kind(parent)}")
    items = (node.items or Node(preserve_unknown_fields=True)).load()
    if items.shape == "list":
        raise PatchFailed("unexpected slice of slice")
    return Field(items, _strategy(found), found.patch_merge_key, _retains_keys(found))


def _property(parent: Node, name: str) -> Property:
    if kind(parent) != "struct":
        raise PatchFailed(f"merging an object in json but data type is not struct, instead is: {kind(parent)}")
    properties = {} if parent.codec is not None else parent.properties
    found = properties.get(name)
    if found is None:
        folded = name.casefold()
        found = next((each for known, each in properties.items() if known.casefold() == folded), None)
    if found is None:
        struct = go_type(parent).rpartition(".")[2]
        raise PatchFailed(f"unable to find api field in struct {struct} for the json field {go_quote(name)}")
    return found


def _strategy(found: Property) -> str:
    """What is left beside retainKeys, which is about what makes patches."""
    strategies = found.patch_strategy.split(",")
    rest = [each for each in strategies if each != RETAIN_KEYS]
    if len(strategies) > 2 or len(rest) > 1:
        raise PatchFailed(f"unexpected patch strategy: [{' '.join(strategies)}]")
    return rest[0] if rest else ""


def _retains_keys(found: Property) -> bool:
    return RETAIN_KEYS in found.patch_strategy.split(",")


def kind(node: Node) -> str:
    """Go's word for what kind of type a node is."""
    match node.shape:
        case "struct" | "codec" | "int-or-string":
            return "struct"
        case "map":
            return "map"
        case "list" | "bytes":
            return "slice"
        case "integer":
            return "int32" if node.format == "int32" else "int64"
        case "number":
            return "float64"
        case "boolean":
            return "bool"
        case "string":
            return "string"
    return "interface"
