"""A resource within a resource is one."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.schema import Schema
from tests.unit.schema.declarations import widget, with_spec

FREE = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
SCHEMA = Schema.of(with_spec(template=FREE, list={"type": "array", "items": FREE}))
POD: dict[str, Any] = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "t"}}


def errors(**spec: Any) -> list[str]:
    return [str(error) for error in SCHEMA.validate(widget(**spec))]


def test_a_name_need_not_be_one_that_could_be_stored() -> None:
    assert errors(template=POD | {"metadata": {"name": "Bad Name"}}) == []
    assert errors(template=POD | {"metadata": {}}) == []


def test_a_kind_and_a_version_must_be_there() -> None:
    assert errors(template={"metadata": {"name": "t"}}) == [
        "spec.template.apiVersion: Required value",
        "spec.template.kind: Required value",
    ]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": ""}, 'spec.template.kind: Invalid value: "": must not be empty'),
        ({"apiVersion": "a/b/c"}, 'apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'),
        ({"kind": "P_d"}, 'kind: Invalid value: "P_d": may have mixed case, but should otherwise match: a DNS-1035'),
        ({"metadata": {"name": "a/b"}}, 'spec.template.metadata.name: Invalid value: "a/b": may not contain'),
        ({"metadata": {"labels": {"b d": "x"}}}, 'spec.template.metadata.labels: Invalid value: "b d"'),
    ],
)
def test_what_is_there_must_be_in_order(change: dict[str, Any], said: str) -> None:
    (error,) = errors(template=POD | change)
    assert said in error


def test_resources_in_lists_are_found() -> None:
    assert errors(list=[POD, {"kind": "Pod"}]) == ["spec.list[1].apiVersion: Required value"]
