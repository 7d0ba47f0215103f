"""What a custom resource's schema does not know goes, and its metadata is read as Go reads it."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.schema import DecodeError, Schema
from tests.unit.schema.declarations import Greeting, widget, with_spec

PRESERVING = with_spec(
    known={"type": "string"},
    free={
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": True,
        "properties": {"typed": {"type": "object", "properties": {"x": {"type": "string"}}}},
    },
    list={"type": "array", "items": {"type": "object", "properties": {"k": {"type": "string"}}}},
    template={"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
)


def pruned(schema: dict[str, Any], **spec: Any) -> tuple[dict[str, Any], list[str]]:
    obj = widget(**spec)
    unknown = Schema.of(schema).prune(obj)
    return obj["spec"], unknown


def test_unknown_fields_go_and_are_told_in_alphabetical_order() -> None:
    spec, unknown = pruned(PRESERVING, unknown="z", list=[{"k": "a"}, {"zz": "b"}])
    assert unknown == ["spec.list[1].zz", "spec.unknown"]
    assert spec == {"list": [{"k": "a"}, {}]}


def test_fields_below_preserve_unknown_fields_stay_unless_they_are_specified() -> None:
    spec, unknown = pruned(PRESERVING, free={"any": {"thing": [1]}, "typed": {"x": "1", "y": 2}})
    assert unknown == ["spec.free.typed.y"]
    assert spec == {"free": {"any": {"thing": [1]}, "typed": {"x": "1"}}}


def test_metadata_goes_first_then_the_rest_then_embedded_metadata() -> None:
    obj = widget(template={"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "t", "bogus": 1}, "spec": 5}, zeta=1)
    obj |= {"top": 1, "metadata": {"name": "a", "zzz": 1, "bogus": 1}}
    unknown = Schema.of(PRESERVING).prune(obj)
    assert unknown == ["metadata.bogus", "metadata.zzz", "spec.zeta", "top", "spec.template.metadata.bogus"]
    assert obj["metadata"] == {"name": "a"}
    assert obj["spec"]["template"] == {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "t"}, "spec": 5}


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ({"labels": {"a": 5}}, "number into Go struct field ObjectMeta.labels of type string"),
        ("a", "string into Go value of type v1.ObjectMeta"),
        ({"name": 1, "labels": 2}, "number into Go struct field ObjectMeta.labels of type map[string]string"),
    ],
)
def test_a_wrong_type_in_metadata_is_an_error(metadata: Any, said: str) -> None:
    with pytest.raises(DecodeError) as caught:
        Schema.of(PRESERVING).prune({"kind": "Widget", "metadata": metadata})
    assert str(caught.value) == f"json: cannot unmarshal {said}"


def test_a_wrong_type_in_embedded_metadata_is_an_error_with_its_place() -> None:
    template = {"apiVersion": "v1", "kind": "", "metadata": {"labels": {"a": 5}}}
    with pytest.raises(DecodeError) as caught:
        pruned(PRESERVING, template=template)
    assert str(caught.value) == (
        'spec.template.metadata: Invalid value: {"labels":{"a":5}}: '
        "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string"
    )


def test_an_embedded_kind_is_text() -> None:
    with pytest.raises(DecodeError, match=r"^spec\.template\.kind: Invalid value: 5: must be a string$"):
        pruned(PRESERVING, template={"apiVersion": "v1", "kind": 5})


def test_a_null_goes_unless_it_is_nullable_or_has_a_default_or_is_in_a_list() -> None:
    schema = with_spec(
        plain={"type": "string"},
        nullable={"type": "string", "nullable": True},
        default={"type": "string", "default": "x"},
        list={"type": "array", "items": {"type": "string"}},
        map={"type": "object", "additionalProperties": {"type": "string"}},
    )
    spec, unknown = pruned(schema, plain=None, nullable=None, default=None, list=[None], map={"a": None, "b": "c"})
    assert unknown == []
    assert spec == {"nullable": None, "default": None, "list": [None], "map": {"b": "c"}}


def test_where_nothing_is_specified_nothing_stays() -> None:
    schema = with_spec(
        bare={"type": "object"}, items={"type": "array"}, loose={"type": "object", "additionalProperties": True}
    )
    spec, unknown = pruned(schema, bare={"a": 1}, items=[1, {"a": 1}], loose={"a": 1, "b": {"c": 1}})
    assert unknown == ["spec.bare.a", "spec.items[1].a", "spec.loose.b.c"]
    assert spec == {"bare": {}, "items": [1, {}], "loose": {"a": 1, "b": {}}}


def test_wrong_types_are_left_for_validation() -> None:
    schema = with_spec(text={"type": "string"}, object={"type": "object", "properties": {"a": {"type": "string"}}})
    spec, unknown = pruned(schema, text=5, object="text")
    assert (spec, unknown) == ({"text": 5, "object": "text"}, [])


def test_properties_and_additional_properties_live_side_by_side() -> None:
    inner = {"type": "object", "properties": {"a": {"type": "string"}}}
    schema = with_spec(map={"type": "object", "properties": {"own": {"type": "string"}}, "additionalProperties": inner})
    spec, unknown = pruned(schema, map={"own": "x", "other": {"a": "b", "c": "d"}})
    assert unknown == ["spec.map.other.c"]
    assert spec == {"map": {"own": "x", "other": {"a": "b"}}}


def test_without_a_schema_all_stays_but_unknown_metadata() -> None:
    obj: dict[str, Any] = {
        "kind": "Thing",
        "metadata": {"name": "a", "labels": None, "x": 1},
        "spec": {"a": {"b": None}},
    }
    assert Schema.of(None).prune(obj) == ["metadata.x"]
    assert obj == {"kind": "Thing", "metadata": {"name": "a"}, "spec": {"a": {"b": None}}}


def test_a_class_can_be_pruned_by_as_well() -> None:
    obj: dict[str, Any] = {"metadata": {"name": "a"}, "spec": {"text": 5, "more": 1, "limit": {"cpu": "1", "gpu": "1"}}}
    assert Schema.of(Greeting).prune(obj) == ["spec.limit.gpu", "spec.more"]
    assert obj["spec"] == {"text": 5, "limit": {"cpu": "1"}}
