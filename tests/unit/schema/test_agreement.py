"""The fast answers agree with the slow ones, whatever the schema and the object."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from localplane.apimachinery.fieldpath import Path
from localplane.apimachinery.schema import DecodeError, Node, Schema, pruning
from localplane.apimachinery.schema.structs import decoder
from localplane.apimachinery.schema.structs.decoded_form import fits
from localplane.apimachinery.schema.validation.checks import list_errors, valid
from localplane.apimachinery.schema.validation.violations import ValuePath, explain
from tests.unit.schema.declarations import GreetingSpec

NAMES = st.sampled_from(["a", "b", "text", "ports", "number", "labels", "k"])
SCALARS = st.none() | st.booleans() | st.integers(-3, 12) | st.sampled_from([0.0, 1.5, 2.0, "", "a", "ab", "toolong"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=8
)
LIMITS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "minimum": st.sampled_from([0, 1.5, 3]),
        "exclusiveMinimum": st.booleans(),
        "maximum": st.sampled_from([2, 5.5]),
        "multipleOf": st.sampled_from([2, 0.5]),
        "minLength": st.integers(0, 2),
        "maxLength": st.integers(1, 3),
        "pattern": st.sampled_from(["^a", "b$"]),
        "maxItems": st.integers(0, 2),
        "uniqueItems": st.booleans(),
        "minProperties": st.integers(0, 2),
        "enum": st.lists(SCALARS, min_size=1, max_size=2),
        "nullable": st.booleans(),
        "default": st.sampled_from(["a", 1]),
        "required": st.lists(NAMES, max_size=2, unique=True),
        "x-kubernetes-preserve-unknown-fields": st.just(value=True),
        "x-kubernetes-list-type": st.sampled_from(["set", "atomic"]),
        "x-kubernetes-int-or-string": st.just(value=True),
        "format": st.sampled_from(["date", "int32", "float"]),
    },
)
TYPES = st.sampled_from(["", "string", "integer", "number", "boolean", "array", "object"])


def _with_children(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    children: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(NAMES, inner, max_size=3),
            "additionalProperties": inner | st.booleans(),
            "items": inner,
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "oneOf": st.lists(inner, min_size=1, max_size=2),
            "not": inner,
        },
    )
    return st.builds(lambda limits, more, type_: {**limits, **more, "type": type_}, LIMITS, children, TYPES)


SCHEMAS = st.recursive(
    st.builds(lambda limits, type_: {**limits, "type": type_}, LIMITS, TYPES), _with_children, max_leaves=5
)


@settings(suppress_health_check=list(HealthCheck))
@given(schema=SCHEMAS, value=VALUES)
def test_what_is_valid_has_no_errors(schema: dict[str, Any], value: Any) -> None:
    node = Schema.of(schema).node
    if valid(node)(value):
        assert not explain(node, value, ValuePath()).errors
        assert not list(list_errors(node, value, Path()))


@settings(suppress_health_check=list(HealthCheck))
@given(schema=SCHEMAS, value=st.dictionaries(NAMES, VALUES, max_size=3))
def test_what_is_clean_is_not_changed_by_pruning(schema: dict[str, Any], value: dict[str, Any]) -> None:
    schema["type"] = "object"
    fast, slow = copy.deepcopy(value), copy.deepcopy(value)
    unknown = Schema.of(schema).prune(fast)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pruning, "_clean", lambda _: lambda _: False)
        patch.setattr(pruning, "_is_clean", lambda _: lambda _: False)
        assert Schema.of(schema).prune(slow) == unknown
    assert _text(fast) == _text(slow)


SPECS = st.fixed_dictionaries(
    {},
    optional={
        "text": SCALARS,
        "polite": SCALARS,
        "times": SCALARS,
        "replicas": SCALARS,
        "labels": VALUES,
        "ports": VALUES | st.lists(st.fixed_dictionaries({}, optional={"number": SCALARS, "target": SCALARS})),
        "anything": VALUES,
        "limit": st.fixed_dictionaries({}, optional={"cpu": SCALARS, "tags": VALUES, "weight": SCALARS}),
        "inner": st.fixed_dictionaries({}, optional={"text": SCALARS, "bogus": SCALARS}),
        "bogus": SCALARS,
    },
)


@settings(suppress_health_check=list(HealthCheck))
@given(value=SPECS)
def test_what_fits_is_not_changed_by_decoding(value: dict[str, Any]) -> None:
    fast, slow = copy.deepcopy(value), copy.deepcopy(value)
    outcome = _decoded(fast)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decoder, "fits", _fits_scalars_only)
        assert _decoded(slow) == outcome
    if not isinstance(outcome, str):
        assert _text(fast) == _text(slow)


SCHEMA = Schema.of(GreetingSpec)


def _fits_scalars_only(node: Node) -> Any:
    is_container = node.shape in ("struct", "map", "list")
    return (lambda _: False) if is_container else fits(node)


def _decoded(value: dict[str, Any]) -> list[str] | str:
    try:
        return SCHEMA.decode(value, kind="GreetingSpec")
    except DecodeError as error:
        return str(error)


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
