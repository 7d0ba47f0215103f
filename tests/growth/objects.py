"""Objects of every built-in kind that are as large as anybody likes in one place: a list, a map or a text of theirs.

The places follow from the schemas, so that a new kind or field is measured without anybody thinking of it. A type that
several kinds have is looked at in the first of them, as they share what looks at it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema import Node
from localplane.apiserver.resource import APIGroup, Resource, Version

_DEPTH = 12
_FILLED_DEPTH = 7
_SERVER_FIELDS = (
    "managedFields",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
    "uid",
)
_NOT_WRITTEN = ("bindings", "componentstatuses")
_CODEC_VALUES: Mapping[str, Any] = {
    "time": "2026-01-02T03:04:05Z",
    "microTime": "2026-01-02T03:04:05.000000Z",
    "duration": "1s",
    "quantity": "1",
    "intOrString": 1,
    "rawJSON": {"a": 1},
}


@dataclass(frozen=True, slots=True)
class Place:
    """A list or a map in a kind. `path` leads there; every list on the way has one item."""

    group: APIGroup
    resource: Resource
    version: Version
    path: tuple[str, ...]
    node: Node

    @property
    def name(self) -> str:
        return f"{self.resource.kind}.{self.version.name}.{self.group.name or 'core'} {'.'.join(self.path)}"

    @property
    def url(self) -> str:
        prefix = f"/apis/{self.group.name}" if self.group.name else "/api"
        namespace = "namespaces/default/" if self.resource.namespaced else ""
        return f"{prefix}/{self.version.name}/{namespace}{self.resource.plural}"

    def object_with(self, value: Any) -> JSONObject:
        obj = sample(self.version.compiled.root)
        obj["metadata"] = {"name": "x", **({"namespace": "default"} if self.resource.namespaced else {})}
        inner: Any = obj
        node = self.version.compiled.root
        for step in self.path[:-1]:
            inner, node = _entered(inner, node, step)
        inner[self.path[-1]] = value
        return obj

    def equal(self, count: int) -> Any:
        """So many of one; of a map's keys, which can't be equal, short ones."""
        if self.node.shape == "list":
            return [_one(self.node.items) for _ in range(count)]
        return {f"k{number}": _one(self.node.values) for number in range(count)}

    def distinct(self, count: int) -> Any:
        """So many that differ in every text and number."""
        if self.node.shape == "list":
            return [_one(self.node.items, number) for number in range(count)]
        return {f"example.com/k{number}": _one(self.node.values, number) for number in range(count)}

    def empty(self, count: int) -> Any:
        """The least that can be sent."""
        below = self.node.items if self.node.shape == "list" else self.node.values
        least = {"struct": {}, "map": {}, "list": [], "string": "", "integer": 0, "number": 0, "boolean": False}
        value = least.get(below.shape, _one(below)) if below is not None else ""
        return [value] * count if self.node.shape == "list" else {f"k{number}": value for number in range(count)}


def places(groups: tuple[APIGroup, ...], *, again: bool = False) -> Iterator[Place]:
    """`again`: in each kind that has them."""
    seen: set[tuple[str, str]] = set()
    for group in groups:
        for resource in group.resources:
            if resource.plural in _NOT_WRITTEN:
                continue
            for version in resource.versions[:1]:
                if again:
                    seen = set()
                whole = Place(group, resource, version, (), version.compiled.root)
                yield from _below(whole, seen)


def _below(place: Place, seen: set[tuple[str, str]]) -> Iterator[Place]:
    node, path = place.node.load(), place.path
    for name, each in node.properties.items():
        known = (node.name or f"{place.resource.kind}{path}", name)
        if known in seen or len(path) > _DEPTH or name in _SERVER_FIELDS:
            continue
        seen.add(known)
        child = each.node.load()
        if child.shape in ("list", "map"):
            yield replace(place, path=(*path, name), node=child)
        item = child.items if child.shape == "list" else child.values if child.shape == "map" else child
        if item is not None and item.load().properties:
            yield from _below(replace(place, path=(*path, name), node=item), seen)


def sample(node: Node, depth: int = 0) -> JSONObject:
    """An object with what it requires."""
    found: JSONObject = {}
    for name in node.load().required if depth < _DEPTH else ():
        if name in node.properties and name not in ("metadata", "status"):
            found[name] = _one(node.properties[name].node, depth=depth + 1)
    return found


def _one(node: Node | None, number: int | None = None, depth: int = 0) -> Any:
    """A value that is likely to be taken, or one of many that differ."""
    if node is None:
        return f"v{number or 0}"
    node = node.load()
    if node.limits.enum:
        return node.limits.enum[0]
    match node.shape:
        case "struct":
            named = {"name": f"n{number or 0}"} if "name" in node.properties else {}
            return {**sample(node, depth), **_told_apart(node, number), **named}
        case "map":
            return {"a": _one(node.values, number, depth + 1)} if depth < _DEPTH else {}
        case "list":
            return [_one(node.items, number, depth + 1)] if depth < _DEPTH else []
        case "integer" | "number":
            return 1 if number is None else number % 60_000 + 1
        case "boolean":
            return True
        case "bytes":
            return "YQ=="
        case "codec":
            return _CODEC_VALUES.get(node.codec.name, {}) if node.codec is not None else {}
        case "int-or-string":
            return 1
    return "a" if number is None else f"v{number}"


def _told_apart(node: Node, number: int | None) -> JSONObject:
    """The scalars of an object, so that no two are alike."""
    if number is None:
        return {}
    scalars = ("string", "integer")
    return {
        name: _one(each.node, number)
        for name, each in node.properties.items()
        if each.node.load().shape in scalars and not each.node.limits.enum
    }


def _entered(container: Any, node: Node, step: str) -> tuple[Any, Node]:
    """The struct below a field, made if it is not there, with what it requires."""
    below = node.load().properties[step].node.load()
    if below.shape == "list":
        if not container.get(step):
            container[step] = [_one(below.items)]
        assert below.items is not None
        return container[step][0], below.items
    if below.shape == "map":
        if not container.get(step):
            container[step] = {"a": _one(below.values)}
        assert below.values is not None
        return next(iter(container[step].values())), below.values
    if not isinstance(container.get(step), dict):
        container[step] = sample(below)
    return container[step], below


def kinds(groups: tuple[APIGroup, ...]) -> Iterator[Place]:
    """Each kind as a whole."""
    for group in groups:
        for resource in group.resources:
            if resource.plural not in _NOT_WRITTEN:
                version = resource.versions[0]
                yield Place(group, resource, version, (), version.compiled.root)


def filled(node: Node, text: str, depth: int = 0) -> Any:
    """A value with this text in every place where a text can stand: each list and each map has one entry."""
    node = node.load()
    match node.shape:
        case "struct":
            below = node.properties.items() if depth < _FILLED_DEPTH else ()
            return {name: filled(each.node, text, depth + 1) for name, each in below if name not in _SERVER_FIELDS}
        case "map":
            return {text: filled(node.values, text, depth + 1)} if node.values is not None else {}
        case "list":
            return [filled(node.items, text, depth + 1)] if node.items is not None else []
        case "string" | "int-or-string":
            return text
    return _one(node)
