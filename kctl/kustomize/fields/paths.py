"""Paths of replacements and variables: `spec.template.spec.containers.[name=web].image`, `data.a\\.b`, `spec.*.x`.

Kubernetes: kyaml/yaml, PathGetter and PathMatcher; kyaml/utils, SmarterPathSplitter.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kctl.kustomize.errors import KustomizeError
from kctl.kustomize.nodes import emitter, parser
from kctl.kustomize.nodes.fields import find_element, get_field, require, set_field
from kctl.kustomize.nodes.node import Map, Node, Scalar, Seq
from kctl.kustomize.patterns import Matches, compiled

from .field_specs import split

Created = type[Map | Seq | Scalar]


def parts_of(path: str) -> list[str]:
    """At dots, but not within brackets. What is in brackets without `=` is a key."""
    result: list[str] = []
    pieces = split(path, ".")
    index = 0
    while index < len(pieces):
        piece = pieces[index]
        index += 1
        if piece.startswith("[") and not piece.endswith("]"):
            bracketed = [piece]
            while index < len(pieces):
                bracketed.append(pieces[index])
                index += 1
                if bracketed[-1].endswith("]"):
                    break
            piece = ".".join(bracketed)
            piece = piece if "=" in piece else piece.strip("[]")
        result.append(piece)
    return result


def _is_index(part: str) -> bool:
    return re.fullmatch(r"\+?[0-9]+", part) is not None


def _is_condition(part: str) -> bool:
    return part.startswith("[") and part.endswith("]")


def _condition(part: str) -> tuple[str, str]:
    name, equals, value = part.removesuffix("]").removeprefix("[").partition("=")
    if not equals:
        raise KustomizeError("list path element must contain fieldName=fieldValue for element to match")
    return name, value


def lookup(node: Node | None, parts: list[str]) -> Node | None:
    """The one node that a path leads to. Raises KustomizeError if the way is of another kind."""
    for part in (one.strip() for one in parts):
        if node is None:
            return None
        if not part:
            continue
        if re.fullmatch(r"-[0-9]+", part):
            raise KustomizeError(f"array index {int(part)} cannot be negative")
        if _is_index(part) or part == "-":
            require(node, Seq)
            items: list[Node] = node if isinstance(node, Seq) else []
            index = len(items) - 1 if part == "-" else int(part)
            node = items[index] if 0 <= index < len(items) else None
        elif part == "*":
            raise KustomizeError("wildcard is not supported in PathGetter")
        elif _is_condition(part):
            name, value = _condition(part)
            require(node, Seq)
            node = find_element(node, (name,), (value,)) if isinstance(node, Seq) else None
        else:
            node = get_field(node, part)
    return node


class FieldLocation(NamedTuple):
    """Where a node is, so that another can be put there."""

    container: Map | Seq
    key: str | int

    @property
    def node(self) -> Node:
        return self.container[self.key]  # type: ignore[index]  # a mapping has a text, a sequence a number

    def put(self, node: Node) -> None:
        self.container[self.key] = node  # type: ignore[index]  # as above


def field_locations(node: Node, parts: list[str], created: Created | None = None) -> list[FieldLocation]:
    """All that a path leads to. With `created` what is missing is made, the last node of that kind."""
    root = Seq([node])
    return _Matcher(created).find(FieldLocation(root, 0), parts)


class _Matcher:
    def __init__(self, created: Created | None) -> None:
        self._created = created

    def find(self, location: FieldLocation, parts: list[str]) -> list[FieldLocation]:
        if not parts:
            return [location]
        part = parts[0]
        if _is_index(part):
            return self._at_index(location.node, int(part), parts)
        if _is_condition(part):
            return self._where(location.node, parts)
        if part == "*":
            require(location.node, Seq)
            items = location.node if isinstance(location.node, Seq) else Seq()
            elements = [FieldLocation(items, index) for index in range(len(items))]
            return [field for element in elements for field in self.find(element, parts[1:])]
        return self._in_field(location.node, parts)

    def _in_field(self, node: Node, parts: list[str]) -> list[FieldLocation]:
        name = parts[0]
        field = get_field(node, name)
        if field is None:
            if self._created is None:
                return []
            field = self._new(parts)
            set_field(node, name, field)
        if isinstance(field, Scalar) and len(parts) > 1:
            within = parser.parse(field.text)
            return self.find(FieldLocation(Seq([within if within is not None else Scalar("")]), 0), parts[1:])
        holder = node if isinstance(node, Map) else Map({name: field})  # what is put into null is lost
        return self.find(FieldLocation(holder, name), parts[1:])

    def _at_index(self, node: Node, index: int, parts: list[str]) -> list[FieldLocation]:
        require(node, Seq)
        items = node if isinstance(node, Seq) else Seq()
        if len(items) == index and self._created is not None:
            items.append(self._new(parts))
        if len(items) <= index:
            raise KustomizeError(f"index {index} specified but only {len(items)} elements found")
        return self.find(FieldLocation(items, index), parts[1:])

    def _where(self, node: Node, parts: list[str]) -> list[FieldLocation]:
        name, pattern = _condition(parts[0])
        require(node, Seq)
        items = node if isinstance(node, Seq) else Seq()
        selected = self._selected(items, name, compiled(pattern), parts)
        if selected or self._created is None:
            return selected
        value = Scalar(pattern)
        items.append(Map({name: value}) if name else value)
        return self._selected(items, name, compiled(pattern), parts)

    def _selected(self, items: Seq, name: str, matches: Matches, parts: list[str]) -> list[FieldLocation]:
        selected: list[FieldLocation] = []
        for index, item in enumerate(items):
            field = item if not name else item.get(name) if isinstance(item, Map) else None
            if field is not None and matches(emitter.emitted(field).strip()):
                element = FieldLocation(items, index)
                selected += self.find(element, parts[1:]) if name else [element]
        return selected

    def _new(self, parts: list[str]) -> Node:
        following = parts[1] if len(parts) > 1 else ""
        assert self._created is not None
        if _is_condition(following) or _is_index(following):
            return Seq()
        kind = Map if following else self._created
        return Scalar("") if kind is Scalar else Map() if kind is Map else Seq()
