"""Jobs and cron jobs. Kubernetes: describeJob, describeCronJob."""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject

from .events import events
from .metadata import (
    NONE,
    controller,
    full_time,
    moment,
    named,
    of,
    selector_text,
    told,
    truth,
)
from .page import Page
from .pod_template import pod_template
from .source import Source

_UNSET = "<unset>"


async def job(page: Page, obj: JSONObject, source: Source) -> None:
    spec, status = of(obj, "spec"), of(obj, "status")
    named(page, obj)
    page.field("Selector", selector_text(spec.get("selector"), none=""))
    told(page, obj)
    if owner := controller(obj):
        page.field("Controlled By", owner)
    if spec.get("parallelism") is not None:
        page.field("Parallelism", spec["parallelism"])
    page.field("Completions", _or_unset(spec.get("completions")))
    for title, field in (
        ("Completion Mode", "completionMode"),
        ("Suspend", "suspend"),
        ("Backoff Limit", "backoffLimit"),
        ("TTL Seconds After Finished", "ttlSecondsAfterFinished"),
    ):
        if spec.get(field) is not None:
            page.field(title, str(spec[field]).lower() if isinstance(spec[field], bool) else spec[field])
    _times(page, status)
    if spec.get("activeDeadlineSeconds") is not None:
        page.field("Active Deadline Seconds", f"{spec['activeDeadlineSeconds']}s")
    ready = f" ({status['ready']} Ready)" if status.get("ready") is not None else ""
    succeeded, failed = status.get("succeeded") or 0, status.get("failed") or 0
    page.field("Pods Statuses", f"{status.get('active') or 0} Active{ready} / {succeeded} Succeeded / {failed} Failed")
    if spec.get("completionMode") == "Indexed":
        page.field("Completed Indexes", _capped(str(status.get("completedIndexes") or "")))
    pod_template(page, spec.get("template") or {})
    events(page, await source.events(obj))


def _times(page: Page, status: JSONObject) -> None:
    from localplane.apimachinery.times import human_duration

    started, ended = status.get("startTime"), status.get("completionTime")
    if started:
        page.field("Start Time", full_time(started))
    if ended:
        page.field("Completed At", full_time(ended))
    if started and ended:
        page.field("Duration", human_duration(moment(ended) - moment(started)))


def _capped(indexes: str, limit: int = 50) -> str:
    if not indexes:
        return NONE
    end = indexes.find(",", limit)
    return indexes if end < 0 else f"{indexes[: end + 1]}..."


def _or_unset(value: object) -> object:
    return _UNSET if value is None else value


async def cron_job(page: Page, obj: JSONObject, source: Source) -> None:
    spec, status = of(obj, "spec"), of(obj, "status")
    named(page, obj)
    told(page, obj)
    page.field("Schedule", spec.get("schedule", ""))
    page.field("Concurrency Policy", spec.get("concurrencyPolicy", ""))
    page.field("Suspend", _UNSET if spec.get("suspend") is None else truth(spec["suspend"]))
    page.field("Time Zone", _or_unset(spec.get("timeZone")))
    page.field("Successful Job History Limit", _or_unset(spec.get("successfulJobsHistoryLimit")))
    page.field("Failed Job History Limit", _or_unset(spec.get("failedJobsHistoryLimit")))
    deadline = spec.get("startingDeadlineSeconds")
    page.field("Starting Deadline Seconds", _UNSET if deadline is None else f"{deadline}s")
    template = of(spec, "jobTemplate", "spec")
    page.field("Selector", selector_text(template.get("selector"), none=_UNSET))
    page.field("Parallelism", _or_unset(template.get("parallelism")))
    page.field("Completions", _or_unset(template.get("completions")))
    if template.get("activeDeadlineSeconds") is not None:
        page.field("Active Deadline Seconds", f"{template['activeDeadlineSeconds']}s")
    pod_template(page, template.get("template") or {})
    last = status.get("lastScheduleTime")
    page.field("Last Schedule Time", full_time(last) if last else _UNSET)
    page.field("Active Jobs", ", ".join(one.get("name", "") for one in status.get("active") or ()) or NONE)
    events(page, await source.events(obj))
