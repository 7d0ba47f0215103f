"""Jobs: their labels and selector, their rules, what may change, and how a status may go on."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.catalog.batch.jobs import JOBS, job_cells
from tests.unit.catalog.writing import REQUEST, UID, change_refusals, created, refusals, status_refusals

GENERATED = {
    "batch.kubernetes.io/controller-uid": UID,
    "batch.kubernetes.io/job-name": "x",
    "controller-uid": UID,
    "job-name": "x",
}
ACTIONS = '["Count" "FailIndex" "FailJob" "Ignore"]'
START, END = "2024-01-01T00:00:00Z", "2024-01-01T00:01:30Z"


def job(**spec: Any) -> JSONObject:
    pod = {"restartPolicy": "Never", "containers": [{"name": "c", "image": "img"}]}
    return {"spec": {"template": {"spec": pod}} | spec}


def true(*kinds: str) -> list[JSONObject]:
    return [{"type": kind, "status": "True"} for kind in kinds]


def test_a_job_finds_its_pods_by_labels_that_no_other_job_has() -> None:
    obj = created(JOBS, job())
    assert obj["spec"]["template"]["metadata"]["labels"] == GENERATED
    assert obj["spec"]["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": UID}}
    assert obj["metadata"]["labels"] == GENERATED
    assert JOBS.strategy.validate(REQUEST, obj) == []


def test_a_job_without_labels_shares_those_of_its_template() -> None:
    template = job()["spec"]["template"] | {"metadata": {"labels": {"a": "b"}}}
    assert created(JOBS, job(template=template))["metadata"]["labels"] == {"a": "b", **GENERATED}
    labelled = job(template=template) | {"metadata": {"labels": {"own": "yes"}}}
    assert created(JOBS, labelled)["metadata"]["labels"] == {"own": "yes"}


def test_a_manual_selector_is_left_alone() -> None:
    template = job()["spec"]["template"] | {"metadata": {"labels": {"a": "b"}}}
    obj = created(JOBS, job(template=template, manualSelector=True, selector={"matchLabels": {"a": "b"}}))
    assert obj["spec"]["template"]["metadata"]["labels"] == {"a": "b"}
    assert JOBS.strategy.validate(REQUEST, obj) == []


@pytest.mark.parametrize(
    ("spec", "defaulted"),
    [
        ({}, {"completions": 1, "parallelism": 1, "backoffLimit": 6, "podReplacementPolicy": "TerminatingOrFailed"}),
        ({"parallelism": 3}, {"completions": None, "parallelism": 3}),
        ({"completions": 3}, {"completions": 3, "parallelism": 1}),
        ({"backoffLimitPerIndex": 1}, {"backoffLimit": 2147483647}),
        ({"podFailurePolicy": {}}, {"podReplacementPolicy": "Failed"}),
    ],
)
def test_what_a_job_leaves_out_follows_from_what_it_says(spec: JSONObject, defaulted: JSONObject) -> None:
    found = created(JOBS, job(**spec))["spec"]
    assert {name: found.get(name) for name in defaulted} == defaulted


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        (
            {"completionMode": "Odd"},
            ['completionMode: Unsupported value: "Odd": supported values: "NonIndexed", "Indexed"'],
        ),
        ({"backoffLimitPerIndex": 1}, ["backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode"]),
        (
            {"completionMode": "Indexed", "completions": 2, "maxFailedIndexes": 3, "backoffLimitPerIndex": 1},
            ["maxFailedIndexes: Invalid value: 3: must be less than or equal to completions"],
        ),
        (
            {"completionMode": "Indexed", "completions": 2, "maxFailedIndexes": 1},
            ["backoffLimitPerIndex: Required value: when maxFailedIndexes is specified"],
        ),
        (
            {"managedBy": "me"},
            ['managedBy: Invalid value: "me": must be a domain-prefixed path (such as "acme.io/foo")'],
        ),
        (
            {"podReplacementPolicy": "Later"},
            ['podReplacementPolicy: Unsupported value: "Later": supported values: "Failed", "TerminatingOrFailed"'],
        ),
        (
            {
                "podFailurePolicy": {
                    "rules": [{"action": "Ignore", "onExitCodes": {"operator": "In", "values": [2, 1, 1]}}]
                }
            },
            [
                "podFailurePolicy.rules[0].onExitCodes.values[2]: Duplicate value: 1",
                "podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [2,1,1]: must be ordered",
            ],
        ),
        (
            {"podFailurePolicy": {"rules": [{"onPodConditions": [{"type": "Ready"}]}]}},
            [f"podFailurePolicy.rules[0].action: Required value: valid values: {ACTIONS}"],
        ),
        (
            {"successPolicy": {"rules": [{"succeededCount": 1}]}},
            [
                (
                    'successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: '
                    "requires indexed completion mode"
                )
            ],
        ),
        (
            {
                "completionMode": "Indexed",
                "completions": 3,
                "successPolicy": {"rules": [{"succeededIndexes": "0-1", "succeededCount": 3}]},
            },
            [
                (
                    "successPolicy.rules[0].succeededCount: Invalid value: 3: must be less than or equal to 2 "
                    "(the number of indexes in the specified succeededIndexes field)"
                )
            ],
        ),
    ],
)
def test_what_is_wrong_with_a_job_is_told_in_kubernetes_words(spec: JSONObject, told: list[str]) -> None:
    assert refusals(JOBS, job(**spec)) == [f"spec.{each}" for each in told]


def test_the_last_pod_of_an_indexed_job_must_still_have_a_name() -> None:
    name = "a" * 60
    assert refusals(JOBS, job(completionMode="Indexed", completions=1000) | {"metadata": {"name": name}}) == [
        f'metadata.name: Invalid value: "{name}": will not able to create pod with invalid DNS label: {name}-999'
    ]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"parallelism": 9, "suspend": True, "ttlSecondsAfterFinished": 5}, []),
        ({"completions": 5}, ["spec.completions: Invalid value: 5: field is immutable"]),
        ({"completionMode": "Indexed"}, ['spec.completionMode: Invalid value: "Indexed": field is immutable']),
    ],
)
def test_only_some_fields_of_a_job_may_change(change: JSONObject, told: list[str]) -> None:
    old = created(JOBS, job())
    assert change_refusals(JOBS, old, copied(old) | {"spec": copied(old["spec"]) | change}) == told


def test_an_indexed_job_grows_as_a_whole() -> None:
    old = created(JOBS, job(completionMode="Indexed", completions=2, parallelism=2))
    new = copied(old)
    new["spec"]["completions"] = 3
    assert change_refusals(JOBS, old, new) == [
        "spec.completions: Invalid value: 3: can only be modified in tandem with spec.parallelism"
    ]
    new["spec"]["parallelism"] = 3
    assert change_refusals(JOBS, old, new) == []


def test_a_template_may_change_where_its_pods_run_while_the_job_is_suspended() -> None:
    running, suspended = (created(JOBS, job(suspend=suspend)) for suspend in (False, True))
    for old, is_free in ((running, False), (suspended, True)):
        new = copied(old)
        new["spec"]["template"]["spec"]["nodeSelector"] = {"zone": "a"}
        new["spec"]["template"]["spec"]["affinity"] = {"nodeAffinity": {}}
        new["spec"]["template"]["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "1"}}
        assert bool(change_refusals(JOBS, old, new)) is not is_free
    new = copied(suspended)
    new["spec"]["template"]["spec"]["containers"][0]["image"] = "other"
    (told,) = change_refusals(JOBS, suspended, new)
    assert told.startswith('spec.template.spec: Invalid value: {"Volumes":null,')


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ({}, {"startTime": START, "active": 1, "ready": 1}, []),
        ({}, {"active": 1, "ready": 2}, ["status.ready: Invalid value: 2: cannot set more ready pods than active"]),
        (
            {},
            {"startTime": START, "completionTime": END, "conditions": true("SuccessCriteriaMet", "Complete")},
            [],
        ),
        (
            {},
            {"startTime": START, "completionTime": END, "conditions": true("Complete")},
            [
                (
                    "status.conditions: Invalid value: cannot set Complete=True condition without the "
                    "SuccessCriteriaMet=true condition"
                )
            ],
        ),
        (
            {},
            {"conditions": true("FailureTarget", "Failed")},
            ["status.startTime: Required value: startTime is required for finished job"],
        ),
        ({"failed": 2}, {"failed": 1}, ["status.failed: Invalid value: 1: cannot decrease the failed counter"]),
        (
            {"startTime": START, "conditions": true("FailureTarget", "Failed")},
            {"startTime": START, "conditions": true("FailureTarget")},
            ["status.conditions: Invalid value: cannot disable the terminal Failed=True condition"],
        ),
        (
            {"startTime": START},
            {"startTime": END},
            [f'status.startTime: Invalid value: "{END}": field is immutable for unsuspended job once set'],
        ),
        (
            {},
            {"startTime": END, "completionTime": START, "conditions": true("SuccessCriteriaMet", "Complete")},
            [f'status.completionTime: Invalid value: "{START}": must be equal to or after `startTime`'],
        ),
        (
            {},
            {"uncountedTerminatedPods": {"succeeded": ["a", "a"]}},
            ['status.uncountedTerminatedPods.succeeded[1]: Duplicate value: "a"'],
        ),
        (
            {},
            {"completedIndexes": "0"},
            [
                (
                    'status.completedIndexes: Invalid value: "0": cannot set non-empty completedIndexes when '
                    "non-indexed completion mode"
                )
            ],
        ),
    ],
)
def test_a_status_goes_on_only_as_clients_expect_it(old: JSONObject, new: JSONObject, told: list[str]) -> None:
    assert status_refusals(JOBS, created(JOBS, job()) | {"status": old}, new) == told


@pytest.mark.parametrize(
    ("spec", "status", "cells"),
    [
        ({"completions": 3}, {"succeeded": 1}, ["Running", "1/3", ""]),
        ({"parallelism": 2}, {}, ["Running", "0/1 of 2", ""]),
        ({}, {"startTime": START, "completionTime": END, "conditions": true("Complete")}, ["Complete", "0/1", "90s"]),
        ({}, {"conditions": true("Suspended")}, ["Suspended", "0/1", ""]),
    ],
)
def test_a_row_tells_how_far_a_job_is(spec: JSONObject, status: JSONObject, cells: list[str]) -> None:
    assert job_cells(created(JOBS, job(**spec)) | {"status": status})[1:4] == cells
