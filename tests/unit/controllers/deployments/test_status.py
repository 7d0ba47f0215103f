"""What a deployment says about itself, and when a rollout gets on, is done or has taken too long."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import parse_time
from localplane.controllers.workloads.deployments.rollout import Rollout
from localplane.controllers.workloads.deployments.status import (
    calculated_status,
    is_complete,
    next_check,
    rollout_status,
)

BEGIN = "2026-01-01T00:00:00Z"
MOMENT = parse_time(BEGIN)


def progressing(reason: str, status: str = "True") -> JSONObject:
    return {
        "type": "Progressing",
        "status": status,
        "reason": reason,
        "message": "as it was",
        "lastUpdateTime": BEGIN,
        "lastTransitionTime": BEGIN,
    }


def deployment(replicas: int, status: JSONObject | None = None, deadline: int = 10) -> JSONObject:
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    return {
        "metadata": {"name": "web", "generation": 2},
        "spec": {"replicas": replicas, "strategy": strategy, "progressDeadlineSeconds": deadline},
        "status": status or {},
    }


def replica_set(name: str, size: int, **status: Any) -> JSONObject:
    return {"metadata": {"name": name, "uid": name}, "spec": {"replicas": size}, "status": status}


def counted(replicas: int) -> JSONObject:
    names = ("replicas", "readyReplicas", "availableReplicas")
    return dict.fromkeys(names, replicas) | {"terminatingReplicas": 0, "observedGeneration": 1}


def told(status: JSONObject, kind: str = "Progressing") -> JSONObject:
    found: JSONObject = next((each for each in status["conditions"] if each["type"] == kind), {})
    return found


def test_numbers_are_sums_and_zeros_are_left_out() -> None:
    old = replica_set("old", 2, replicas=2, readyReplicas=1, terminatingReplicas=1, observedGeneration=1)
    new = replica_set("new", 1, replicas=1, observedGeneration=1, terminatingReplicas=2)
    status = calculated_status(Rollout(deployment(2), new, [old]))
    conditions = status.pop("conditions")
    assert status == {
        "observedGeneration": 2,
        "replicas": 3,
        "updatedReplicas": 1,
        "readyReplicas": 1,
        "unavailableReplicas": 3,
        "terminatingReplicas": 3,
    }
    assert [each["reason"] for each in conditions] == ["MinimumReplicasUnavailable"]


def test_pods_that_end_are_not_told_if_a_replica_set_does_not_tell_them() -> None:
    fresh, silent = replica_set("fresh", 1), replica_set("silent", 1, replicas=1, observedGeneration=1)
    assert calculated_status(Rollout(deployment(1), fresh))["terminatingReplicas"] == 0
    assert "terminatingReplicas" not in calculated_status(Rollout(deployment(1), fresh, [silent]))


def test_a_rollout_is_complete_when_all_pods_are_new_and_available() -> None:
    obj = deployment(2)
    complete = {"updatedReplicas": 2, "replicas": 2, "availableReplicas": 2, "observedGeneration": 2}
    assert is_complete(obj, complete)
    for name in complete:
        assert not is_complete(obj, complete | {name: 1})
    assert is_complete(deployment(0), {"observedGeneration": 2})


@pytest.mark.parametrize(
    ("before", "new", "old", "reason"),
    [
        ({}, counted(2), {}, "NewReplicaSetAvailable"),
        ({}, {"replicas": 1}, {}, "ReplicaSetUpdated"),
        ({"replicas": 3, "updatedReplicas": 1}, {"replicas": 1}, {"replicas": 1}, "ReplicaSetUpdated"),
        ({"replicas": 2, "updatedReplicas": 2}, {"replicas": 2, "readyReplicas": 1}, {}, "ReplicaSetUpdated"),
        ({"replicas": 2, "updatedReplicas": 2}, {"replicas": 2}, {}, "NewReplicaSetCreated"),
    ],
)
def test_progress_is_more_new_pods_or_fewer_old_ones(
    before: JSONObject, new: JSONObject, old: JSONObject, reason: str
) -> None:
    obj = deployment(2, before | {"conditions": [progressing("NewReplicaSetCreated")]})
    rollout = Rollout(obj, replica_set("new", 2, **new), [replica_set("old", 0, **old)])
    condition = told(rollout_status(rollout, MOMENT))
    assert condition["reason"] == reason
    assert condition["lastTransitionTime"] == BEGIN
    assert (condition["lastUpdateTime"] == BEGIN) == (reason == "NewReplicaSetCreated")


def test_a_rollout_that_stands_still_until_its_deadline_has_timed_out() -> None:
    status = {"replicas": 1, "updatedReplicas": 1, "conditions": [progressing("ReplicaSetUpdated")]}
    rollout = Rollout(deployment(1, status), replica_set("new", 1, replicas=1))
    assert told(rollout_status(rollout, MOMENT + timedelta(seconds=10)))["reason"] == "ReplicaSetUpdated"
    late = told(rollout_status(rollout, MOMENT + timedelta(seconds=11)))
    assert (late["status"], late["reason"]) == ("False", "ProgressDeadlineExceeded")
    assert late["message"] == 'ReplicaSet "new" has timed out progressing.'


def test_a_rollout_that_was_done_before_does_not_time_out() -> None:
    status = {"replicas": 2, "updatedReplicas": 1, "conditions": [progressing("NewReplicaSetAvailable")]}
    rollout = Rollout(deployment(1, status), replica_set("new", 1, replicas=1), [replica_set("old", 1, replicas=1)])
    assert told(rollout_status(rollout, MOMENT + timedelta(days=1)))["reason"] == "NewReplicaSetAvailable"


def test_without_a_deadline_nothing_is_told() -> None:
    status = {"conditions": [progressing("ReplicaSetUpdated")]}
    obj = deployment(1, status, deadline=2**31 - 1)
    assert told(rollout_status(Rollout(obj, replica_set("new", 1)))) == {}
    assert next_check(obj, {}) is None


def test_the_next_check_is_when_the_deadline_is_over() -> None:
    obj = deployment(1, {"conditions": [progressing("ReplicaSetUpdated")]})
    assert next_check(obj, {}, MOMENT + timedelta(seconds=3)) == timedelta(seconds=8)
    assert next_check(obj, {}, MOMENT + timedelta(seconds=30)) == timedelta(seconds=1)
    over = deployment(1, {"conditions": [progressing("ProgressDeadlineExceeded", "False")]})
    assert next_check(over, {}, MOMENT) is None
    complete = {"updatedReplicas": 1, "replicas": 1, "availableReplicas": 1, "observedGeneration": 2}
    assert next_check(obj, complete, MOMENT) is None


def test_failures_of_the_new_replica_set_are_told_before_those_of_others() -> None:
    def failing(name: str) -> JSONObject:
        failure = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": name}
        return replica_set(name, 1, conditions=[failure | {"lastTransitionTime": BEGIN}])

    both = Rollout(deployment(1), failing("new"), [failing("old")])
    assert told(rollout_status(both), "ReplicaFailure")["message"] == "new"
    old = Rollout(deployment(1), replica_set("new", 1), [failing("old")])
    failure = told(rollout_status(old), "ReplicaFailure")
    assert failure["message"] == "old"
    assert failure["lastUpdateTime"] == failure["lastTransitionTime"] == BEGIN
    mended = Rollout(deployment(1, {"conditions": [failure]}), replica_set("new", 1))
    assert told(rollout_status(mended), "ReplicaFailure") == {}
