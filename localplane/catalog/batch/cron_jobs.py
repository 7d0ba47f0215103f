"""Cron jobs. Kubernetes: pkg/apis/batch, pkg/registry/batch/cronjob."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, declared, invalid, not_supported, required
from localplane.apimachinery.names import size
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import selector_text
from localplane.apimachinery.times import age
from localplane.apiserver.request import Request
from localplane.catalog.declarations import builtin
from localplane.catalog.pod_controllers import (
    SPEC,
    PodControllerStrategy,
    container_cells,
    drop_disabled_template_fields,
    name_warnings,
    shown_selector,
)
from localplane.catalog.strategy import BuiltinStatusStrategy
from localplane.catalog.validation.rules import NOT_NEGATIVE, Fields, OneOf, Required, Struct

from .job_defaults import default_job_spec
from .job_validation import common_spec_errors
from .jobs import job_warnings
from .schedules import InvalidSchedule, check_schedule
from .time_zones import time_zone_errors

_METADATA = Path("metadata")
_JOB = SPEC / "jobTemplate" / "spec"
_NAME_MAX = 63 - 11  # its jobs are called after it, with a dash and ten digits
_ZONE_IN_SCHEDULE = (
    "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see "
    "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
)


def default_cron_job(obj: JSONObject) -> None:
    spec = obj.setdefault("spec", {})
    if not spec.get("concurrencyPolicy"):
        spec["concurrencyPolicy"] = "Allow"
    spec.setdefault("suspend", False)
    spec.setdefault("successfulJobsHistoryLimit", 3)
    spec.setdefault("failedJobsHistoryLimit", 1)
    default_job_spec(spec.setdefault("jobTemplate", {}).setdefault("spec", {}))


def _job_of(obj: JSONObject) -> JSONObject:
    return ((obj.get("spec") or {}).get("jobTemplate") or {}).get("spec") or {}


def _schedule_errors(spec: JSONObject, before: JSONObject | None, path: Path) -> Iterator[FieldError]:
    """A time zone in the schedule was never meant to work; who has one may keep it."""
    schedule = spec.get("schedule", "")
    if not schedule:
        yield declared(required(path))
        return
    try:
        check_schedule(schedule)
    except InvalidSchedule as error:
        yield invalid(path, schedule, str(error))
    if "TZ" not in schedule:
        return
    if before is None or "TZ" not in before.get("schedule", ""):
        yield invalid(path, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")
    elif spec.get("timeZone") is not None:
        yield invalid(path, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule")


def _job_errors(job: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from common_spec_errors(job, path)
    if "selector" in job:
        yield invalid(path / "selector", shown_selector(job["selector"]), "`selector` will be auto-generated")
    if job.get("manualSelector"):
        yield not_supported(path / "manualSelector", job["manualSelector"], ("nil", "false"))


def _name_errors(name: str, path: Path) -> Iterator[FieldError]:
    if size(name) > _NAME_MAX:
        yield invalid(path, name, f"must be no more than {_NAME_MAX} characters")


_NAME = Fields(name=_name_errors)
_DEADLINE = Fields(startingDeadlineSeconds=NOT_NEGATIVE)
_SPEC_RULES = Fields(
    concurrencyPolicy=Required(OneOf("Allow", "Forbid", "Replace")),
    jobTemplate=Struct(Fields(spec=Struct(_job_errors))),
    successfulJobsHistoryLimit=NOT_NEGATIVE,
    failedJobsHistoryLimit=NOT_NEGATIVE,
)


class CronJobStrategy(PodControllerStrategy):
    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        drop_disabled_template_fields(_job_of(obj).get("template") or {})

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        drop_disabled_template_fields(_job_of(obj).get("template") or {})

    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
        """Kubernetes: validateCronJobSpec."""
        spec, before = obj["spec"], None if old is None else old["spec"]
        yield from _schedule_errors(spec, before, SPEC / "schedule")
        yield from _DEADLINE(spec, SPEC)
        zone = spec.get("timeZone")
        if zone is not None and (before is None or before.get("timeZone") != zone):
            yield from time_zone_errors(zone, SPEC / "timeZone")
        yield from _SPEC_RULES(spec, SPEC)
        if old is None:
            yield from _NAME(obj["metadata"], _METADATA)

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return [*name_warnings(obj), *job_warnings(_job_of(obj), _JOB, None)]

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        warnings: list[str] = []
        if obj["metadata"].get("generation") != old["metadata"].get("generation"):
            warnings += job_warnings(_job_of(obj), _JOB, _job_of(old))
        if "TZ" in obj["spec"].get("schedule", ""):
            warnings.append(_ZONE_IN_SCHEDULE)
        return warnings


class CronJobStatusStrategy(BuiltinStatusStrategy):
    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        """Nobody looks at the status of a cron job."""
        return ()


def cron_job_cells(obj: JSONObject) -> list[Any]:
    spec, status, metadata = obj.get("spec") or {}, obj.get("status") or {}, obj["metadata"]
    last, job = status.get("lastScheduleTime"), _job_of(obj)
    return [
        metadata.get("name", ""),
        spec.get("schedule", ""),
        spec.get("timeZone", "<none>"),
        str(spec.get("suspend", "<unset>")),
        len(status.get("active") or ()),
        age(last) if last else "<none>",
        age(metadata.get("creationTimestamp")),
        *container_cells(job.get("template") or {}),
        selector_text(job.get("selector")),
    ]


CRON_JOBS = builtin(
    "batch/cronjobs",
    strategy=CronJobStrategy(),
    status_strategy=CronJobStatusStrategy,
    default=default_cron_job,
    cells=cron_job_cells,
)
