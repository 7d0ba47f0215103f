"""Where a struct's fields stand in its message.

Some Go structs embed another: its fields are in the same JSON object, but in a message of their own within the
parent's. `via` in a field's facts is the way there, by field numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from localplane.apimachinery.schema.meta import object_meta
from localplane.apimachinery.schema.nodes import Node, Property

_COMPILED = "protobuf object"


@dataclass(frozen=True, slots=True)
class Layout:
    """A message: its fields by number, and the messages in it whose fields belong to the same object."""

    fields: dict[int, tuple[str, Property]] = field(default_factory=dict)
    inline: dict[int, Layout] = field(default_factory=dict)

    def at(self, way: tuple[int, ...]) -> Layout:
        place = self
        for number in way:
            place = place.inline.setdefault(number, Layout())
        return place

    def numbers(self) -> Iterator[int]:
        """In the order of the wire."""
        yield from sorted({*self.fields, *self.inline})


def layout(node: Node) -> Layout:
    """kind and apiVersion have no number: the envelope tells them."""
    whole = Layout()
    for name, each in node.load().properties.items():
        if each.protobuf is not None and "n" in each.protobuf:
            place = whole.at(tuple(each.protobuf.get("via") or ()))
            place.fields[each.protobuf["n"]] = name, each
    return whole


def has_message(node: Node) -> bool:
    """Whether objects of this kind can be protobuf at all. A node that is not loaded yet comes from tables that say
    so themselves: asking must not load a thousand of them."""
    if node.notes.get("protobuf") is False:
        return False
    return node.loader is not None or any(each.protobuf for each in node.properties.values())


def object_node(node: Node) -> Node:
    """The node of a whole object. One declared by a class does not mention its metadata, which is every object's first
    field."""
    if "metadata" in node.load().properties:
        return node
    found = node.compiled.get(_COMPILED)
    if found is None:
        metadata = Property(node=object_meta(), emit="always", protobuf={"n": 1})
        found = node.compiled[_COMPILED] = node.changed(properties={"metadata": metadata} | node.properties)
    result: Node = found
    return result


def is_string_list(each: Property) -> bool:
    """A list of texts that is a message of its own, not a repeated field: Verbs, ExtraValue."""
    facts = each.protobuf or {}
    return each.node.shape == "list" and "." in facts.get("t", "") and not facts.get("rep")
