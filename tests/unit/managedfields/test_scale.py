"""Managers of the scale subresource."""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.managedfields import ScaleManagers

PATHS = {"apps/v1": ("f:spec", "f:replicas"), "apps/v1beta1": None}
REPLICAS: dict[str, Any] = {"f:spec": {"f:replicas": {}}}


def entry(manager: str, fields: dict[str, Any], version: str = "apps/v1", **more: str) -> dict[str, Any]:
    found = {"manager": manager, "operation": "Update", "apiVersion": version, "fieldsType": "FieldsV1"}
    return {**found, "fieldsV1": fields, **more}


CREATOR = entry("creator", {"f:spec": {"f:paused": {}, "f:replicas": {}}}, time="2026-01-01T00:00:00Z")
OTHER = entry("other", {"f:spec": {"f:paused": {}}})


def managers() -> ScaleManagers:
    return ScaleManagers([CREATOR, OTHER], "apps/v1", PATHS)


def test_a_scale_has_the_managers_of_the_replicas() -> None:
    (found,) = managers().of_scale()
    assert (found["manager"], found["apiVersion"], found["fieldsV1"]) == ("creator", "autoscaling/v1", REPLICAS)


def test_who_scales_takes_the_replicas_from_their_owner() -> None:
    scaled = [entry("sc", REPLICAS, "autoscaling/v1", subresource="scale")]
    found = {each["manager"]: each for each in managers().of_parent(scaled)}
    assert found["creator"]["fieldsV1"] == {"f:spec": {"f:paused": {}}}
    assert found["other"] == OTHER
    assert found["sc"] == entry("sc", REPLICAS, subresource="scale")


def test_an_owner_of_nothing_else_is_forgotten() -> None:
    parent = [entry("creator", REPLICAS)]
    scaled = [entry("sc", REPLICAS, "autoscaling/v1", subresource="scale")]
    found = ScaleManagers(parent, "apps/v1", PATHS).of_parent(scaled)
    assert [each["manager"] for each in found] == ["sc"]


def test_managers_of_unknown_versions_are_forgotten_and_those_without_scale_stay() -> None:
    parent = [entry("old", REPLICAS, "apps/v1beta1"), entry("gone", REPLICAS, "apps/v0")]
    assert ScaleManagers(parent, "apps/v1", PATHS).of_parent(None) == [parent[0]]
