"""What anybody could have stored: every kind in every form that it can't, or should not, have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from localplane.apimachinery.schema import DecodeError, Node, Property, Schema
from localplane.apiserver.registry.definition import Definition

NAMESPACE = "default"

_METADATA: dict[str, Any] = {
    "labels": 5,
    "annotations": ["a"],
    "finalizers": "all",
    "ownerReferences": {"uid": "x"},
    "uid": {},
    "deletionTimestamp": 7,
    "creationTimestamp": {"no": "time"},
    "generation": "first",
    "managedFields": "mine",
}


@dataclass(frozen=True, slots=True)
class Poison:
    """`is_unreadable` if nothing of it can be shown; what is only incomplete is shown as it is."""

    form: str
    key: str
    value: bytes
    is_unreadable: bool = True


def poisons_of(definition: Definition, root: str) -> Iterator[Poison]:
    """Names are such that every form has a key of its own."""
    maker = _Maker(definition, root)
    yield maker.raw("no-json", b"\x00\xff")
    yield maker.raw("nothing", b"")
    yield maker.raw("a-list", b"[]")
    yield maker.raw("half", b'{"kind":"')
    yield maker.raw("metadata-is-a-list", b'{"metadata":["name"]}')
    yield maker.raw("protobuf", b"k8s\x00\n\x0f\n\x02v1\x12\tConfigMap")
    yield maker.object("another-version", apiVersion=f"{definition.resource.group or 'core'}/v0nobody")
    yield maker.object("no-version", apiVersion="")
    yield maker.object("another-kind", kind="Nobody")
    yield maker.named("another-name", name="somebody-else")
    yield maker.named("no-name", name=None)
    if definition.namespaced:
        yield maker.named("another-namespace", namespace="elsewhere")
    for field, value in _METADATA.items():
        yield maker.metadata(f"metadata-{field.lower()}", **{field: value})
    yield maker.object("bare", is_unreadable=False)
    if definition.dialect.is_routed:
        yield from _wrong_types(maker)


def _wrong_types(maker: _Maker) -> Iterator[Poison]:
    """Every field of the object and of its spec, with what it can't be."""
    root = maker.schema
    for name, each in root.properties.items():
        if name in ("apiVersion", "kind", "metadata"):
            continue
        each.node.load()
        for number, value in enumerate(_wrong(each.node)):
            yield maker.object(f"wrong-{name.lower()}-{number}", **{name: value})
        if each.node.shape == "struct":
            yield maker.object(f"empty-{name.lower()}", is_unreadable=False, **{name: {}})
        if name != "spec":
            continue
        for inner, below in each.node.properties.items():
            below.node.load()
            for number, value in enumerate(_wrong(below.node)):
                yield maker.object(f"wrong-spec-{inner.lower()}-{number}", spec={inner: value})


def _wrong(node: Node) -> list[Any]:
    """Of some values those that are none of this type."""
    found = []
    for value in (3.5, "text", [{"neither": "nor"}], {"neither": ["nor"]}, True):
        try:
            Schema(Node(type="object", properties={"field": Property(node=node)})).decode({"field": value}, kind="Any")
        except DecodeError:
            found.append(value)
    return found[:2]


class _Maker:
    def __init__(self, definition: Definition, root: str) -> None:
        self._definition = definition
        self._root = root
        version = definition.converter.storage_version
        self._type = {"apiVersion": str(version), "kind": definition.kind.kind}
        self.schema = definition.schemas[version.version]().root if definition.dialect.is_routed else Node()

    def raw(self, form: str, value: bytes) -> Poison:
        return Poison(form, self._key(form), value)

    def object(self, form: str, *, is_unreadable: bool = True, **fields: Any) -> Poison:
        obj = {**self._type, "metadata": self._metadata(form), **fields}
        return Poison(form, self._key(form), orjson.dumps(obj), is_unreadable)

    def metadata(self, form: str, **fields: Any) -> Poison:
        """Custom resources are shown whatever their metadata is."""
        obj = {**self._type, "metadata": {**self._metadata(form), **fields}}
        return Poison(form, self._key(form), orjson.dumps(obj), self._definition.dialect.is_routed)

    def named(self, form: str, **fields: Any) -> Poison:
        kept = {name: value for name, value in {**self._metadata(form), **fields}.items() if value is not None}
        return Poison(form, self._key(form), orjson.dumps({**self._type, "metadata": kept}))

    def _metadata(self, form: str) -> dict[str, Any]:
        named = {"name": f"poison-{form}", "uid": f"uid-of-{form}", "creationTimestamp": "2026-01-01T00:00:00Z"}
        return {**named, "namespace": NAMESPACE} if self._definition.namespaced else named

    def _key(self, form: str) -> str:
        place = f"{NAMESPACE}/" if self._definition.namespaced else ""
        return f"{self._root}{self._definition.prefix}{place}poison-{form}"
