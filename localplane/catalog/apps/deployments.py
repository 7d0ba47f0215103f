"""Deployments. Kubernetes: pkg/apis/apps/{v1/defaults,validation}, pkg/registry/apps/deployment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, forbidden, invalid, not_supported, required
from localplane.apimachinery.labels import InvalidSelector
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import same
from localplane.apimachinery.times import age
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request
from localplane.catalog.core.pods.defaults import default_pod_template
from localplane.catalog.declaring import builtin
from localplane.catalog.pod_controllers import (
    SPEC,
    TEMPLATE,
    PodControllerStatusStrategy,
    PodControllerStrategy,
    collision_errors,
    container_cells,
    controlled_template_errors,
    counter_errors,
    mismatch_errors,
    ready_errors,
    required_selector_errors,
    shown_selector,
)
from localplane.catalog.scaling import SCALE_COLUMNS, scale_of
from localplane.catalog.validation.metadata import IMMUTABLE, metadata_errors, metadata_update_errors
from localplane.catalog.validation.selectors import selector_of
from localplane.catalog.validation.values import not_negative

from .int_or_percent import count, positive_errors, share_errors
from .rollback import check_rollback, rollback_errors


def default_deployment(obj: JSONObject) -> None:
    check_rollback(obj)
    spec = obj.setdefault("spec", {})
    spec.setdefault("replicas", 1)
    strategy = spec.setdefault("strategy", {})
    if not strategy.get("type"):
        strategy["type"] = "RollingUpdate"
    if strategy["type"] == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", "25%")
        rolling.setdefault("maxSurge", "25%")
    spec.setdefault("revisionHistoryLimit", 10)
    spec.setdefault("progressDeadlineSeconds", 600)
    default_pod_template(spec.setdefault("template", {}))


class DeploymentStrategy(PodControllerStrategy):
    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        """Annotations count as well, because the replica sets get a copy of them."""
        super().prepare_for_update(request, obj, old)
        metadata, before = obj["metadata"], old["metadata"]
        if not same(metadata.get("annotations") or {}, before.get("annotations") or {}):
            metadata["generation"] = (before.get("generation") or 0) + 1

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return collected(metadata_errors(obj, namespaced=True, name=dns1123_subdomain), spec_errors(obj))

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(
            metadata_update_errors(obj, old),
            spec_errors(obj),
            selector_change_errors(obj["spec"], old["spec"]),
        )


class DeploymentStatusStrategy(PodControllerStatusStrategy):
    def __init__(self, main: Strategy) -> None:
        super().__init__(main)
        self.reset_fields = ("spec", "metadata.labels")

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        super().prepare_for_update(request, obj, old)
        keep_labels(obj["metadata"], old["metadata"])

    def status_errors(self, status: JSONObject, before: JSONObject) -> Iterator[FieldError]:
        yield from counter_errors(
            status,
            *("observedGeneration", "replicas", "updatedReplicas", "readyReplicas", "availableReplicas"),
            *("unavailableReplicas", "terminatingReplicas", "collisionCount"),
        )
        yield from ready_errors(status, "updatedReplicas", "readyReplicas", "availableReplicas", ready="readyReplicas")
        yield from collision_errors(status, before)


def keep_labels(metadata: JSONObject, before: JSONObject) -> None:
    metadata.pop("labels", None)
    if before.get("labels"):
        metadata["labels"] = dict(before["labels"])


def selector_change_errors(spec: JSONObject, before: JSONObject) -> list[FieldError]:
    selector = spec.get("selector")
    if same(selector, before.get("selector")):
        return []
    return [invalid(SPEC / "selector", shown_selector(selector), IMMUTABLE)]


def spec_errors(obj: JSONObject) -> Iterator[FieldError]:
    """Kubernetes: ValidateDeploymentSpec."""
    spec = obj.get("spec") or {}
    yield from not_negative(spec.get("replicas"), SPEC / "replicas")
    yield from replica_template_errors(spec)
    yield from _strategy_errors(spec.get("strategy") or {}, SPEC / "strategy")
    ready = spec.get("minReadySeconds") or 0
    yield from not_negative(ready, SPEC / "minReadySeconds")
    yield from not_negative(spec.get("revisionHistoryLimit"), SPEC / "revisionHistoryLimit")
    yield from rollback_errors(obj, SPEC)
    deadline = spec.get("progressDeadlineSeconds")
    if deadline is not None:
        yield from not_negative(deadline, SPEC / "progressDeadlineSeconds")
        if deadline <= ready:
            yield invalid(SPEC / "progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")


def replica_template_errors(spec: JSONObject) -> Iterator[FieldError]:
    """Selector and template, of replica sets as well. Kubernetes: ValidatePodTemplateSpecForReplicaSet."""
    selector, template = spec.get("selector"), spec.get("template") or {}
    yield from required_selector_errors(selector, SPEC / "selector", empty="deployment")
    try:
        selector_of(selector)
    except InvalidSelector:
        yield invalid(SPEC / "selector", shown_selector(selector), "invalid label selector")
        return
    yield from mismatch_errors(selector, template, TEMPLATE)
    yield from controlled_template_errors(template, TEMPLATE, kind="ReplicaSet")


def _strategy_errors(strategy: JSONObject, path: Path) -> Iterator[FieldError]:
    rolling = strategy.get("rollingUpdate")
    match strategy.get("type", ""):
        case "Recreate":
            if rolling is not None:
                yield forbidden(path / "rollingUpdate", "may not be specified when strategy `type` is 'Recreate'")
        case "RollingUpdate":
            if rolling is None:
                yield required(path / "rollingUpdate", "this should be defaulted and never be nil")
            else:
                yield from _rolling_errors(rolling, path / "rollingUpdate")
        case _:
            yield not_supported(path, shown_strategy(strategy), ("Recreate", "RollingUpdate"))


def _rolling_errors(rolling: JSONObject, path: Path) -> Iterator[FieldError]:
    unavailable, surge = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
    yield from positive_errors(unavailable, path / "maxUnavailable")
    yield from positive_errors(surge, path / "maxSurge")
    if count(unavailable) == 0 and count(surge) == 0:
        yield invalid(path / "maxUnavailable", unavailable, "may not be 0 when `maxSurge` is 0")
    yield from share_errors(unavailable, path / "maxUnavailable")


def shown_strategy(strategy: JSONObject) -> JSONObject:
    """As a message shows it: the fields of the internal Go type, by their Go names."""
    rolling = strategy.get("rollingUpdate")
    shown = None
    if rolling is not None:
        shown = {"MaxUnavailable": rolling.get("maxUnavailable", 0), "MaxSurge": rolling.get("maxSurge", 0)}
    return {"Type": strategy.get("type", ""), "RollingUpdate": shown}


def deployment_cells(obj: JSONObject) -> list[Any]:
    spec, status, metadata = obj.get("spec") or {}, obj.get("status") or {}, obj["metadata"]
    try:
        selector = str(selector_of(spec.get("selector")) or "")
    except InvalidSelector:
        selector = "<invalid>"
    return [
        metadata.get("name", ""),
        f"{status.get('readyReplicas') or 0}/{spec.get('replicas') or 0}",
        status.get("updatedReplicas") or 0,
        status.get("availableReplicas") or 0,
        age(metadata.get("creationTimestamp")),
        *container_cells(spec.get("template") or {}),
        selector,
    ]


_STRATEGY = DeploymentStrategy()

DEPLOYMENTS = builtin(
    "apps/deployments",
    strategy=_STRATEGY,
    status_strategy=DeploymentStatusStrategy(_STRATEGY),
    default=default_deployment,
    cells=deployment_cells,
    subresource_columns={"scale": SCALE_COLUMNS},
    subresources={"scale": scale_of("apps/v1", "apps/v1beta2", "apps/v1beta1")},
)
