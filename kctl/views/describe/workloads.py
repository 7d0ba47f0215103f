"""Deployments, replica sets, daemon sets, stateful sets. Kubernetes: describeDeployment and others.

Jobs and cron jobs. Kubernetes: describeJob, describeCronJob.
"""

from __future__ import annotations

from typing import Any

from kctl.views.describe.page import (
    NONE,
    Page,
    Source,
    controller,
    events,
    full_time,
    labels,
    labels_text,
    moment,
    named,
    of,
    told,
    truth,
)
from kctl.views.describe.pods import pod_template
from kctl.views.describe.volumes import storage_class_name
from localplane.apimachinery import times
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import selector_text


def _conditions(page: Page, obj: JSONObject) -> None:
    if every := of(obj, "status").get("conditions"):
        page.line("Conditions:\n  Type\tStatus\tReason")
        page.line("----\t------\t------", level=1)
        for one in every:
            page.line(f"{one.get('type', '')} \t{one.get('status', '')}\t{one.get('reason', '')}", level=1)


async def deployment(page: Page, obj: JSONObject, source: Source) -> None:
    spec, status = of(obj, "spec"), of(obj, "status")
    happened = await source.events(obj)
    named(page, obj)
    page.field("CreationTimestamp", full_time(of(obj, "metadata").get("creationTimestamp")))
    told(page, obj)
    page.field("Selector", selector_text(spec.get("selector"), none=""))
    counts = (
        ("desired", spec.get("replicas")),
        ("updated", status.get("updatedReplicas")),
        ("total", status.get("replicas")),
        ("available", status.get("availableReplicas")),
        ("unavailable", status.get("unavailableReplicas")),
    )
    page.field("Replicas", " | ".join(f"{count or 0} {title}" for title, count in counts))
    page.field("StrategyType", of(spec, "strategy").get("type", ""))
    page.field("MinReadySeconds", spec.get("minReadySeconds") or 0)
    if rolling := of(spec, "strategy").get("rollingUpdate"):
        surge, unavailable = rolling.get("maxSurge"), rolling.get("maxUnavailable")
        page.field("RollingUpdateStrategy", f"{unavailable} max unavailable, {surge} max surge")
    pod_template(page, spec.get("template") or {})
    _conditions(page, obj)
    await _replica_sets(page, obj, source)
    events(page, happened)


async def _replica_sets(page: Page, obj: JSONObject, source: Source) -> None:
    metadata, spec = of(obj, "metadata"), of(obj, "spec")
    selector = selector_text(spec.get("selector"), none="")
    try:
        found = await source.list("apps", "v1", "replicasets", metadata.get("namespace", ""), label_selector=selector)
    except APIError:
        return
    owned = [one for one in found if _is_owned(one, metadata.get("uid"))]
    owned.sort(key=lambda one: (one["metadata"].get("creationTimestamp", ""), one["metadata"]["name"]))
    template = _without_hash(spec.get("template") or {})
    current = next((one for one in owned if _without_hash(one["spec"].get("template") or {}) == template), None)
    if owned:
        page.field("OldReplicaSets", _shown_sets([one for one in owned if one is not current]))
        page.field("NewReplicaSet", _shown_sets([current] if current is not None else []))


def _is_owned(one: JSONObject, uid: object) -> bool:
    owners = of(one, "metadata").get("ownerReferences") or ()
    return any(owner.get("controller") and owner.get("uid") == uid for owner in owners)


def _without_hash(template: JSONObject) -> JSONObject:
    metadata = template.get("metadata") or {}
    kept = {key: value for key, value in (metadata.get("labels") or {}).items() if key != "pod-template-hash"}
    rest = {key: value for key, value in metadata.items() if key != "labels" and value}
    return {**template, "metadata": {**rest, "labels": kept}}


def _shown_sets(sets: list[JSONObject]) -> str:
    shown = (
        f"{one['metadata']['name']} ({of(one, 'status').get('replicas') or 0}/{of(one, 'spec').get('replicas') or 0} "
        "replicas created)"
        for one in sets
    )
    return ", ".join(shown) or NONE


async def replica_set(page: Page, obj: JSONObject, source: Source) -> None:
    spec, status = of(obj, "spec"), of(obj, "status")
    selector = selector_text(spec.get("selector"))
    named(page, obj)
    page.field("Selector", selector)
    told(page, obj)
    if owner := controller(obj):
        page.field("Controlled By", owner)
    page.field("Replicas", f"{status.get('replicas') or 0} current / {spec.get('replicas') or 0} desired")
    page.field("Pods Status", await source.pod_counts(obj, selector))
    pod_template(page, spec.get("template") or {})
    _conditions(page, obj)
    events(page, await source.events(obj))


