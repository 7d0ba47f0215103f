"""Nodes may be shared, may contain themselves, and are filled in when somebody asks."""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.schema import Node, Property, Schema, walk
from tests.unit.schema.declarations import WIDGET


def types(loaded: list[str]) -> dict[str, Node]:
    """Two named types, each of which contains the other, that say when they are loaded."""
    found: dict[str, Node] = {}

    def tree(node: Node) -> None:
        loaded.append(node.name)
        node.type, node.go_type = "object", "v1.Tree"
        node.properties = {
            "leaf": Property(node=found["Leaf"]),
            "branches": Property(node=Node(type="array", items=found["Tree"])),
        }

    def leaf(node: Node) -> None:
        loaded.append(node.name)
        node.type, node.go_type = "object", "v1.Leaf"
        node.properties = {"color": Property(node=Node(type="string")), "tree": Property(node=found["Tree"])}

    found |= {"Tree": Node(name="Tree", loader=tree), "Leaf": Node(name="Leaf", loader=leaf)}
    return found


def test_a_type_is_loaded_when_an_object_has_it_and_once() -> None:
    loaded: list[str] = []
    schema = Schema(types(loaded)["Tree"])
    assert loaded == []
    schema.decode({"branches": [{"branches": [{}]}]}, kind="Tree")
    assert loaded == ["Tree"]
    schema.decode({"leaf": {"color": "green"}}, kind="Tree")
    schema.decode({"leaf": {"color": "green"}}, kind="Tree")
    assert loaded == ["Tree", "Leaf"]


def test_a_type_that_contains_itself_is_decoded_validated_and_documented() -> None:
    schema = Schema(types([])["Tree"])
    obj: dict[str, Any] = {"branches": [{"leaf": {"tree": {"branches": [{"leaf": {"colour": "red"}}]}}}]}
    assert schema.decode(obj, kind="Tree") == ["branches[0].leaf.tree.branches[0].leaf.colour"]
    assert schema.validate(obj) == []
    assert schema.openapi()[1]["Leaf"]["properties"]["tree"] == {"$ref": "#/components/schemas/Tree"}


def test_walking_meets_every_node_once() -> None:
    names = [node.name for node in walk(types([])["Tree"]) if node.name]
    assert names == ["Tree", "Leaf"]


def test_a_path_of_an_object_leads_to_its_node() -> None:
    root = Schema.of(WIDGET).node
    spec = root.child("spec")
    assert spec is not None
    tags, mapped = spec.child("tags"), spec.child("map")
    assert tags is not None
    assert mapped is not None
    item, value = tags.child(0), mapped.child("any key")
    assert item is not None
    assert value is not None
    assert (item.type, value.type, spec.child("unheard of")) == ("string", "integer", None)


def test_a_changed_copy_is_compiled_anew() -> None:
    node = Node(type="object", properties={"a": Property(node=Node(type="string"))})
    assert Schema(node).prune({"b": 1}) == ["b"]
    assert Schema(node.changed(preserve_unknown_fields=True)).prune({"b": 1}) == []
