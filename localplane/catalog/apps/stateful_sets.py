"""Stateful sets. Kubernetes: pkg/apis/apps/{v1/defaults,v1/conversion,validation}, pkg/registry/apps/statefulset."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.request import Request
from localplane.catalog.core.pods.defaults import default_pod_template, default_resource_list
from localplane.catalog.core.pods.warnings import claim_spec_warnings
from localplane.catalog.declaring import builtin
from localplane.catalog.pod_controllers import (
    SPEC,
    PodControllerStatusStrategy,
    PodControllerStrategy,
    container_cells,
    template_warnings,
)
from localplane.catalog.scaling import SCALE_COLUMNS, scale_of

from .stateful_set_validation import create_errors, status_errors, update_errors

_ALL_REVISIONS = (
    "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"
)


def default_stateful_set(obj: JSONObject) -> None:
    spec = obj.setdefault("spec", {})
    if not spec.get("podManagementPolicy"):
        spec["podManagementPolicy"] = "OrderedReady"
    strategy = spec.setdefault("updateStrategy", {})
    if not strategy.get("type"):
        strategy["type"] = "RollingUpdate"
        strategy.setdefault("rollingUpdate", {})
    if strategy["type"] == "RollingUpdate" and "rollingUpdate" in strategy:
        strategy["rollingUpdate"].setdefault("partition", 0)
        strategy["rollingUpdate"].setdefault("maxUnavailable", 1)
    retention = spec.setdefault("persistentVolumeClaimRetentionPolicy", {})
    for occasion in ("whenDeleted", "whenScaled"):
        if not retention.get(occasion):
            retention[occasion] = "Retain"
    spec.setdefault("replicas", 1)
    spec.setdefault("revisionHistoryLimit", 10)
    default_pod_template(spec.setdefault("template", {}))
    for claim in spec.get("volumeClaimTemplates") or ():
        _default_claim(claim)


def _default_claim(claim: JSONObject) -> None:
    """A claim in a template is a whole object: it says what it is, and it is pending."""
    claim["kind"], claim["apiVersion"] = "PersistentVolumeClaim", "v1"
    spec, status = claim.setdefault("spec", {}), claim.setdefault("status", {})
    if not status.get("phase"):
        status["phase"] = "Pending"
    spec.setdefault("volumeMode", "Filesystem")
    resources = spec.get("resources") or {}
    for amounts in (*map(resources.get, ("limits", "requests")), *map(status.get, ("capacity", "allocatedResources"))):
        if amounts:
            default_resource_list(amounts)


class StatefulSetStrategy(PodControllerStrategy):
    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return list(create_errors(obj))

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return list(update_errors(obj, old))

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return [*template_warnings(obj), *_claim_warnings(obj), *_history_warnings(obj)]

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        about_template = super().warnings_on_update(request, obj, old)
        return [*about_template, *_claim_warnings(obj, below="Spec"), *_history_warnings(obj)]


class StatefulSetStatusStrategy(PodControllerStatusStrategy):
    def status_errors(self, status: JSONObject, before: JSONObject) -> Sequence[FieldError]:
        return list(status_errors(status, before))


def _claim_warnings(obj: JSONObject, *, below: str = "") -> Iterator[str]:
    """`below` is what Kubernetes adds to the place when it is an update."""
    for index, claim in enumerate(obj["spec"].get("volumeClaimTemplates") or ()):
        place = (SPEC / "volumeClaimTemplates")[index]
        yield from claim_spec_warnings(claim.get("spec") or {}, place / below if below else place)


def _history_warnings(obj: JSONObject) -> list[str]:
    return [_ALL_REVISIONS] if (obj["spec"].get("revisionHistoryLimit") or 0) < 0 else []


def stateful_set_cells(obj: JSONObject) -> list[Any]:
    spec, status, metadata = obj.get("spec") or {}, obj.get("status") or {}, obj["metadata"]
    return [
        metadata.get("name", ""),
        f"{status.get('readyReplicas') or 0}/{spec.get('replicas') or 0}",
        age(metadata.get("creationTimestamp")),
        *container_cells(spec.get("template") or {}),
    ]


_STRATEGY = StatefulSetStrategy()

STATEFUL_SETS = builtin(
    "apps/statefulsets",
    strategy=_STRATEGY,
    status_strategy=StatefulSetStatusStrategy(_STRATEGY),
    default=default_stateful_set,
    cells=stateful_set_cells,
    subresource_columns={"scale": SCALE_COLUMNS},
    subresources={"scale": scale_of("apps/v1", "apps/v1beta2", "apps/v1beta1")},
)