async def replication_controller(page: Page, obj: JSONObject, source: Source) -> None:
    spec, status = of(obj, "spec"), of(obj, "status")
    selector = labels_text(spec.get("selector"))
    named(page, obj)
    page.field("Selector", selector)
    told(page, obj)
    page.field("Replicas", f"{status.get('replicas') or 0} current / {spec.get('replicas') or 0} desired")
    page.field("Pods Status", await source.pod_counts(obj, selector))
    pod_template(page, spec.get("template"))
    _conditions(page, obj)
    events(page, await source.events(obj))


async def daemon_set(page: Page, obj: JSONObject, source: Source) -> None:
    spec, status = of(obj, "spec"), of(obj, "status")
    selector = selector_text(spec.get("selector"), none="")
    named(page, obj)
    page.field("Selector", selector)
    page.field("Node-Selector", labels_text(of(spec, "template", "spec").get("nodeSelector")))
    told(page, obj)
    for title, field in (
        ("Desired Number of Nodes Scheduled", "desiredNumberScheduled"),
        ("Current Number of Nodes Scheduled", "currentNumberScheduled"),
        ("Number of Nodes Scheduled with Up-to-date Pods", "updatedNumberScheduled"),
        ("Number of Nodes Scheduled with Available Pods", "numberAvailable"),
        ("Number of Nodes Misscheduled", "numberMisscheduled"),
    ):
        page.line(f"{title}: {status.get(field) or 0}")
    page.field("Pods Status", await source.pod_counts(obj, selector))
    pod_template(page, spec.get("template") or {})
    events(page, await source.events(obj))


async def stateful_set(page: Page, obj: JSONObject, source: Source) -> None:
    spec, status = of(obj, "spec"), of(obj, "status")
    selector = selector_text(spec.get("selector"), none="")
    named(page, obj)
    page.field("CreationTimestamp", full_time(of(obj, "metadata").get("creationTimestamp")))
    page.field("Selector", selector)
    told(page, obj)
    for title, field in (("Service Name", "serviceName"), ("Pod Management Policy", "podManagementPolicy")):
        if spec.get(field):
            page.field(title, spec[field])
    page.field("Replicas", f"{spec.get('replicas') or 0} desired | {status.get('replicas') or 0} total")
    strategy = of(spec, "updateStrategy")
    page.field("Update Strategy", strategy.get("type", ""))
    rolling = strategy.get("rollingUpdate") or {}
    if rolling.get("partition") is not None:
        page.field("Partition", rolling["partition"], level=1)
        if rolling.get("maxUnavailable") is not None:
            page.field("MaxUnavailable", rolling["maxUnavailable"], level=1)
    if (policy := spec.get("persistentVolumeClaimRetentionPolicy")) is not None:
        page.line("Persistent Volume Claim Retention Policy:")
        page.field("WhenDeleted", policy.get("whenDeleted", ""), level=1)
        page.field("WhenScaled", policy.get("whenScaled", ""), level=1)
    page.field("Pods Status", await source.pod_counts(obj, selector))
    pod_template(page, spec.get("template") or {})
    _claims(page, spec.get("volumeClaimTemplates") or ())
    events(page, await source.events(obj))


def _claims(page: Page, templates: Any) -> None:
    if not templates:
        page.field("Volume Claims", NONE)
        return
    page.line("Volume Claims:")
    for one in templates:
        metadata, spec = of(one, "metadata"), of(one, "spec")
        page.field("Name", metadata.get("name", ""), level=1)
        page.field("StorageClass", storage_class_name(one), level=1)
        labels(page, "Labels", metadata.get("labels"), indent="  ")
        labels(page, "Annotations", metadata.get("annotations"), indent="  ")
        page.field("Capacity", of(spec, "resources", "requests").get("storage", "<default>"), level=1)
        page.field("Access Modes", f"[{' '.join(spec.get('accessModes') or ())}]", level=1)


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
    started, ended = status.get("startTime"), status.get("completionTime")
    if started:
        page.field("Start Time", full_time(started))
    if ended:
        page.field("Completed At", full_time(ended))
    if started and ended:
        page.field("Duration", times.human_duration(moment(ended) - moment(started)))


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
