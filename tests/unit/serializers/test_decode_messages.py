"""Whole sentences, as a real kube-apiserver answered them."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.serializers import (
    JSONSyntaxError,
    NotAnObject,
    TypeMeta,
    YAMLError,
    cannot_be_handled,
    parse_json,
    parse_yaml,
    strict_decoding_error,
    summarize,
    type_meta,
    unrecognized,
    version_kind_error,
)

PREFIX = "the object provided is unrecognized (must be of type ConfigMap): "
COULD_NOT = PREFIX + "couldn't get version/kind; json parse error: "
BOM_BODY = "efbbbf7b226d65746164617461223a7b226e616d65223a22626f6d227d7d"
STRUCT = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'


def refusal(body: bytes) -> str:
    try:
        type_meta(parse_json(body).value)
    except JSONSyntaxError as error:
        return unrecognized("ConfigMap", version_kind_error(error), body)
    except NotAnObject as error:
        return unrecognized("ConfigMap", error, body)
    raise AssertionError(body)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"metadata":', 'unexpected end of JSON input ({"metadata":)'),
        (b"", "unexpected end of JSON input (<empty>)"),
        (b"[]", f"json: cannot unmarshal array into Go value of type {STRUCT} (5b5d)"),
        (b'"text"', f"json: cannot unmarshal string into Go value of type {STRUCT} (227465787422)"),
        (b"1", f"json: cannot unmarshal number into Go value of type {STRUCT} (31)"),
        (b"true", f"json: cannot unmarshal bool into Go value of type {STRUCT} (74727565)"),
        (
            b'{"metadata":{"name":"a"}} trailing',
            'invalid character \'t\' after top-level value ({"metadata":{"name":"a"}} trai ...)',
        ),
        (b"{} {}", "invalid character '{' after top-level value ({} {})"),
        (
            b'{"metadata":{"name":"a"},"data":{"k":NaN}}',
            'invalid character \'N\' looking for beginning of value ({"metadata":{"name":"a"},"data ...)',
        ),
        (
            b'\xef\xbb\xbf{"metadata":{"name":"bom"}}',
            f"invalid character 'ï' looking for beginning of value ({BOM_BODY})",
        ),
        (
            b'{"metadata":{"name":"a",}}',
            'invalid character \'}\' looking for beginning of object key string ({"metadata":{"name":"a",}})',
        ),
        (b'{"kind":5}', 'json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5})'),
    ],
)
def test_a_body_without_a_kind_is_refused_in_kubernetes_words(body: bytes, message: str) -> None:
    assert refusal(body) == COULD_NOT + message


def test_yaml_that_is_none_is_shown_in_hexadecimal() -> None:
    body = b"a: b: c"
    with pytest.raises(YAMLError) as fault:
        parse_yaml(body)
    assert unrecognized("ConfigMap", fault.value, body) == (
        PREFIX + "yaml: mapping values are not allowed in this context (613a20623a2063)"
    )


@pytest.mark.parametrize(
    ("value", "meta"),
    [
        (None, TypeMeta()),
        ({}, TypeMeta()),
        ({"kind": None}, TypeMeta()),
        ({"apiVersion": "v1", "kind": "Pod"}, TypeMeta("v1", "Pod")),
        ({"Kind": "Pod", "APIVERSION": "v1"}, TypeMeta("v1", "Pod")),
    ],
)
def test_the_kind_is_found(value: Any, meta: TypeMeta) -> None:
    assert type_meta(value) == meta


def test_a_summary_has_thirty_bytes() -> None:
    assert summarize(b"{" + b"x" * 29) == "{" + "x" * 29
    assert summarize(b"{" + b"x" * 30) == "{" + "x" * 29 + " ..."
    assert summarize(b"x" * 31) == "78" * 30 + " ..."
    assert summarize(b'{"' + "é".encode() * 20) == '{"' + "é" * 14 + " ..."


def test_what_does_not_fit_its_kind_is_said_so() -> None:
    strict = strict_decoding_error(['unknown field "metadata.foo"', 'unknown field "bar"'])
    assert cannot_be_handled("ConfigMap", "v1", "ConfigMap", strict) == (
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: '
        'strict decoding error: unknown field "metadata.foo", unknown field "bar"'
    )
