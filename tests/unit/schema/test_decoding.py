"""Objects of typed kinds are read as Go's decoder reads them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from localplane.apimachinery.schema import DecodeError, Node, Property, Schema
from tests.unit.schema.declarations import ConfigMap, Greeting

CONFIG_MAPS = Schema.of(ConfigMap)
GREETINGS = Schema.of(Greeting)


def refusal(schema: Schema, obj: Any, kind: str = "ConfigMap", *, source: bytes | None = None) -> str:
    with pytest.raises(DecodeError) as caught:
        schema.decode(obj, kind=kind, source=source)
    return str(caught.value)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"metadata": {"name": 5}}, "number into Go struct field ObjectMeta.metadata.name of type string"),
        ({"metadata": {"name": True}}, "bool into Go struct field ObjectMeta.metadata.name of type string"),
        ({"data": {"k": 5}}, "number into Go struct field ConfigMap.data of type string"),
        ({"data": ["k"]}, "array into Go struct field ConfigMap.data of type map[string]string"),
        ({"metadata": "a"}, "string into Go struct field ConfigMap.metadata of type v1.ObjectMeta"),
        ({"metadata": {"labels": {"a": True}}}, "bool into Go struct field ObjectMeta.metadata.labels of type string"),
        ({"metadata": {"uid": {}}}, "object into Go struct field ObjectMeta.metadata.uid of type types.UID"),
        (
            {"metadata": {"ownerReferences": {}}},
            "object into Go struct field ObjectMeta.metadata.ownerReferences of type []v1.OwnerReference",
        ),
        (
            {"metadata": {"ownerReferences": [{"controller": "yes"}]}},
            "string into Go struct field OwnerReference.metadata.ownerReferences.controller of type bool",
        ),
        (
            {"metadata": {"generation": 9223372036854775808}},
            "number 9223372036854775808 into Go struct field ObjectMeta.metadata.generation of type int64",
        ),
        (
            {"metadata": {"creationTimestamp": 5}},
            "number into Go struct field ObjectMeta.metadata.creationTimestamp of type string",
        ),
        ({"binaryData": {"k": 5}}, "number into Go struct field ConfigMap.binaryData of type []uint8"),
        ({"kind": 5}, "number into Go struct field ConfigMap.TypeMeta.kind of type string"),
    ],
)
def test_a_wrong_type_is_told_in_go_s_words(body: dict[str, Any], said: str) -> None:
    assert refusal(CONFIG_MAPS, body) == f"json: cannot unmarshal {said}"


def test_a_struct_is_called_after_its_class_and_the_way_to_it_has_no_indexes() -> None:
    body = {"spec": {"ports": [{"number": 1}, {"number": 2**31}]}}
    assert refusal(GREETINGS, body, "Greeting") == (
        "json: cannot unmarshal number 2147483648 into Go struct field Port.spec.ports.number of type int32"
    )


def test_a_struct_of_a_dictionary_is_called_after_the_kind_and_the_field() -> None:
    schema = Schema.of({"type": "object", "properties": {"spec": {"type": "object", "properties": {"a": {}}}}})
    assert refusal(schema, {"spec": []}, "Widget") == (
        "json: cannot unmarshal array into Go struct field Widget.spec of type v1.WidgetSpec"
    )


def test_the_field_of_an_embedded_struct_shows_that_struct() -> None:
    handler = Property(node=Node(type="string"), inline="ProbeHandler")
    schema = Schema(Node(type="object", properties={"exec": handler}))
    assert refusal(schema, {"exec": 1}, "Probe") == (
        "json: cannot unmarshal number into Go struct field Probe.ProbeHandler.exec of type string"
    )


def test_the_first_wrong_type_in_the_document_is_told() -> None:
    assert "ConfigMap.immutable" in refusal(CONFIG_MAPS, {"immutable": 1, "data": 2})
    assert "ConfigMap.data" in refusal(CONFIG_MAPS, {"data": 2, "immutable": 1})


def test_a_type_with_a_method_of_its_own_goes_before_an_earlier_wrong_type() -> None:
    body = {"immutable": 1, "metadata": {"creationTimestamp": "yesterday"}}
    assert refusal(CONFIG_MAPS, body) == (
        'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"'
    )


@pytest.mark.parametrize("literal", ["1e3", "1.0", "1.50", "18446744073709551616", "-0.0"])
def test_a_number_is_shown_as_it_was_written_if_the_source_is_known(literal: str) -> None:
    source = f'{{"metadata":{{"generation":{literal}}}}}'.encode()
    body = json.loads(source, parse_int=lambda text: int(text) if len(text) < 20 else float(text))
    assert refusal(CONFIG_MAPS, body, source=source) == (
        f"json: cannot unmarshal number {literal} into Go struct field ObjectMeta.metadata.generation of type int64"
    )


@pytest.mark.parametrize(
    ("text", "byte"),
    [
        ("***", 0),
        ("YWJj*", 4),
        ("YW", 0),
        ("YWJjZ", 4),
        ("YWI", 0),
        ("YW=", 3),
        ("YW=j", 2),
        ("Y===", 1),
        ("YWI=x", 4),
        ("YWI==", 4),
        ("=", 0),
        ("YW\nJj\nZ", 6),
        ("éa==", 0),
    ],
)
def test_bytes_that_are_no_base64_are_told_by_where_they_go_wrong(text: str, byte: int) -> None:
    assert refusal(CONFIG_MAPS, {"binaryData": {"k": text}}) == f"illegal base64 data at input byte {byte}"


def test_bytes_are_written_as_base64_writes_them() -> None:
    body = {"binaryData": {"lines": "YW\r\nI=\n", "bits": "YWJ=", "none": ""}}
    CONFIG_MAPS.decode(body, kind="ConfigMap")
    assert body == {"binaryData": {"lines": "YWI=", "bits": "YWI=", "none": ""}}


def test_unknown_fields_are_taken_out_and_told_in_the_order_of_the_document() -> None:
    body: dict[str, Any] = {
        "spec": {"zeta": 1, "text": "hey", "ports": [{"number": 1}, {"bogus": {"x": 1}, "number": 2}], "alpha": 1},
        "metadata": {"name": "a", "foo": "bar", "labels": {"free": "choice"}},
        "Spec": {},
    }
    unknown = GREETINGS.decode(body, kind="Greeting")
    assert unknown == ["spec.zeta", "spec.ports[1].bogus", "spec.alpha", "metadata.foo", "Spec"]
    assert body == {
        "spec": {"text": "hey", "ports": [{"number": 1}, {"number": 2}]},
        "metadata": {"name": "a", "labels": {"free": "choice"}},
    }


def test_no_more_than_a_hundred_unknown_fields_are_told_but_all_go() -> None:
    body: dict[str, Any] = {f"x{number}": number for number in range(150)}
    assert len(CONFIG_MAPS.decode(body, kind="ConfigMap")) == 100
    assert body == {}


def test_null_is_nothing_in_a_struct_and_zero_in_lists_and_maps() -> None:
    body: dict[str, Any] = {
        "metadata": {"name": "a", "creationTimestamp": None, "finalizers": ["a/b", None]},
        "spec": {"text": None, "labels": {"a": None, "b": "c"}, "ports": [None], "anything": None, "limit": None},
    }
    assert GREETINGS.decode(body, kind="Greeting") == []
    assert body == {
        "metadata": {"name": "a", "finalizers": ["a/b", ""]},
        "spec": {"labels": {"a": "", "b": "c"}, "ports": [{}]},
    }


def test_what_is_empty_is_left_out_unless_it_is_required_a_pointer_or_a_struct() -> None:
    body: dict[str, Any] = {
        "metadata": {"labels": {}, "generation": 0, "deletionGracePeriodSeconds": 0, "namespace": ""},
        "spec": {"text": "", "tone": "", "polite": False, "replicas": 0, "labels": {}, "limit": {}, "ports": []},
    }
    assert GREETINGS.decode(body, kind="Greeting") == []
    assert body == {
        "metadata": {"deletionGracePeriodSeconds": 0},
        "spec": {"text": "", "replicas": 0, "limit": {}},
    }


def test_a_dictionary_has_no_pointers_so_zeros_stay() -> None:
    schema = Schema.of({"type": "object", "properties": {"count": {"type": "integer"}, "tags": {"type": "array"}}})
    body: dict[str, Any] = {"count": 0, "tags": []}
    assert schema.decode(body, kind="Widget") == []
    assert body == {"count": 0, "tags": []}


def test_times_and_numbers_are_written_in_one_form() -> None:
    body: dict[str, Any] = {"spec": {"since": "2024-01-02T03:04:05.678+01:00", "limit": {"cpu": 2}}}
    assert GREETINGS.decode(body, kind="Greeting") == []
    assert body == {"spec": {"since": "2024-01-02T02:04:05Z", "limit": {"cpu": "2"}}}


@pytest.mark.parametrize("target", [80, "http", "50%", -1])
def test_an_int_or_string_is_either(target: object) -> None:
    body: dict[str, Any] = {"spec": {"ports": [{"number": 1, "target": target}]}}
    assert GREETINGS.decode(body, kind="Greeting") == []
    assert body["spec"]["ports"][0]["target"] == target


@pytest.mark.parametrize(("target", "what"), [(True, "bool"), ([], "array"), (2**40, "number 1099511627776")])
def test_an_int_or_string_is_nothing_else(target: object, what: str) -> None:
    body = {"spec": {"ports": [{"number": 1, "target": target}]}}
    assert refusal(GREETINGS, body, "Greeting") == (
        f"json: cannot unmarshal {what} into Go struct field Port.spec.ports.target of type int32"
    )


@pytest.mark.parametrize("cpu", ["", "a", "1.2.3", True, [], "1 Gi"])
def test_a_quantity_that_is_none_is_told_without_a_place(cpu: object) -> None:
    said = refusal(GREETINGS, {"spec": {"limit": {"cpu": cpu}}}, "Greeting")
    assert said.startswith("quantities must match the regular expression '^(")


def test_a_quantity_with_a_suffix_that_is_none_says_so() -> None:
    said = refusal(GREETINGS, {"spec": {"limit": {"cpu": "1Ki5"}}}, "Greeting")
    assert said == "unable to parse quantity's suffix"


def test_free_form_fields_keep_whatever_is_in_them() -> None:
    body: dict[str, Any] = {"spec": {"anything": [1, {"a": None}], "raw": {"b": {"c": None}}}}
    assert GREETINGS.decode(body, kind="Greeting") == []
    assert body == {"spec": {"anything": [1, {"a": None}], "raw": {"b": {"c": None}}}}


def test_without_a_declaration_only_metadata_is_looked_at() -> None:
    schema = Schema.of(None)
    body: dict[str, Any] = {"metadata": {"name": "a", "bogus": 1}, "whatever": {"x": None}}
    assert schema.decode(body, kind="Thing") == ["metadata.bogus"]
    assert body == {"metadata": {"name": "a"}, "whatever": {"x": None}}


def test_a_clean_object_is_left_alone() -> None:
    body = {
        "apiVersion": "v1",
        "kind": "Greeting",
        "metadata": {"name": "a", "creationTimestamp": "2024-01-02T03:04:05Z", "labels": {"a": "b"}},
        "spec": {"text": "hey", "times": 4, "inner": {"text": "again", "times": 1}, "secrets": {"k": "YWI="}},
    }
    before = json.dumps(body)
    assert GREETINGS.decode(body, kind="Greeting") == []
    assert json.dumps(body) == before
