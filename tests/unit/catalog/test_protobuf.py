"""Every built-in kind, there and back: objects made from its schema survive being a message."""

from __future__ import annotations

import random
from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema import Node, Property
from localplane.apimachinery.serializers.protobuf import has_message, message_writer, read_message
from localplane.apimachinery.serializers.protobuf.layout import layout
from localplane.apis.table import TYPES
from localplane.catalog import schemas

_CODECS = {
    "time": "2024-02-29T12:00:00Z",
    "microTime": "2024-02-29T12:00:00.000001Z",
    "duration": "1m30s",
    "quantity": "100m",
    "rawJSON": {"a": [1, None, "x"]},
}
_ALTERNATIVES = {"JSONSchemaPropsOrBool": False, "JSONSchemaPropsOrArray": [{}], "JSONSchemaPropsOrStringArray": ["x"]}


def kinds() -> list[str]:
    """The types that objects of their own have and that are messages (a Table is none), as the tables name them."""
    return [
        f"{package}.{declared.name}"
        for package in sorted(TYPES.packages)
        for declared in TYPES.types(package)
        if declared.is_kind and any(field.number for field in declared.fields)
    ]


class Maker:
    """Objects as they are when they have been read: what would be left out when empty is there or is not empty."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def struct(self, node: Node, depth: int = 0) -> JSONObject:
        made = {}
        for name, each in node.load().properties.items():
            if each.protobuf is not None and (each.emit == "always" or (depth < 9 and self._random.random() < 0.6)):
                made[name] = self._value(each, depth + 1)
        return made

    def _value(self, each: Property, depth: int) -> Any:
        zero_stays = bool(each.pointer or each.emit == "always")
        return self.value(each.node, depth, empty=zero_stays and self._random.random() < 0.5)

    def value(self, node: Node, depth: int, *, empty: bool = False) -> Any:
        if (special := _ALTERNATIVES.get(node.name.rpartition(".")[2])) is not None:
            return special
        match node.shape:
            case "struct":
                return self.struct(node, depth)
            case "list":
                assert node.items is not None
                return [self.value(node.items, depth) for _ in range(self._random.randint(1, 2))]
            case "map":
                assert node.values is not None
                return {name: self.value(node.values, depth) for name in self._random.sample(["a", "b", "é"], 2)}
            case "codec" if node.codec is not None and node.codec.name in _CODECS:
                return _CODECS[node.codec.name]
            case "codec" | "int-or-string":
                return self._random.choice([0, -1, 8080, "http", ""])
            case "integer":
                return 0 if empty else self._random.choice([1, -1, 300, 2**31 - 1])
            case "number":
                return self._random.choice([0.5, -3, 1e30])
            case "boolean":
                return not empty
            case "bytes":
                return "AAEC"
            case "string":
                return "" if empty else self._random.choice(["x", "é" * 200])
            case _:
                return {"any": "thing"}


@pytest.mark.parametrize("definition", kinds())
def test_an_object_survives_being_a_message(definition: str) -> None:
    node = schemas.node(definition)
    assert has_message(node)
    for seed in range(8):
        obj = Maker(seed).struct(node)
        assert read_message(node, message_writer(node)(obj)) == obj


@pytest.mark.parametrize("definition", kinds())
def test_every_field_has_a_number_and_no_number_has_two_fields(definition: str) -> None:
    node = schemas.node(definition).load()
    numbered = layout(node)
    assert len(numbered.fields) + sum(len(each.fields) for each in numbered.inline.values()) == len(
        [name for name in node.properties if name not in ("kind", "apiVersion")]
    )


def test_what_is_not_set_is_written_all_the_same_unless_it_is_a_pointer() -> None:
    """By hand. metadata {1 name, 2 generateName, 3 namespace, 4 selfLink, 5 uid, 6 resourceVersion, 7 generation,
    8 creationTimestamp} and status {1 observedGeneration, 2 replicas, 3 updated, 4 available, 5 unavailable, 7 ready}
    have no pointers; between them stands spec, with a template that is empty but there."""
    message = message_writer(schemas.node("apps/v1.Deployment"))({"metadata": {"name": "d"}}).hex()
    assert message.startswith("0a110a016412001a0022002a00320038004200" + "12")
    assert message.endswith("1a0c080010001800200028003800")
