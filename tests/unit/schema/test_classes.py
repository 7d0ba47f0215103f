"""Classes with annotations become nodes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, Optional, TypedDict

import pytest

from localplane.apimachinery.schema import DeclarationError, Field, Node, Schema, go_type
from tests.unit.schema.declarations import Greeting, GreetingSpec, Limit, Note


class Color(StrEnum):
    RED = "red"
    BLUE = "blue"


class Base:
    inherited: str


class Everything(Base):
    when: datetime
    long: timedelta
    blob: bytes
    color: Color
    old_style: Optional[int] = None  # noqa: UP045 - people write it
    nested: list[list[int]]
    items: list[Annotated[str, Field(max_length=3)]]
    sometimes: list[str | None]
    bare_list: list  # type: ignore[type-arg]  # people write it
    bare_dict: dict  # type: ignore[type-arg]  # people write it
    either: int | str
    _private: str


@dataclass
class Recorded:
    """Has a docstring of its own."""

    text: str


class Partial(TypedDict, total=False):
    text: str


class Plain:
    text: str = ""

    def __init__(self, text: str | None = None) -> None:
        if text is not None:
            self.text = text


class Holding:
    nothing: Plain = Plain()
    something: Plain = Plain("hello")


def spec_of(declared: type) -> Node:
    return Schema.of(declared).node


def test_what_has_no_default_is_required_however_the_class_is_written() -> None:
    assert spec_of(GreetingSpec).required == ("text",)
    assert spec_of(Limit).required == ("cpu",)
    assert spec_of(Note).required == ("text",)
    assert spec_of(Partial).required == ()


def test_a_default_of_field_makes_optional() -> None:
    assert "times" in spec_of(GreetingSpec).properties
    assert "times" not in spec_of(GreetingSpec).required


def test_an_object_as_a_default_is_what_it_was_given() -> None:
    node = spec_of(Holding)
    assert node.required == ()
    given: dict[str, Any] = {}
    Schema.of(Holding).default(given)
    assert given == {"something": {"text": "hello"}}


def test_class_variables_and_private_names_are_no_fields() -> None:
    assert "words" not in spec_of(GreetingSpec).properties
    assert "_private" not in spec_of(Everything).properties


def test_a_name_that_python_can_t_have_is_given() -> None:
    assert "from" in spec_of(GreetingSpec).properties
    assert "from_" not in spec_of(GreetingSpec).properties


def test_what_is_inherited_is_there_first() -> None:
    assert next(iter(spec_of(Everything).properties)) == "inherited"


@pytest.mark.parametrize(
    ("name", "type_", "format_", "go"),
    [
        ("when", "string", "date-time", "v1.Time"),
        ("long", "string", "", "v1.Duration"),
        ("blob", "string", "byte", "[]uint8"),
        ("color", "string", "", "string"),
        ("old_style", "integer", "int64", "int64"),
        ("nested", "array", "", "[][]int64"),
        ("items", "array", "", "[]string"),
        ("bare_list", "array", "", "[]interface {}"),
        ("bare_dict", "object", "", "map[string]interface {}"),
        ("either", "", "int-or-string", "intstr.IntOrString"),
    ],
)
def test_python_s_types_have_their_place(name: str, type_: str, format_: str, go: str) -> None:
    node = spec_of(Everything).properties[name].node
    assert (node.type, node.format, go_type(node)) == (type_, format_, go)


def test_an_optional_scalar_is_a_pointer_but_a_list_never_is() -> None:
    properties = spec_of(GreetingSpec).properties
    assert properties["replicas"].pointer
    assert not properties["polite"].pointer
    assert not properties["ports"].pointer


def test_constraints_reach_the_items_of_a_list() -> None:
    obj: dict[str, Any] = {"items": ["abc", "abcd"], "nested": [[1]]}
    said = [str(error) for error in Schema.of(Everything).validate(obj) if "items" in error.field]
    assert said == ["items[1]: Too long: may not be more than 3 bytes"]


def test_null_items_may_be_allowed() -> None:
    items = spec_of(Everything).properties["sometimes"].node.items
    assert items is not None
    assert items.nullable


def test_a_class_that_contains_itself_is_one_node() -> None:
    node = spec_of(GreetingSpec)
    assert node.properties["inner"].node is node


def test_list_types_and_merge_keys_are_kept_for_those_who_merge() -> None:
    node = Schema.of(Greeting).node.properties["spec"].node.properties["ports"].node
    assert (node.list_type, node.list_map_keys) == ("map", ("number",))


def test_docstrings_are_descriptions_unless_a_dataclass_made_them_up() -> None:
    assert spec_of(Recorded).notes == {"description": "Has a docstring of its own."}
    assert spec_of(Limit).notes == {}


def test_what_is_no_type_of_a_field_is_refused() -> None:
    class Odd:
        pair: set[int]

    with pytest.raises(DeclarationError, match="no type that a field can have"):
        Schema.of(Odd)


def test_keys_are_text() -> None:
    class Odd:
        numbers: dict[int, str]

    with pytest.raises(DeclarationError, match="keys are str"):
        Schema.of(Odd)


def test_a_class_that_can_t_be_found_says_where_to_put_it() -> None:
    class Hidden:
        text: str

    class Outer:
        hidden: Hidden

    with pytest.raises(DeclarationError, match="declare it at the top of a module"):
        Schema.of(Outer)


def test_two_classes_of_one_name_are_refused() -> None:
    other = type("Port", (), {"__annotations__": {"x": str}})
    both = type("Both", (), {"__annotations__": {"one": other, "spec": GreetingSpec}})
    with pytest.raises(DeclarationError, match="two classes in one schema are called Port"):
        Schema.of(both)


def test_what_is_no_declaration_is_refused() -> None:
    with pytest.raises(DeclarationError):
        Schema.of({"type": "object", "properties": {"a": "string"}})
    with pytest.raises(DeclarationError):
        Schema.of(5)  # type: ignore[arg-type]  # what a program without type checks may do


def test_a_compiled_schema_is_itself() -> None:
    schema = Schema.of(Greeting)
    assert Schema.of(schema) is schema
