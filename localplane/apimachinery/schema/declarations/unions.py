"""Unions of classes, told apart by one field: `Annotated[Cat | Dog, Field(discriminator="kind")]`.

A Go struct has no unions, and neither has a structural schema. So there is one object with the fields of all of them,
and for each class one alternative: which of them must be there and which must not, for its value of the discriminator.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from localplane.apimachinery.schema.documents import Documents
from localplane.apimachinery.schema.nodes import NOTHING, Limits, Node, Property

from .annotations import DeclarationError


def union_of(structs: Sequence[Node], discriminator: str) -> Node:
    values = {node.name: _values(node, discriminator) for node in structs}
    all_values = [value for each in values.values() for value in each]
    if len(set(all_values)) < len(all_values):
        raise DeclarationError(f"{discriminator} has the same value in two classes of the union")
    first = structs[0].properties[discriminator]
    told = first.node.changed(limits=Limits(enum=tuple(all_values)), default=NOTHING)
    properties = {discriminator: dataclasses.replace(first, node=told, emit="always", pointer=False)}
    for node in structs:
        for name, each in node.properties.items():
            if name != discriminator:
                _take(properties, name, each, node)
    return Node(
        type="object",
        properties=properties,
        required=(discriminator,),
        one_of=tuple(_alternative(node, discriminator, values[node.name], properties) for node in structs),
    )


def _values(node: Node, discriminator: str) -> tuple[object, ...]:
    if discriminator not in node.properties:
        raise DeclarationError(f"{node.name} has no field {discriminator}, which the union is told apart by")
    enum = node.properties[discriminator].node.limits.enum
    if not enum:
        raise DeclarationError(f"{node.name}.{discriminator} tells a union apart: it is a Literal or an Enum")
    return enum


def _take(properties: dict[str, Property], name: str, field: Property, node: Node) -> None:
    if field.node.default is not NOTHING:
        raise DeclarationError(
            f"{node.name}.{name} has a default, which other classes of the union would get too:"
            " fill it in by Version(default=...)"
        )
    known = properties.get(name)
    if known is not None and _document(known.node) != _document(field.node):
        raise DeclarationError(f"{name} is not the same in all classes of the union that have it")
    properties.setdefault(name, dataclasses.replace(field, emit="", pointer=field.node.shape not in ("list", "map")))


def _document(node: Node) -> object:
    return Documents(ref_prefix="", v2=False).root(node)


def _alternative(node: Node, discriminator: str, values: tuple[object, ...], others: Iterable[str]) -> Node:
    foreign = [name for name in others if name not in node.properties]
    return Node(
        properties={discriminator: Property(node=Node(limits=Limits(enum=values)))},
        required=tuple(name for name in node.required if name != discriminator),
        not_=Node(any_of=tuple(Node(required=(name,)) for name in foreign)) if foreign else None,
    )
