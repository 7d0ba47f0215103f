"""The parts of the job controller that need no server: indexes, pauses, and who goes first."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.workloads.jobs.backoff import Failures, finish_time, index_failures_of
from localplane.controllers.workloads.jobs.indexes import Indexes, pending_indexes
from localplane.controllers.workloads.jobs.parallelism import surplus_pods
from localplane.controllers.workloads.jobs.pods import new_pod
from localplane.controllers.workloads.jobs.policies import success_message
from localplane.controllers.workloads.jobs.survey import surveyed

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
INDEX = "batch.kubernetes.io/job-completion-index"
TRACKING = "batch.kubernetes.io/job-tracking"


def a_pod(
    name: str, *, index: str | None = None, phase: str = "Running", node: str = "n", **metadata: Any
) -> JSONObject:
    annotations = {} if index is None else {INDEX: index}
    metadata = {"name": name, "namespace": "default", "uid": name, "annotations": annotations, **metadata}
    metadata.setdefault("creationTimestamp", "2026-01-01T00:00:00Z")
    return {"metadata": metadata, "spec": {"nodeName": node}, "status": {"phase": phase}}


def a_job(*, name: str = "work", status: JSONObject | None = None, **spec: Any) -> JSONObject:
    template = {"spec": {"containers": [{"name": "main", "env": []}], "restartPolicy": "Never"}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "default", "uid": "job"},
        "spec": {"template": template, "parallelism": 1, "backoffLimit": 6, **spec},
        "status": status or {},
    }


def ended_at(pod: JSONObject, minutes: int) -> JSONObject:
    time = (NOON + timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")
    pod["status"]["containerStatuses"] = [{"name": "main", "state": {"terminated": {"finishedAt": time}}}]
    return pod


@pytest.mark.parametrize(
    ("indexes", "text"),
    [
        ([], ""),
        ([3], "3"),
        ([0, 1], "0,1"),
        ([2, 0, 1], "0-2"),
        ([0, 2, 3, 4, 6, 7, 9], "0,2-4,6,7,9"),
    ],
)
def test_indexes_are_written_short(indexes: list[int], text: str) -> None:
    assert str(Indexes.of(indexes)) == text
    assert Indexes.parse(text, 10) == Indexes.of(indexes)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("0-9", "0-4"), ("1,x,3", "1,3"), ("1-2,3-4", "1-4"), ("3,7", "3"), ("4-2", ""), (None, ""), ("5", "")],
)
def test_indexes_that_a_job_does_not_have_are_passed_over(text: str | None, expected: str) -> None:
    assert str(Indexes.parse(text, 5)) == expected


def test_indexes_are_sets() -> None:
    chance = random.Random(3)
    for _ in range(200):
        one = {chance.randrange(30) for _ in range(chance.randrange(20))}
        two = {chance.randrange(30) for _ in range(chance.randrange(20))}
        left, right = Indexes.of(one), Indexes.of(two)
        assert left | right == Indexes.of(one | two)
        assert left.common(right) == len(one & two)
        assert len(left) == len(one)
        assert [index for index in range(30) if index in left] == sorted(one)
        count = chance.randrange(12)
        assert left.missing(count, 25) == [index for index in range(25) if index not in one][:count]
        assert pending_indexes([left, right], 5, 30) == [i for i in range(30) if i not in one | two][:5]


@pytest.mark.parametrize(("count", "seconds"), [(1, 10), (2, 20), (3, 40), (6, 320), (7, 600), (10_000, 600)])
def test_a_pause_doubles_with_each_failure_up_to_ten_minutes(count: int, seconds: int) -> None:
    failures = Failures(count, NOON)
    assert failures.remaining(NOON) == timedelta(seconds=seconds)
    assert failures.remaining(NOON + timedelta(seconds=seconds - 1)) == timedelta(seconds=1)
    assert failures.remaining(NOON + timedelta(seconds=seconds + 1)) == timedelta(0)


def test_a_success_ends_the_pauses_for_what_failed_before_it() -> None:
    early, late = ended_at(a_pod("a"), 0), ended_at(a_pod("b"), 10)
    success = ended_at(a_pod("c"), 5)
    assert Failures().after([], [late, early]) == Failures(2, NOON + timedelta(minutes=10))
    assert Failures(3, NOON).after([success], [early, late]) == Failures(1, NOON + timedelta(minutes=10))
    assert Failures(3, NOON).after([success], []) == Failures()
    assert Failures(3, NOON).after([], []) == Failures(3, NOON)


def test_when_a_pod_ended_is_known_from_its_containers_or_its_readiness_or_its_deletion() -> None:
    pod = ended_at(a_pod("a"), 3)
    assert finish_time(pod) == NOON + timedelta(minutes=3)
    pod["status"]["containerStatuses"].append({"name": "other", "state": {"running": {}}})
    pod["status"]["conditions"] = [{"type": "Ready", "status": "False", "lastTransitionTime": "2026-01-01T12:04:00Z"}]
    assert finish_time(pod) == NOON + timedelta(minutes=4)
    deleted = a_pod("b", deletionTimestamp="2026-01-01T12:05:30Z", deletionGracePeriodSeconds=30)
    assert finish_time(deleted) == NOON + timedelta(minutes=5)
    assert finish_time(a_pod("c")) == datetime(2026, 1, 1, tzinfo=UTC)


def test_an_index_knows_its_failures_from_the_pod_that_failed_last() -> None:
    assert index_failures_of(None) == Failures()
    pod = ended_at(a_pod("a"), 0)
    pod["metadata"]["annotations"] |= {
        "batch.kubernetes.io/job-index-failure-count": "2",
        "batch.kubernetes.io/job-index-ignored-failure-count": "1",
    }
    assert index_failures_of(pod) == Failures(4, NOON)
    pod["metadata"]["annotations"]["batch.kubernetes.io/job-index-failure-count"] = "-7"
    assert index_failures_of(pod) == Failures(2, NOON)


def test_pods_go_that_are_not_scheduled_then_those_that_wait_then_the_youngest() -> None:
    old = a_pod("old", creationTimestamp="2026-01-01T00:00:00Z")
    young = a_pod("young", creationTimestamp="2026-01-01T01:00:00Z")
    waiting = a_pod("waiting", phase="Pending")
    unscheduled = a_pod("unscheduled", phase="Pending", node="")
    pods = [old, waiting, young, unscheduled]
    names = [pod["metadata"]["name"] for pod in surplus_pods(a_job(), pods, 3)]
    assert names == ["unscheduled", "waiting", "young"]


def test_pods_with_a_wrong_index_go_even_if_there_are_not_too_many() -> None:
    job = a_job(completionMode="Indexed", completions=2)
    kept, twin = a_pod("kept", index="0"), a_pod("twin", index="0", phase="Pending")
    odd = [a_pod("none"), a_pod("beyond", index="2"), a_pod("unreadable", index="x")]
    pods = [kept, twin, *odd, a_pod("other", index="1")]
    names = {pod["metadata"]["name"] for pod in surplus_pods(job, pods, 0)}
    assert names == {"twin", "none", "beyond", "unreadable"}


def test_the_name_of_a_pod_with_an_index_is_short_enough_to_be_a_host_name() -> None:
    name = "w" * 60
    job = a_job(name=name, completionMode="Indexed", completions=200)
    pod = new_pod(job, 123)
    assert pod["metadata"]["generateName"] == f"{'w' * 53}-123-"
    assert pod["spec"]["hostname"] == f"{name}-123"
    assert job["spec"]["template"]["spec"]["containers"][0]["env"] == []  # the template is not ours to change


@pytest.mark.parametrize(
    ("rule", "succeeded", "is_met"),
    [
        ({"succeededCount": 2}, "0,5", True),
        ({"succeededCount": 3}, "0,5", False),
        ({"succeededIndexes": "0-2"}, "0-3", True),
        ({"succeededIndexes": "0-2"}, "0,1,3", False),
        ({"succeededIndexes": "0-2", "succeededCount": 2}, "0,1,3", True),
        ({"succeededIndexes": "0-2", "succeededCount": 2}, "0,4-9", False),
        ({"succeededIndexes": "20-30"}, "0-9", False),
        ({"succeededCount": 0}, "", False),
    ],
)
def test_a_success_policy_is_met_by_indexes_or_their_number(rule: JSONObject, succeeded: str, *, is_met: bool) -> None:
    job = a_job(completionMode="Indexed", completions=10, successPolicy={"rules": [{"succeededCount": 99}, rule]})
    message = success_message(job, Indexes.parse(succeeded, 10))
    assert message == ("Matched rules at index 1" if is_met else "")


async def test_a_pod_whose_finalizer_was_removed_is_not_seen_as_new() -> None:
    pods = [a_pod(name, phase="Succeeded", finalizers=[TRACKING]) for name in ("one", "two")]
    status = {"succeeded": 4, "uncountedTerminatedPods": {"succeeded": ["two"]}}
    survey = await surveyed(a_job(completions=9, status=status), pods, {"one"})
    assert survey.new_succeeded == []
    assert survey.succeeded == 5
    survey = await surveyed(a_job(completions=9, status=status), pods, set())
    assert [pod["metadata"]["name"] for pod in survey.new_succeeded] == ["one"]
    assert survey.succeeded == 6


async def test_of_several_failures_at_an_index_the_last_is_kept_for_its_successor() -> None:
    job = a_job(completionMode="Indexed", completions=3, backoffLimitPerIndex=5)
    job["status"] = {"completedIndexes": "2", "uncountedTerminatedPods": {}}
    pods = [
        ended_at(a_pod("early", index="0", phase="Failed", finalizers=[TRACKING]), 0),
        ended_at(a_pod("late", index="0", phase="Failed", finalizers=[TRACKING]), 5),
        ended_at(a_pod("replaced", index="1", phase="Failed", finalizers=[TRACKING]), 5),
        a_pod("running", index="1", finalizers=[TRACKING]),
        ended_at(a_pod("done", index="2", phase="Failed", finalizers=[TRACKING]), 5),
    ]
    survey = await surveyed(job, pods, set())
    assert {index: pod["metadata"]["name"] for index, pod in survey.delayed.items()} == {0: "late"}
    assert survey.failed_indexes == Indexes()
