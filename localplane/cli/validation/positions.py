"""From a field's path, as a server writes it, to where the field stands in a document.

A document is read once more for this, and only if there is something to say about it: its events become a tree of
marks, along which `spec.containers[0].image`, `metadata.labels[a.b/c]` or `spec.template.spec` are followed as far as
they go. A field that is missing is reported where its parent stands.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from localplane.apimachinery.serializers.errors import YAMLError
from localplane.apimachinery.serializers.yaml import MAX_DEPTH
from localplane.apimachinery.serializers.yaml_events import events

_BEGINS = ("MappingStartEvent", "SequenceStartEvent")
_ENDS = ("MappingEndEvent", "SequenceEndEvent")
_VALUES = (*_BEGINS, "ScalarEvent", "AliasEvent")
_INDEX = re.compile(r"\[(\d+)\]")
_SEPARATOR = re.compile(r"[.\[]")
_CLOSING = re.compile(r"\]")
_MOST_ENDS = 100
"""How many ends of a name are tried. A path has a few; one of brackets alone has as many as it is long."""


@dataclass(slots=True)
class Node:
    """A value, and for one in a mapping where its key stands. `line` and `column` are counted from zero."""

    line: int
    column: int
    members: dict[str, Node] = field(default_factory=dict)
    items: list[Node] = field(default_factory=list)


def read_tree(text: str) -> Node:
    """The marks of the first document in a text; one at its beginning if it can't be read."""
    try:
        return _tree(text) or Node(0, 0)
    except YAMLError:
        return Node(0, 0)


class _Open:
    """A mapping or sequence that has not ended. `key` is the one whose value comes next, with its mark."""

    __slots__ = ("is_key", "is_mapping", "key", "node")

    def __init__(self, node: Node, *, is_mapping: bool, is_key: bool) -> None:
        self.node = node
        self.is_mapping = is_mapping
        self.is_key = is_key
        self.key: tuple[str, Any] | None = None

    def add(self, mark: Any) -> Node:
        if self.key is None:
            node = Node(mark.line, mark.column)
            self.node.items.append(node)
            return node
        name, mark = self.key
        node = self.node.members[name] = Node(mark.line, mark.column)
        self.key = None
        return node


def _tree(text: str) -> Node | None:
    stack: list[_Open] = []
    root: Node | None = None
    for event in events(text):
        name = type(event).__name__
        if name in _ENDS:
            if stack.pop().is_key:
                stack[-1].key = ("", event.start_mark)  # no field of an object is called so
        elif name in _VALUES:
            top = stack[-1] if stack else None
            is_key = top is not None and top.is_mapping and top.key is None
            if is_key and top is not None and name not in _BEGINS:
                top.key = (getattr(event, "value", ""), event.start_mark)
                continue
            mark = event.start_mark
            node = top.add(mark) if top is not None and not is_key else Node(mark.line, mark.column)
            root = root or node
            if len(stack) >= MAX_DEPTH:
                break
            if name in _BEGINS:
                stack.append(_Open(node, is_mapping=name == "MappingStartEvent", is_key=is_key))
        elif name == "DocumentEndEvent":
            break
    return root


def item(root: Node, path: Sequence[int]) -> Node:
    """The object in a list, and in a list in a list, that stands at these indices."""
    for index in path:
        items = root.members["items"].items if "items" in root.members else []
        if index >= len(items):
            break
        root = items[index]
    return root


def find(root: Node, path: str) -> Node:
    """The node of a path, or of as much of it as there is."""
    node, position = root, 0
    while position < len(path):
        step = _next(node, path, position)
        if step is None:
            break
        node, position = step
    return node


def _next(node: Node, path: str, position: int) -> tuple[Node, int] | None:
    """One step on: an index, a key in brackets, or a name. Go's own messages leave indices out: then it is the first
    item that has such a member."""
    if (indexed := _INDEX.match(path, position)) and int(indexed[1]) < len(node.items):
        return node.items[int(indexed[1])], indexed.end()
    if path.startswith("[", position):
        return _longest(node, path, position + 1, _CLOSING, skipped=1)
    begin = position + path.startswith(".", position)
    if (step := _longest(node, path, begin, _SEPARATOR)) is not None:
        return step
    end = found.start() if (found := _SEPARATOR.search(path, begin)) else len(path)
    for each in node.items:
        if (member := each.members.get(path[begin:end])) is not None:
            return member, end
    return None


def _longest(node: Node, path: str, begin: int, ends: re.Pattern[str], *, skipped: int = 0) -> tuple[Node, int] | None:
    """The member with the longest name that the path goes on with: names may hold dots and brackets themselves."""
    places = [found.start() for found in itertools.islice(ends.finditer(path, begin), _MOST_ENDS)]
    for end in (len(path), *reversed(places)):
        if (member := node.members.get(path[begin:end])) is not None:
            return member, end + skipped
    return None
