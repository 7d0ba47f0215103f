"""Deployments, replica sets, daemon sets, stateful sets. Kubernetes: describeDeployment and others."""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.objects import JSONObject

from .claims import storage_class
from .events import events
from .metadata import NONE, controller, full_time, labels, labels_text, named, of, selector_text, told
from .page import Page
from .pod_template import pod_template
from .source import Source


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
    from localplane.apimachinery.errors import APIError

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
        page.field("StorageClass", storage_class(one), level=1)
        labels(page, "Labels", metadata.get("labels"), indent="  ")
        labels(page, "Annotations", metadata.get("annotations"), indent="  ")
        page.field("Capacity", of(spec, "resources", "requests").get("storage", "<default>"), level=1)
        page.field("Access Modes", f"[{' '.join(spec.get('accessModes') or ())}]", level=1)
