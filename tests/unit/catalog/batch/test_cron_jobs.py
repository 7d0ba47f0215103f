"""Cron jobs: schedules, time zones, and the job in their template."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.catalog.batch.cron_jobs import CRON_JOBS, cron_job_cells
from tests.unit.catalog.writing import REQUEST, change_refusals, created, refusals

AUTOMATIC = "`selector` will be auto-generated"
NO_ZONE_HERE = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"


def cron_job(job: JSONObject | None = None, **spec: Any) -> JSONObject:
    pod = {"restartPolicy": "OnFailure", "containers": [{"name": "c", "image": "img"}]}
    template = {"spec": {"template": {"spec": pod}} | (job or {})}
    return {"spec": {"schedule": "*/5 * * * *", "jobTemplate": template} | spec}


def test_the_job_in_the_template_is_filled_up_when_it_is_made_and_not_before() -> None:
    spec = created(CRON_JOBS, cron_job())["spec"]
    assert (spec["concurrencyPolicy"], spec["suspend"]) == ("Allow", False)
    assert (spec["successfulJobsHistoryLimit"], spec["failedJobsHistoryLimit"]) == (3, 1)
    assert spec["jobTemplate"]["spec"].keys() == {"template"}
    assert spec["jobTemplate"]["spec"]["template"]["spec"]["dnsPolicy"] == "ClusterFirst"


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({}, []),
        ({"timeZone": "Europe/Berlin"}, []),
        ({"schedule": ""}, ["schedule: Required value"]),
        ({"schedule": "1 2"}, ['schedule: Invalid value: "1 2": expected exactly 5 fields, found 2: [1 2]']),
        ({"schedule": "TZ=UTC 0 0 * * *"}, [f'schedule: Invalid value: "TZ=UTC 0 0 * * *": {NO_ZONE_HERE}']),
        ({"timeZone": ""}, ['timeZone: Invalid value: "": timeZone must be nil or non-empty string']),
        ({"timeZone": "Moon/Base"}, ['timeZone: Invalid value: "Moon/Base": unknown time zone Moon/Base']),
        ({"timeZone": "../etc"}, ['timeZone: Invalid value: "../etc": unknown time zone ../etc']),
        (
            {"timeZone": "Local"},
            [
                (
                    'timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in '
                    "https://www.iana.org/time-zones"
                )
            ],
        ),
        (
            {"concurrencyPolicy": "Queue"},
            ['concurrencyPolicy: Unsupported value: "Queue": supported values: "Allow", "Forbid", "Replace"'],
        ),
        (
            {"job": {"manualSelector": True, "selector": {"matchLabels": {"a": "b"}}}},
            [
                'jobTemplate.spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: ' + AUTOMATIC,
                'jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
            ],
        ),
    ],
)
def test_what_is_wrong_with_a_cron_job_is_told_in_kubernetes_words(spec: JSONObject, told: list[str]) -> None:
    assert refusals(CRON_JOBS, cron_job(**spec)) == [f"spec.{each}" for each in told]


def test_a_name_leaves_room_for_the_names_of_its_jobs() -> None:
    name = "a" * 53
    assert refusals(CRON_JOBS, cron_job() | {"metadata": {"name": name}}) == [
        f'metadata.name: Invalid value: "{name}": must be no more than 52 characters'
    ]


def test_who_has_a_time_zone_in_the_schedule_may_keep_it_and_is_warned() -> None:
    old = created(CRON_JOBS, cron_job(schedule="TZ=UTC 0 0 * * *"))
    new = copied(old)
    new["spec"]["suspend"] = True
    assert change_refusals(CRON_JOBS, old, new) == []
    (warning,) = CRON_JOBS.strategy.warnings_on_update(REQUEST, new, old)
    assert warning.startswith("cannot use TZ or CRON_TZ in spec.spec.schedule")
    new["spec"]["timeZone"] = "UTC"
    assert change_refusals(CRON_JOBS, old, new) == [
        'spec.schedule: Invalid value: "TZ=UTC 0 0 * * *": cannot use both timeZone field and TZ or CRON_TZ in schedule'
    ]


def test_a_row_tells_when_and_what_it_runs() -> None:
    obj = created(CRON_JOBS, cron_job(timeZone="UTC"))
    assert cron_job_cells(obj) == ["x", "*/5 * * * *", "UTC", "False", 0, "<none>", "<unknown>", "c", "img", "<none>"]
