"""Storage version migrations: a spec that stays, and a status that only goes forward."""

from __future__ import annotations

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.catalog.storagemigration.storage_version_migrations import (
    STORAGE_VERSION_MIGRATIONS,
    storage_version_migration_cells,
)
from tests.unit.catalog import writing
from tests.unit.catalog.judging import change_refusals, made, refusals


def migration(resource: str = "pods", group: str = "") -> JSONObject:
    return {"spec": {"resource": {"resource": resource, "group": group}}}


def condition(kind: str, status: str = "True") -> JSONObject:
    return {"type": kind, "status": status, "reason": "R", "message": "", "lastTransitionTime": "2020-01-01T00:00:00Z"}


def test_a_resource_is_named() -> None:
    assert refusals(STORAGE_VERSION_MIGRATIONS, migration()) == []
    assert refusals(STORAGE_VERSION_MIGRATIONS, migration("")) == [
        "spec.resource.resource: Required value: resource is required to be set"
    ]


def test_the_spec_never_changes() -> None:
    assert change_refusals(STORAGE_VERSION_MIGRATIONS, migration(), migration("jobs", "batch")) == [
        'spec: Invalid value: {"Resource":{"group":"batch","resource":"jobs"}}: field is immutable'
    ]


@pytest.mark.parametrize(
    ("before", "after", "errors"),
    [
        ({}, {"resourceVersion": "12", "conditions": [condition("Running")]}, []),
        (
            {},
            {"resourceVersion": "012"},
            ['status.resourceVersion: Invalid value: "012": resource version is not well formed: 012'],
        ),
        (
            {"resourceVersion": "1"},
            {"resourceVersion": "2"},
            ['status.resourceVersion: Invalid value: "2": field is immutable'],
        ),
        (
            {"conditions": [condition("Succeeded")]},
            {},
            [
                "status.conditions: Invalid value: []: Success condition cannot be set to false once it is true",
            ],
        ),
    ],
)
def test_status(before: JSONObject, after: JSONObject, errors: list[str]) -> None:
    old = made(STORAGE_VERSION_MIGRATIONS, migration()) | {"status": before}
    assert writing.status_refusals(STORAGE_VERSION_MIGRATIONS, old, after) == errors


def test_a_row_shows_how_far_it_is() -> None:
    obj = {"metadata": {"name": "x"}, **migration("jobs", "batch")}
    assert storage_version_migration_cells(obj) == ["x", "jobs.batch", "Unknown"]
    running = obj | {"status": {"conditions": [condition("Running"), condition("Failed", "False")]}}
    assert storage_version_migration_cells(running)[2] == "Running"
