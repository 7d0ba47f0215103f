"""Classes and schemas that the tests share, with their annotations kept as text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, NotRequired, TypedDict

from localplane.apimachinery.schema import Bytes, Field, Int32, IntOrString, Quantity, RawObject, Time


class Port:
    """One door."""

    name: str = ""
    number: Int32
    target: IntOrString | None = None


@dataclass
class Limit:
    cpu: Quantity
    tags: list[str] = field(default_factory=list)
    weight: float = 1.0


class Note(TypedDict):
    text: str
    author: NotRequired[str]


class GreetingSpec:
    words: ClassVar[int] = 7

    text: Annotated[str, Field(min_length=2, max_length=5, pattern="^[a-z]+$", description="What to say.")]
    tone: Literal["loud", "quiet"] = "quiet"
    times: Annotated[int, Field(minimum=1, maximum=10, default=3)]
    polite: bool = False
    replicas: Int32 | None = None
    ports: Annotated[list[Port] | None, Field(list_type="map", list_map_keys=["number"], max_items=2)] = None
    labels: dict[str, str] | None = None
    secrets: dict[str, Bytes] | None = None
    limit: Limit | None = None
    note: Note | None = None
    since: Time | None = None
    anything: Any = None
    raw: RawObject | None = None
    inner: GreetingSpec | None = None
    from_: Annotated[str, Field(name="from")] = ""


class Greeting:
    """Something to say."""

    spec: GreetingSpec


class ConfigMap:
    data: dict[str, str] | None = None
    binaryData: dict[str, Bytes] | None = None  # noqa: N815 - the name on the wire
    immutable: bool | None = None


WIDGET: dict[str, Any] = {
    "type": "object",
    "required": ["spec"],
    "properties": {
        "spec": {
            "type": "object",
            "required": ["size"],
            "properties": {
                "size": {"type": "integer", "minimum": 1, "maximum": 10},
                "ratio": {"type": "number", "exclusiveMinimum": True, "minimum": 0, "multipleOf": 0.5},
                "name": {"type": "string", "minLength": 2, "maxLength": 5, "pattern": "^[a-z]+$"},
                "mode": {"type": "string", "enum": ["fast", "slow"]},
                "tags": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "string"}},
                "map": {
                    "type": "object",
                    "minProperties": 1,
                    "maxProperties": 2,
                    "additionalProperties": {"type": "integer"},
                },
                "flag": {"type": "boolean"},
                "maybe": {"type": "string", "nullable": True},
                "port": {"x-kubernetes-int-or-string": True},
            },
        }
    },
}


def with_spec(**properties: Any) -> dict[str, Any]:
    """A schema of which only some fields of spec matter."""
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}


def widget(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": spec}
