"""Everything of a definition but its schemas."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.servers.apiextensions.kind import schema_warnings
from localplane.servers.apiextensions.rules import RuleCompiler
from localplane.servers.apiextensions.validation.definition import definition_errors, definition_update_errors
from tests.unit.servers.apiextensions.definitions import good, with_properties, with_schema


def told(obj: JSONObject) -> list[str]:
    return [str(error) for error in definition_errors(obj, RuleCompiler())]


def told_of_change(new: JSONObject, old: JSONObject) -> list[str]:
    return [str(error) for error in definition_update_errors(new, old, RuleCompiler())]


def with_names(**names: Any) -> JSONObject:
    obj = good()
    obj["spec"]["names"].update(names)
    return obj


def webhook(**config: Any) -> JSONObject:
    called: JSONObject = {"conversionReviewVersions": ["v1"], "clientConfig": config}
    return good(conversion={"strategy": "Webhook", "webhook": called})


@pytest.mark.parametrize(
    ("obj", "faults"),
    [
        (good(group="nodots"), ["must be spec.names.plural", "should be a domain with at least one dot"]),
        (with_names(listKind="Widget"), ["kind and listKind may not be the same"]),
        (with_names(shortNames=["W"]), ["spec.names.shortNames[0]: Invalid value"]),
        (with_names(categories=["a b"]), ["spec.names.categories[0]: Invalid value"]),
        (good(versions=[]), ["must have exactly one version marked as storage version"]),
        (with_schema({"type": "object"}, name="V1"), ["spec.versions[0].name: Invalid value", "storage version V1"]),
        (with_schema({"type": "object"}, deprecationWarning="x"), ["can only be set for deprecated versions"]),
        (with_schema({"type": "object"}, deprecated=True, deprecationWarning=""), ["must not be an empty string"]),
        (
            with_schema({"type": "object"}, additionalPrinterColumns=[{"name": "A", "type": "text", "jsonPath": "a"}]),
            ["must be one of boolean,date,integer,number,string", "must be a simple json path starting with ."],
        ),
        (
            with_schema({"type": "object"}, subresources={"scale": {"specReplicasPath": ".status.n"}}),
            ["should be a json path under .spec", "scale.statusReplicasPath: Required value"],
        ),
        (webhook(), ["exactly one of url or service is required"]),
        (webhook(url="http://a/b"), ["'https' is the only allowed URL scheme"]),
        (webhook(url="https://a/b"), []),
        (
            good(conversion={"strategy": "None", "webhook": {"conversionReviewVersions": ["v1"]}}),
            ["should not be set when strategy is not set to Webhook"],
        ),
        (
            good(conversion={"strategy": "Other"}),
            ['spec.conversion.strategy: Unsupported value: "Other": supported values: "None", "Webhook"'],
        ),
    ],
)
def test_faults_are_told(obj: JSONObject, faults: list[str]) -> None:
    found = told(obj)
    assert len(found) >= len(faults)
    for fault in faults:
        assert any(fault in line for line in found), found
    assert bool(found) is bool(faults)


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        (".spec.color", ""),
        (".spec.color.deep", "is an invalid path: does not refer to a valid field"),
        ("spec.color", "is an invalid path: expected [ or . but got: spec"),
        (".spec['color']", "is an invalid path: array notation is not allowed"),
        (".spec", "must point to a field of type string, boolean or integer"),
        (".metadata.name", "must not point to fields in metadata"),
    ],
)
def test_a_selectable_field_is_one_that_the_schema_has(path: str, fault: str) -> None:
    properties: JSONObject = {
        "spec": {"type": "object", "properties": {"color": {"type": "string"}}},
        "metadata": {"type": "object", "properties": {"name": {"type": "string"}}},
    }
    schema = {"type": "object", "properties": properties}
    found = told(with_schema(schema, selectableFields=[{"jsonPath": path}]))
    assert len(found) == bool(fault)
    assert all(fault in line for line in found)


@pytest.mark.parametrize(
    ("annotation", "fault"),
    [
        ("", "Required value: protected groups must have approval annotation"),
        ("nonsense", "Invalid value"),
        ("https://github.com/kubernetes/kubernetes/pull/1", ""),
        ("unapproved, experimental", ""),
    ],
)
def test_a_protected_group_says_who_approved_it(annotation: str, fault: str) -> None:
    obj = good(group="a.k8s.io")
    obj["metadata"] |= {"name": "widgets.a.k8s.io", "annotations": {"api-approved.kubernetes.io": annotation}}
    found = told(obj)
    assert len(found) == bool(fault)
    assert all(fault in line for line in found)


def test_what_is_served_keeps_its_scope_and_kind() -> None:
    old, new = good(), good(scope="Cluster")
    assert told_of_change(new, old) == []
    old["status"]["conditions"] = [{"type": "Established", "status": "True"}]
    assert told_of_change(new, old) == ['spec.scope: Invalid value: "Cluster": field is immutable']
    assert told_of_change(good(group="other.com"), old)[-1].startswith("spec.group: Invalid value")


def test_what_a_stored_definition_breaks_it_may_go_on_breaking() -> None:
    item: JSONObject = {"type": "object", "properties": {"k": {"type": "string"}}}
    keyed = {
        "type": "array",
        "items": item,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
    }
    old, new = with_properties(x=keyed), with_properties(x=keyed, y={"type": "string"})
    assert len(told(new)) == 1
    assert told_of_change(new, old) == []


def test_a_version_that_objects_are_stored_in_stays() -> None:
    old, new = good(), good()
    new["spec"]["versions"][0]["name"] = "v2"
    new["status"]["storedVersions"] = ["v1", "v2"]
    (fault,) = told_of_change(new, old)
    assert fault.startswith('status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was')


def test_formats_that_nobody_checks_and_sets_of_objects_are_warned_about() -> None:
    items = {"type": "object", "x-kubernetes-map-type": "atomic"}
    obj = with_properties(
        a={"type": "string", "format": "sausage"},
        b={"type": "integer", "format": "int32"},
        c={"type": "array", "x-kubernetes-list-type": "set", "items": items},
    )
    of_objects = 'x-kubernetes-list-type: set for items of type "object"'
    assert schema_warnings(obj) == [
        'unrecognized format "sausage"',
        f"{of_objects} is not supported by server-side apply or CEL validation rules",
    ]
