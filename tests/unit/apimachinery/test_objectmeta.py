"""Metadata that is in order, and what is said of metadata that is not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apimachinery import objectmeta
from localplane.apimachinery.fieldpath import Path
from localplane.apimachinery.names import dns1123_subdomain, path_segment_name

GOOD = {
    "name": "a",
    "namespace": "default",
    "uid": "u",
    "resourceVersion": "7",
    "creationTimestamp": "2026-01-02T03:04:05Z",
    "generation": 2,
}


def create_messages(metadata: dict[str, Any], *, namespaced: bool = True) -> list[str]:
    errors = objectmeta.validate_object_meta(metadata, namespaced=namespaced, validate_name=dns1123_subdomain)
    return [str(error) for error in errors]


def update_messages(new: dict[str, Any], old: dict[str, Any]) -> list[str]:
    return [str(error) for error in objectmeta.validate_object_meta_update(GOOD | new, GOOD | old)]


def test_good_metadata_has_no_errors() -> None:
    rich = GOOD | {
        "labels": {"ok": "", "x.io/ok": "a-b_c.D"},
        "annotations": {"Upper.io/k": "anything <at> all"},
        "finalizers": ["x.io/y", "plain"],
        "ownerReferences": [
            {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "u", "controller": True}
        ],
        "managedFields": [{"manager": "m", "operation": "Apply", "fieldsType": "FieldsV1"}],
    }
    assert create_messages(rich) == []
    assert [str(error) for error in objectmeta.validate_object_meta_update(rich, rich)] == []


@pytest.mark.parametrize(
    ("change", "messages"),
    [
        ({"name": ""}, ["metadata.name: Required value: name or generateName is required"]),
        ({"name": 5}, ["metadata.name: Required value: name or generateName is required"]),
        ({"namespace": ""}, ["metadata.namespace: Required value"]),
        ({"namespace": "a.b"}, ['metadata.namespace: Invalid value: "a.b": must not contain dots']),
        ({"generation": -1}, ["metadata.generation: Invalid value: -1: must be greater than or equal to 0"]),
        ({"labels": {"k": "x" * 64}}, [f'metadata.labels: Invalid value: "{"x" * 64}": must be no more than 63 bytes']),
        ({"annotations": {"/x": ""}}, ['metadata.annotations: Invalid value: "/x": prefix part must be non-empty']),
        ({"annotations": {"k": "x" * (256 * 1024 - 1)}}, []),
        (
            {"annotations": {"k": "x" * (256 * 1024)}},
            ["metadata.annotations: Too long: may not be more than 262144 bytes"],
        ),
        (
            {"finalizers": ["orphan", "foregroundDeletion"]},
            [
                (
                    'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: '
                    "finalizer orphan and foregroundDeletion cannot be both set"
                )
            ],
        ),
        ({"finalizers": ["x/y/"]}, None),
        ({"labels": "text", "annotations": 3, "ownerReferences": {}, "finalizers": "f", "managedFields": 1}, []),
    ],
)
def test_what_is_wrong_on_create(change: dict[str, Any], messages: list[str] | None) -> None:
    found = create_messages(GOOD | change)
    assert found == messages if messages is not None else len(found) == 1


def test_a_bad_generate_name_is_told_beside_the_bad_name_that_came_of_it() -> None:
    errors = objectmeta.validate_object_meta(
        {"generateName": "a/", "name": "a/bcdfg"}, namespaced=False, validate_name=path_segment_name
    )
    assert [str(error) for error in errors] == [
        "metadata.generateName: Invalid value: \"a/\": may not contain '/'",
        "metadata.name: Invalid value: \"a/bcdfg\": may not contain '/'",
    ]


def test_a_cluster_scoped_object_has_no_namespace() -> None:
    assert create_messages(GOOD, namespaced=False) == ["metadata.namespace: Forbidden: not allowed on this type"]


OWNER = {"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": "u"}


@pytest.mark.parametrize(
    ("owners", "messages"),
    [
        ([OWNER], []),
        (
            [OWNER | {"name": "", "uid": ""}],
            ["[0].name: Required value: must not be empty", "[0].uid: Required value: must not be empty"],
        ),
        (
            [OWNER | {"apiVersion": "a/b/c", "kind": ""}],
            [
                '[0].apiVersion: Invalid value: "a/b/c": must be <group>/<version> or <version>',
                "[0].kind: Required value: must not be empty",
            ],
        ),
        (
            [{"uid": "u", "name": "x", "kind": "Event", "apiVersion": "v1"}],
            [
                (
                    '[0]: Invalid value: {"apiVersion":"v1","kind":"Event","name":"x","uid":"u"}: '
                    "/v1, Kind=Event is disallowed from being an owner"
                )
            ],
        ),
        ([OWNER | {"apiVersion": "events.k8s.io/v1", "kind": "Event"}], []),
        (
            [OWNER | {"controller": True}, OWNER, {"controller": True, **OWNER, "name": "y"}],
            [
                (
                    ': Invalid value: [{"apiVersion":"v1","kind":"Pod","name":"x","uid":"u","controller":true},'
                    '{"apiVersion":"v1","kind":"Pod","name":"x","uid":"u"},'
                    '{"apiVersion":"v1","kind":"Pod","name":"y","uid":"u","controller":true}]: '
                    'Only one reference can have Controller set to true. Found "true" in references for Pod/x and Pod/y'
                )
            ],
        ),
        (
            ["text"],
            [f"[0].{name}: Required value: must not be empty" for name in ("apiVersion", "kind", "name", "uid")],
        ),
    ],
)
def test_owner_references(owners: list[Any], messages: list[str]) -> None:
    expected = [f"metadata.ownerReferences{message}" for message in messages]
    assert create_messages(GOOD | {"ownerReferences": owners}) == expected
    assert update_messages({"ownerReferences": owners}, {}) == expected


@pytest.mark.parametrize(
    ("entry", "messages"),
    [
        ({}, ["operation: Required value: must not be empty"]),
        ({"operation": "Nope"}, ['operation: Unsupported value: "Nope": supported values: "Apply", "Update"']),
        ({"operation": "Update", "fieldsType": "V2"}, ['fieldsType: Invalid value: "V2": must be `FieldsV1`']),
        ({"operation": "Update", "manager": "m" * 129}, ["manager: Too long: may not be more than 128 bytes"]),
        (
            {"operation": "Update", "manager": "é\t"},
            ['manager: Invalid value: "é\\t": invalid character U+0009 (at position 2)'],
        ),
        ({"operation": "Update", "subresource": "s" * 257}, ["subresource: Too long: may not be more than 256 bytes"]),
    ],
)
def test_managed_fields(entry: dict[str, Any], messages: list[str]) -> None:
    expected = [f"metadata.managedFields[0].{message}" for message in messages]
    assert create_messages(GOOD | {"managedFields": [entry]}) == expected


@pytest.mark.parametrize(
    ("new", "old", "messages"),
    [
        ({}, {}, []),
        ({"name": "b"}, {}, ['metadata.name: Invalid value: "b": field is immutable']),
        ({"namespace": ""}, {}, ['metadata.namespace: Invalid value: "": field is immutable']),
        ({"uid": "w"}, {}, ['metadata.uid: Invalid value: "w": field is immutable']),
        ({"creationTimestamp": "2026-01-02T04:04:05+01:00"}, {}, []),
        ({"creationTimestamp": None}, {}, ["metadata.creationTimestamp: Invalid value: null: field is immutable"]),
        (
            {"deletionTimestamp": "2026-01-02T03:04:05Z"},
            {},
            ['metadata.deletionTimestamp: Invalid value: "2026-01-02T03:04:05Z": field is immutable'],
        ),
        (
            {"deletionGracePeriodSeconds": 5},
            {"deletionGracePeriodSeconds": 30},
            ["metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable"],
        ),
        ({"resourceVersion": ""}, {}, ['metadata.resourceVersion: Invalid value: "": must be specified for an update']),
        ({"generation": 1}, {}, ["metadata.generation: Invalid value: 1: must not be decremented"]),
        (
            {"labels": {"/x": ""}},
            {},
            ['metadata.labels: Invalid value: "/x": prefix part must be non-empty'],
        ),
    ],
)
def test_what_is_wrong_on_update(new: dict[str, Any], old: dict[str, Any], messages: list[str]) -> None:
    assert update_messages(new, old) == messages


def test_no_finalizer_is_added_to_an_object_that_is_being_deleted() -> None:
    gone = {"deletionTimestamp": "2026-01-02T03:04:05Z"}
    kept = {"finalizers": ["x.io/one", "x.io/two"]}
    assert update_messages(gone | {"finalizers": ["x.io/two"]}, gone | kept) == []
    assert update_messages(gone | {"finalizers": ["x.io/z", "x.io/two", 'a"b']}, gone | kept) == [
        (
            "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, "
            'found new finalizers []string{"a\\"b", "x.io/z"}'
        )
    ]


def test_built_in_kinds_want_qualified_finalizers() -> None:
    errors = list(objectmeta.validate_kube_finalizers({"finalizers": ["orphan", "plain", 3]}))
    assert [str(error) for error in errors] == [
        (
            'metadata.finalizers[1]: Invalid value: "plain": '
            "name is neither a standard finalizer name nor is it fully qualified"
        )
    ]


ODD: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.sampled_from(["v1", "Event", "Apply"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["apiVersion", "kind", "controller", "operation", "é"]), inner)
    ),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    [
        "name",
        "generateName",
        "namespace",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "labels",
        "annotations",
        "ownerReferences",
        "finalizers",
        "managedFields",
    ]
)


@given(st.dictionaries(FIELDS, ODD), st.dictionaries(FIELDS, ODD))
def test_metadata_of_any_shape_is_judged_without_raising(new: dict[str, Any], old: dict[str, Any]) -> None:
    errors = objectmeta.validate_object_meta(new, namespaced=True, validate_name=dns1123_subdomain)
    errors += objectmeta.validate_object_meta_update(new, old, Path("metadata"))
    errors += objectmeta.validate_kube_finalizers(new)
    assert all(str(error) for error in errors)
