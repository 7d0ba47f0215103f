"""Three documents of a kind that the server does not merge strategically."""

from __future__ import annotations

import pytest

from kctl.changes.apply import last_applied
from kctl.changes.apply.merge import three_way
from kctl.errors import KctlError
from localplane.apimachinery.objects import JSONObject
from localplane.client.rest.resources import PatchType


def _patch(before: JSONObject, after: JSONObject, live: JSONObject) -> JSONObject:
    metadata = {"name": "x"}
    current: JSONObject = {"kind": "W", **live, "metadata": {**metadata, "annotations": {}}}
    current["metadata"]["annotations"][last_applied.ANNOTATION] = last_applied.encoded(
        {"kind": "W", "metadata": metadata, **before}
    )
    modified = {"kind": "W", "metadata": metadata, **after}
    patch = three_way(current, last_applied.encoded(modified), None, overwrite=True)
    assert patch.type == PatchType.MERGE
    return patch.value


@pytest.mark.parametrize(
    ("before", "after", "live", "patch"),
    [
        ({"spec": {"a": 1, "b": 2}}, {"spec": {"a": 1}}, {"spec": {"a": 1, "b": 2, "c": 3}}, {"spec": {"b": None}}),
        ({"spec": {"a": 1}}, {"spec": {"a": 2}}, {"spec": {"a": 1, "c": 3}}, {"spec": {"a": 2}}),
        ({"spec": {"l": [1]}}, {"spec": {"l": [1, 2]}}, {"spec": {"l": [1]}}, {"spec": {"l": [1, 2]}}),
        ({"spec": {"a": 1}}, {"spec": {"a": 1}}, {"spec": {"a": 1, "c": 3}}, {}),
        ({"spec": {"m": {"k": 1}}}, {"spec": {}}, {"spec": {"m": {"k": 1, "o": 1}}}, {"spec": {"m": None}}),
        ({}, {"spec": {"e": {}}}, {"spec": {}}, {"spec": {"e": {}}}),
    ],
)
def test_deletions_are_against_what_was_applied_and_changes_against_what_is_there(
    before: JSONObject, after: JSONObject, live: JSONObject, patch: JSONObject
) -> None:
    assert _patch(before, after, live) == patch


def test_a_kind_cant_be_changed() -> None:
    with pytest.raises(KctlError, match="At least one of apiVersion, kind and name was changed"):
        three_way({"kind": "A", "metadata": {}}, '{"kind":"B","metadata":{}}', None, overwrite=True)
