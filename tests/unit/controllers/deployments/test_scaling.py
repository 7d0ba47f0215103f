"""Scaling in the middle of a rollout: every replica set keeps its share.

The cases are those of pkg/controller/deployment/sync_test.go, TestScale.
"""

from __future__ import annotations

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.workloads.deployments.limits import max_replicas, replicas
from localplane.controllers.workloads.deployments.revisions import DESIRED, MAXIMUM
from localplane.controllers.workloads.deployments.rollout import Rollout
from localplane.controllers.workloads.deployments.scale import is_scaled, shares


def deployment(size: int, surge: int = 0, told: int = 0) -> JSONObject:
    rolling = {"maxSurge": surge, "maxUnavailable": 1}
    return {
        "metadata": {"name": "web"},
        "spec": {"replicas": size, "strategy": {"type": "RollingUpdate", "rollingUpdate": rolling}},
        "status": {"replicas": told},
    }


def replica_set(name: str, size: int, age: int, noted: int | None) -> JSONObject:
    annotations = {DESIRED: str(noted), MAXIMUM: str(noted)} if noted is not None else {}
    created = f"2026-01-01T00:00:{59 - age:02}Z"
    metadata = {"name": name, "uid": name, "creationTimestamp": created, "annotations": annotations}
    return {"metadata": metadata, "spec": {"replicas": size}}


@pytest.mark.parametrize(
    ("before", "after", "sizes", "expected"),
    [
        (10, 20, [("old", 8, 1), ("new", 2, 0)], {"old": 16, "new": 4}),
        (10, 5, [("old", 5, 1), ("new", 5, 0)], {"old": 2, "new": 3}),
        (10, 6, [("old", 5, 2), ("older", 2, 3), ("new", 3, 0)], {"old": 3, "older": 1, "new": 2}),
        (10, 15, [("older", 5, 2), ("old", 5, 1)], {"older": 7, "old": 8}),
        (10, 20, [("older", 3, 2), ("old", 2, 1), ("new", 5, 0)], {"older": 6, "old": 4, "new": 10}),
        (10, 0, [("old", 7, 1), ("new", 3, 0)], {"old": 0, "new": 0}),
    ],
)
def test_shares_are_kept(before: int, after: int, sizes: list[tuple[str, int, int]], expected: dict[str, int]) -> None:
    active = [replica_set(name, size, age, before) for name, size, age in sizes]
    to_add = max_replicas(deployment(after)) - before
    shared = {each["metadata"]["name"]: size for each, size in shares(deployment(after), active, to_add)}
    assert shared == expected


def test_without_a_note_the_deployments_status_says_how_many_there_were() -> None:
    active = [replica_set("old", 8, 1, None), replica_set("new", 2, 0, None)]
    shared = [size for _, size in shares(deployment(20, told=10), active, 10)]
    assert shared == [16, 4]
    assert [size for _, size in shares(deployment(20, told=0), active, 10)] == [18, 2]


def test_nothing_to_add_leaves_all_as_they_are() -> None:
    active = [replica_set("old", 8, 1, 10), replica_set("new", 2, 0, 10)]
    assert [(each["metadata"]["name"], size) for each, size in shares(deployment(10), active, 0)] == [
        ("old", 8),
        ("new", 2),
    ]


def test_a_deployment_is_scaled_when_a_replica_set_with_pods_knows_another_size() -> None:
    old, new = replica_set("old", 5, 1, 10), replica_set("new", 5, 0, 10)
    assert not is_scaled(Rollout(deployment(10), new, [old]))
    assert is_scaled(Rollout(deployment(11), new, [old]))
    assert not is_scaled(Rollout(deployment(11), None, [replica_set("empty", 0, 1, 10)]))
    assert sum(map(replicas, (old, new))) == 10
