"""pydantic's models as declarations: what each feature makes of the schema, and what a server does with it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from enum import Enum, IntEnum
from typing import Annotated, Any, Generic, Literal, TypeVar

import pydantic
import pytest
import pytest_asyncio
from annotated_types import Gt, Len
from pydantic import BaseModel, ConfigDict, RootModel, StringConstraints
from pydantic.dataclasses import dataclass as pydantic_dataclass

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.schema import DeclarationError, Schema
from localplane.client import GroupVersionResource
from localplane.library import (
    APIGroup,
    Plane,
    PlaneOptions,
    Resource,
    ServerOptions,
    StorageKind,
    StorageOptions,
    Version,
    open_plane,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")
T = TypeVar("T")


class Size(str, Enum):  # noqa: UP042 - people write it
    SMALL = "S"
    LARGE = "L"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int
    name: str | None = None


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    tricks: list[str] = []
    name: str | None = None


class Port(BaseModel):
    """One door."""

    number: int = pydantic.Field(ge=1, le=65535)
    protocol: Literal["TCP", "UDP"] = "TCP"


class Tags(RootModel[list[Annotated[str, Len(1, 3)]]]):
    pass


class Box(BaseModel, Generic[T]):
    content: T


class Loose(BaseModel):
    model_config = ConfigDict(extra="allow")
    known: int = 0


class Short(BaseModel):
    model_config = ConfigDict(str_max_length=2, title="Short texts")
    text: str = ""


class Blob(BaseModel):
    model_config = ConfigDict(val_json_bytes="base64", ser_json_bytes="base64")
    content: bytes


@pydantic_dataclass
class Point:
    x: int = pydantic.Field(default=1, ge=0)


class Spec(BaseModel):
    count: int = pydantic.Field(default=3, ge=1, lt=10, description="How many.", title="Count", examples=[4])
    ratio: float | None = pydantic.Field(default=None, gt=0, multiple_of=0.5)
    code: str = pydantic.Field(default="ab", min_length=2, max_length=4, pattern="^[a-z]+$")
    host_name: str = pydantic.Field(default="", alias="hostName")
    size: Size = Size.SMALL
    level: Level = Level.HIGH
    zero: int | None = 0
    tags: Tags | None = None
    ports: list[Port] = pydantic.Field(default_factory=lambda: [Port(number=80)], max_length=2)
    labels: dict[str, Annotated[str, StringConstraints(max_length=3)]] = {}
    pet: Annotated[Cat | Dog, pydantic.Field(discriminator="kind")] | None = None
    positive: pydantic.PositiveInt | None = None
    strict: pydantic.StrictBool = False
    above: Annotated[int, Gt(3)] | None = None
    box: Box[int] | None = None
    loose: Loose | None = None
    short: Short | None = None
    point: Point = Point()
    since: datetime | None = None
    inner: Spec | None = None
    either: int | str | None = None
    data: Blob | None = None


class Widget(BaseModel):
    """A thing to try."""

    spec: Spec
    note: str | None = pydantic.Field(None, deprecated=True)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def plane() -> AsyncIterator[Plane]:
    widgets = Resource("widgets", "Widget", [Version("v1", Widget)])
    options = PlaneOptions(storage=StorageOptions(kind=StorageKind.MEMORY), server=ServerOptions(port=0))
    async with open_plane([APIGroup("example.com", [widgets])], options) as plane:
        yield plane


async def created(plane: Plane, spec: Any) -> Any:
    widgets = plane.client.resource(GroupVersionResource("example.com", "v1", "widgets"), "default")
    body = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"generateName": "w-"}, "spec": spec}
    return (await widgets.create(body))["spec"]


async def test_defaults_are_filled_in_as_the_model_has_them(plane: Plane) -> None:
    assert await created(plane, {}) == {
        "code": "ab",
        "count": 3,
        "level": 2,
        "point": {"x": 1},
        "ports": [{"number": 80, "protocol": "TCP"}],
        "size": "S",
        "zero": 0,
    }


ACCEPTED: dict[str, dict[str, Any]] = {
    "alias": {"hostName": "a"},
    "enum": {"size": "L", "level": 1},
    "root model": {"tags": ["a", "abc"]},
    "nested": {"ports": [{"number": 1, "protocol": "UDP"}]},
    "cat": {"pet": {"kind": "cat", "lives": 7, "name": "Tom"}},
    "dog": {"pet": {"kind": "dog", "tricks": ["sit"]}},
    "generic": {"box": {"content": 3}},
    "extra": {"loose": {"known": 1, "unknown": {"a": [1]}}},
    "optional": {"ratio": 1.5, "positive": 1, "above": 4},
    "time": {"since": "2024-05-01T10:00:00Z"},
    "itself": {"inner": {"inner": {"zero": 1}}},
    "either": {"either": "50%"},
    "map": {"labels": {"a": "abc"}},
    "bytes": {"data": {"content": "aGk="}},
}
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "ge": ({"count": 0}, "spec.count: Invalid value: 0: spec.count in body should be greater than or equal to 1"),
    "lt": ({"count": 10}, "spec.count: Invalid value: 10: spec.count in body should be less than 10"),
    "gt": ({"ratio": 0}, "spec.ratio: Invalid value: 0: spec.ratio in body should be greater than 0"),
    "multiple_of": ({"ratio": 0.7}, "spec.ratio: Invalid value: 0.7: spec.ratio in body should be a multiple of 0.5"),
    "min_length": ({"code": "a"}, "spec.code: Invalid value:"),
    "max_length": ({"code": "abcde"}, "spec.code: Too long: may not be more than 4 bytes"),
    "pattern": ({"code": "AB"}, "should match '^[a-z]+$'"),
    "enum": ({"size": "M"}, 'spec.size: Unsupported value: "M": supported values: "S", "L"'),
    "number of an enum": ({"level": 3}, 'spec.level: Unsupported value: 3: supported values: "1", "2"'),
    "literal": ({"ports": [{"number": 1, "protocol": "X"}]}, 'spec.ports[0].protocol: Unsupported value: "X"'),
    "nested": ({"ports": [{"number": 0}]}, "spec.ports[0].number: Invalid value: 0"),
    "nested required": ({"ports": [{}]}, "spec.ports[0].number: "),
    "length of a list": ({"ports": [{"number": 1}] * 3}, "spec.ports: Too many: 3: must have at most 2 items"),
    "root model": ({"tags": ["abcd"]}, "spec.tags[0]: Too long"),
    "values of a map": ({"labels": {"a": "abcd"}}, "spec.labels.a: Too long"),
    "positive": ({"positive": 0}, "spec.positive: Invalid value: 0"),
    "annotated_types": ({"above": 3}, "spec.above: Invalid value: 3"),
    "configuration": ({"short": {"text": "abc"}}, "spec.short.text: Too long"),
    "dataclass": ({"point": {"x": -1}}, "spec.point.x: Invalid value: -1"),
    "no member": ({"pet": {"kind": "cow"}}, 'spec.pet.kind: Unsupported value: "cow": supported values: "cat", "dog"'),
    "no discriminator": ({"pet": {"lives": 3}}, "spec.pet.kind: "),
    "member without what it needs": ({"pet": {"kind": "cat"}}, "spec.pet.lives: Required value"),
    "field of another member": (
        {"pet": {"kind": "dog", "lives": 3}},
        '"spec.pet" must validate one and only one schema',
    ),
    "type": ({"count": "3"}, "cannot unmarshal string into Go struct field"),
    "strict": ({"strict": "yes"}, "cannot unmarshal string into Go struct field"),
}


@pytest.mark.parametrize("case", ACCEPTED)
async def test_what_the_model_takes_is_accepted(plane: Plane, case: str) -> None:
    spec = await created(plane, ACCEPTED[case])
    assert {key: spec[key] for key in ACCEPTED[case] if key != "inner"} == {
        key: value for key, value in ACCEPTED[case].items() if key != "inner"
    }
    Spec.model_validate(spec)


@pytest.mark.parametrize("case", REFUSED)
async def test_what_the_model_refuses_is_refused_in_kubernetes_words(plane: Plane, case: str) -> None:
    spec, sentence = REFUSED[case]
    if case != "field of another member":  # pydantic drops it without a word
        with pytest.raises(pydantic.ValidationError):
            Spec.model_validate(spec, strict=case == "type" or None)
    with pytest.raises(APIError) as refusal:
        await created(plane, spec)
    assert refusal.value.code in (400, 422)
    assert sentence in str(refusal.value)


async def test_documents_tell_what_the_model_says() -> None:
    root, definitions = Schema.of(Widget).openapi()
    assert root["description"] == "A thing to try."
    spec = definitions["Spec"]["properties"]
    assert spec["count"] == {
        "default": 3,
        "description": "How many.",
        "example": 4,
        "exclusiveMaximum": True,
        "format": "int64",
        "maximum": 10,
        "minimum": 1,
        "title": "Count",
        "type": "integer",
    }
    assert spec["code"]["pattern"] == "^[a-z]+$"
    assert "hostName" in spec
    assert "host_name" not in spec
    assert definitions["Port"]["description"] == "One door."
    assert definitions["Short"]["title"] == "Short texts"
    assert "Box_int_" in definitions


def model(annotation: Any, default: Any = ..., config: ConfigDict | None = None) -> type[BaseModel]:
    return pydantic.create_model("Made", __config__=config, x=(annotation, default))


class Checked(BaseModel):
    x: int

    @pydantic.field_validator("x")
    @classmethod
    def is_even(cls, value: int) -> int:
        return value


class CheckedWhole(BaseModel):
    x: int

    @pydantic.model_validator(mode="after")
    def is_whole(self) -> CheckedWhole:
        return self


class Computed(BaseModel):
    x: int

    @pydantic.computed_field  # type: ignore[prop-decorator]  # as pydantic says
    @property
    def double(self) -> int:
        return self.x * 2


class Unfinished(BaseModel):
    x: int
    y: NotThere  # type: ignore[name-defined]  # noqa: F821 - what is asked about


UNKNOWN: dict[str, tuple[type, str]] = {
    "validator": (Checked, "Checked.is_even: a validator is Python that a server would ignore: say it in a Strategy"),
    "model validator": (CheckedWhole, "CheckedWhole.is_whole: a validator is Python that a server would ignore"),
    "computed field": (Computed, "Computed.double: a computed field is Python that a server would ignore"),
    "function": (model(Annotated[int, pydantic.AfterValidator(abs)]), "Made.x: AfterValidator(func=<built-in"),
    "unresolved": (Unfinished, "Unfinished.y: name 'NotThere' is not defined; declare it at the top of a module"),
    "changed texts": (model(Annotated[str, StringConstraints(to_lower=True)]), "Made.x: to_lower changes or checks"),
    "changed texts everywhere": (
        model(str, ..., ConfigDict(str_to_upper=True)),
        "Made: str_to_upper changes values in pydantic alone",
    ),
    "several aliases": (
        model(int, pydantic.Field(validation_alias=pydantic.AliasChoices("a", "b"))),
        "Made.x: AliasChoices(choices=['a', 'b']) is several names, and a field has one: use alias",
    ),
    "two names": (
        model(int, pydantic.Field(validation_alias="a", serialization_alias="b")),
        "Made.x: it is read as 'a' and written as 'b', and a field has one name: use alias",
    ),
    "excluded": (model(int, pydantic.Field(exclude=True)), "Made.x: exclude would be ignored"),
    "frozen": (model(int, pydantic.Field(frozen=True)), "Made.x: frozen would be ignored: say it in a Strategy's"),
    "extra schema": (
        model(int, pydantic.Field(json_schema_extra={"minimum": 3})),
        "Made.x: json_schema_extra says minimum, which would be ignored: say it with Field",
    ),
    "secret": (model(pydantic.SecretStr), "Made.x: SecretStr is no type that a field can have"),
    "address": (
        model(pydantic.HttpUrl),
        'Made.x: HttpUrl is no type that a field can have: Annotated[str, Field(format="uri")] is its text',
    ),
    "set": (model(set[str]), "Made.x: set[str] is no type that a field can have"),
    "union": (model(Cat | Dog), "is a union: a field has one type, int | str, or classes and Field(discriminator=...)"),
    "duration": (model(timedelta | None), 'Made.x: Kubernetes writes a timedelta as "1h0m0s", which pydantic does not'),
    "bytes": (model(bytes), "Made.x: Kubernetes writes bytes in base64: say ConfigDict(val_json_bytes="),
    "default that is none": (model(int, "a"), 'Made.x: default: Invalid value: "string"'),
    "default by other fields": (
        model(int, pydantic.Field(default_factory=lambda data: data["y"])),
        "Made.x: its default factory looks at other fields: fill it in by Version(default=...)",
    ),
}


@pytest.mark.parametrize("case", UNKNOWN)
async def test_what_is_not_understood_is_refused_when_it_is_declared(case: str) -> None:
    declared, sentence = UNKNOWN[case]
    with pytest.raises(DeclarationError) as refusal:
        Version("v1", declared)
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)
