"""Cron jobs. Kubernetes: pkg/apis/batch, pkg/registry/batch/cronjob."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, declared, invalid, not_supported, required
from localplane.apimachinery.names import dns1123_subdomain, size
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.registry.strategy import StatusStrategy
from localplane.apiserver.request import Request
from localplane.catalog.declaring import builtin
from localplane.catalog.pod_controllers import (
    SPEC,
    PodControllerStrategy,
    container_cells,
    drop_disabled_template_fields,
    name_warnings,
    selector_text,
    shown_selector,
)
from localplane.catalog.validation.metadata import metadata_errors, metadata_update_errors
from localplane.catalog.validation.values import not_negative

from .job_defaults import default_job_spec
from .job_validation import common_spec_errors
from .jobs import job_warnings
from .schedules import InvalidSchedule, check_schedule
from .time_zones import time_zone_errors

_JOB = SPEC / "jobTemplate" / "spec"
_NAME_MAX = 63 - 11  # its jobs are called after it, with a dash and ten digits
_POLICIES = ("Allow", "Forbid", "Replace")
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


class CronJobStrategy(PodControllerStrategy):
    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        drop_disabled_template_fields(_job_of(obj).get("template") or {})

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        drop_disabled_template_fields(_job_of(obj).get("template") or {})

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        errors = collected(
            metadata_errors(obj, namespaced=True, name=dns1123_subdomain), _spec_errors(obj["spec"], None)
        )
        name = obj["metadata"].get("name", "")
        if size(name) > _NAME_MAX:
            errors.append(invalid(Path("metadata.name"), name, f"must be no more than {_NAME_MAX} characters"))
        return errors

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(metadata_update_errors(obj, old), _spec_errors(obj["spec"], old["spec"]))

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return [*name_warnings(obj), *job_warnings(_job_of(obj), _JOB, None)]

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        warnings: list[str] = []
        if obj["metadata"].get("generation") != old["metadata"].get("generation"):
            warnings += job_warnings(_job_of(obj), _JOB, _job_of(old))
        if "TZ" in obj["spec"].get("schedule", ""):
            warnings.append(_ZONE_IN_SCHEDULE)
        return warnings


class CronJobStatusStrategy(StatusStrategy):
    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        """Nobody looks at the status of a cron job."""
        return ()


def _spec_errors(spec: JSONObject, before: JSONObject | None) -> Iterator[FieldError]:
    """Kubernetes: validateCronJobSpec."""
    yield from _schedule_errors(spec, before, SPEC / "schedule")
    yield from not_negative(spec.get("startingDeadlineSeconds"), SPEC / "startingDeadlineSeconds")
    zone = spec.get("timeZone")
    if zone is not None and (before is None or before.get("timeZone") != zone):
        yield from time_zone_errors(zone, SPEC / "timeZone")
    policy = spec.get("concurrencyPolicy", "")
    if not policy:
        yield required(SPEC / "concurrencyPolicy")
    elif policy not in _POLICIES:
        yield not_supported(SPEC / "concurrencyPolicy", policy, _POLICIES)
    yield from _job_errors((spec.get("jobTemplate") or {}).get("spec") or {})
    yield from not_negative(spec.get("successfulJobsHistoryLimit"), SPEC / "successfulJobsHistoryLimit")
    yield from not_negative(spec.get("failedJobsHistoryLimit"), SPEC / "failedJobsHistoryLimit")


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


def _job_errors(job: JSONObject) -> Iterator[FieldError]:
    yield from common_spec_errors(job, _JOB)
    if "selector" in job:
        yield invalid(_JOB / "selector", shown_selector(job["selector"]), "`selector` will be auto-generated")
    if job.get("manualSelector"):
        yield not_supported(_JOB / "manualSelector", job["manualSelector"], ("nil", "false"))


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


_STRATEGY = CronJobStrategy()

CRON_JOBS = builtin(
    "batch/cronjobs",
    strategy=_STRATEGY,
    status_strategy=CronJobStatusStrategy(_STRATEGY, changes_metadata=True),
    default=default_cron_job,
    cells=cron_job_cells,
)
