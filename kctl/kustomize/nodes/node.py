"""YAML as kustomize handles it: a tree in which a scalar is still the text that was written.

What a scalar means is decided when the tree is printed, so a tag and quotes travel with the text: a number that
replaces a quoted text is a text. Mappings and sequences are changed in place, and scalars too, because kustomize puts
the same node in several places and changes them all at once.
"""

from __future__ import annotations

from typing import Any, TypeAlias

STR, INT, FLOAT, BOOL, NULL, TIMESTAMP, BINARY, MERGE = (
    f"!!{name}" for name in ("str", "int", "float", "bool", "null", "timestamp", "binary", "merge")
)


class Scalar:
    """`tag` is empty if the text decides. `style` is the quotes, `|` or `>`, with `!` before it if the tag was
    written; empty if plain. `kept` marks a null that is to be printed where nulls mean removal."""

    __slots__ = ("kept", "style", "tag", "text")

    def __init__(self, text: str, tag: str = "", style: str = "") -> None:
        self.text = text
        self.tag = tag
        self.style = style
        self.kept = False

    def __repr__(self) -> str:
        return f"Scalar({self.text!r}, {self.tag!r}, {self.style!r})"


class Map(dict[str, "Node"]):
    """`schema` is what a comment says of it. `odd` are keys that were no texts; `repeated` says of keys that came twice
    where: the first counts."""

    flow = False
    schema: dict[str, Any] | None = None
    odd: frozenset[str] = frozenset()
    repeated: tuple[str, ...] = ()


class Seq(list["Node"]):
    flow = False
    schema: dict[str, Any] | None = None


Node: TypeAlias = Scalar | Map | Seq


def text(value: str) -> Scalar:
    """A text, whatever it looks like."""
    return Scalar(value, STR)


def is_null(node: Node | None) -> bool:
    return isinstance(node, Scalar) and node.tag == NULL


def is_missing(node: Node | None) -> bool:
    """Absent or null."""
    return node is None or (isinstance(node, Scalar) and node.tag == NULL)


def is_empty(node: Node | None) -> bool:
    """Absent, null, or a container without content; an empty text is content."""
    return is_missing(node) or (not isinstance(node, Scalar) and not node)


def text_of(node: Node | None) -> str:
    """The text of a scalar, as it was written; nothing for anything else."""
    return node.text if isinstance(node, Scalar) and node.tag != NULL else ""


def raw_text(node: Node | None) -> str:
    """As `text_of`, but of a null what was written: `~`, `null` or nothing."""
    return node.text if isinstance(node, Scalar) else ""


def kind_of(node: Node) -> str:
    if isinstance(node, Scalar):
        return "ScalarNode"
    return "MappingNode" if isinstance(node, Map) else "SequenceNode"


def copied(node: Node) -> Node:
    if isinstance(node, Scalar):
        return copied_scalar(node)
    if isinstance(node, Map):
        return copied_map(node)
    sequence = Seq(copied(item) for item in node)
    sequence.flow, sequence.schema = node.flow, node.schema
    return sequence


def copied_map(node: Map) -> Map:
    mapping = Map((key, copied(value)) for key, value in node.items())
    mapping.flow, mapping.schema, mapping.odd, mapping.repeated = node.flow, node.schema, node.odd, node.repeated
    return mapping


def copied_scalar(node: Scalar) -> Scalar:
    scalar = Scalar(node.text, node.tag, node.style)
    scalar.kept = node.kept
    return scalar
