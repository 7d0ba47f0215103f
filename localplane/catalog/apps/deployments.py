"""Deployments. Kubernetes: pkg/apis/apps/{v1/defaults,validation}, pkg/registry/apps/deployment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from localplane.apimachinery.errors import BadRequest
from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, not_supported, required
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import same
from localplane.apimachinery.selectors.labels import InvalidSelector, selector_of
from localplane.apimachinery.times import age
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request
from localplane.catalog.core.pods.defaults import default_pod_template
from localplane.catalog.declarations import builtin
from localplane.catalog.pod_controllers import (
    SAME_SELECTOR,
    PodControllerStrategy,
    collision_errors,
    container_cells,
    controlled_template_errors,
    mismatch_errors,
    no_more_than_replicas,
    required_selector_errors,
    shown_selector,
)
from localplane.catalog.scale import SCALE_COLUMNS, scale_of
from localplane.catalog.strategy import BuiltinStatusStrategy
from localplane.catalog.validation.rules import NOT_NEGATIVE, All, Counts, Fields, Struct

from .go_integers import NotAnInteger, parse_int64
from .int_or_percent import count, positive_errors, share_errors

_ROLLBACK = "deprecated.deployment.rollback.to"


def default_deployment(obj: JSONObject) -> None:
    _check_rollback(obj)
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


def _check_rollback(obj: JSONObject) -> None:
    """Where to roll back to was a field once, and is an annotation now: bring it to the form that the field would give
    it. Raises BadRequest if it holds no number. Kubernetes: pkg/apis/apps/v1/conversion.go,
    Convert_v1_Deployment_To_apps_Deployment."""
    annotations = (obj.get("metadata") or {}).get("annotations") or {}
    if _ROLLBACK not in annotations:
        return
    if not (revision := annotations[_ROLLBACK]):
        del annotations[_ROLLBACK]
        return
    try:
        annotations[_ROLLBACK] = str(parse_int64(revision))
    except NotAnInteger as error:
        why = f"failed to parse annotation[{_ROLLBACK}]={revision} as int64: {error}"
        raise BadRequest(f'Deployment in version "v1" cannot be handled as a Deployment: {why}') from error


def _rollback_errors(obj: JSONObject, path: Path) -> Iterator[FieldError]:
    revision = ((obj.get("metadata") or {}).get("annotations") or {}).get(_ROLLBACK)
    if revision:
        yield from NOT_NEGATIVE(int(revision), path / "spec" / "rollback" / "version")


def _deadline_errors(obj: JSONObject, path: Path) -> Iterator[FieldError]:
    spec = obj.get("spec") or {}
    deadline, place = spec.get("progressDeadlineSeconds"), path / "spec" / "progressDeadlineSeconds"
    if deadline is not None:
        yield from NOT_NEGATIVE(deadline, place)
        if deadline <= (spec.get("minReadySeconds") or 0):
            yield invalid(place, deadline, "must be greater than minReadySeconds")


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


def replica_template_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    """Selector and template, of replica sets as well. Kubernetes: ValidatePodTemplateSpecForReplicaSet."""
    selector, template = spec.get("selector"), spec.get("template") or {}
    yield from required_selector_errors(selector, path / "selector", empty="deployment")
    try:
        selector_of(selector)
    except InvalidSelector:
        yield invalid(path / "selector", shown_selector(selector), "invalid label selector")
        return
    yield from mismatch_errors(selector, template, path / "template")
    yield from controlled_template_errors(template, path / "template", kind="ReplicaSet")


def shown_strategy(strategy: JSONObject) -> JSONObject:
    """As a message shows it: the fields of the internal Go type, by their Go names."""
    rolling = strategy.get("rollingUpdate")
    shown = None
    if rolling is not None:
        shown = {"MaxUnavailable": rolling.get("maxUnavailable", 0), "MaxSurge": rolling.get("maxSurge", 0)}
    return {"Type": strategy.get("type", ""), "RollingUpdate": shown}


class DeploymentStrategy(PodControllerStrategy):
    """Kubernetes: ValidateDeploymentSpec."""

    rules = All(
        Fields(
            spec=Struct(
                Fields(replicas=NOT_NEGATIVE),
                replica_template_errors,
                Fields(
                    strategy=Struct(_strategy_errors),
                    minReadySeconds=NOT_NEGATIVE,
                    revisionHistoryLimit=NOT_NEGATIVE,
                ),
            )
        ),
        _rollback_errors,
        _deadline_errors,
    )
    changes = SAME_SELECTOR

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        """Annotations count as well, because the replica sets get a copy of them."""
        super().prepare_for_update(request, obj, old)
        metadata, before = obj["metadata"], old["metadata"]
        if not same(metadata.get("annotations") or {}, before.get("annotations") or {}):
            metadata["generation"] = (before.get("generation") or 0) + 1


class DeploymentStatusStrategy(BuiltinStatusStrategy):
    rules = All(
        Counts(
            *("observedGeneration", "replicas", "updatedReplicas", "readyReplicas", "availableReplicas"),
            *("unavailableReplicas", "terminatingReplicas", "collisionCount"),
        ),
        no_more_than_replicas("updatedReplicas", "readyReplicas", "availableReplicas", ready="readyReplicas"),
    )

    def __init__(self, main: Strategy) -> None:
        super().__init__(main)
        self.reset_fields = ("spec", "metadata.labels")

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        super().prepare_for_update(request, obj, old)
        metadata, before = obj["metadata"], old["metadata"]
        metadata.pop("labels", None)
        if before.get("labels"):
            metadata["labels"] = dict(before["labels"])

    def status_errors(self, status: JSONObject, before: JSONObject) -> Iterator[FieldError]:
        yield from super().status_errors(status, before)
        yield from collision_errors(status, before)


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


DEPLOYMENTS = builtin(
    "apps/deployments",
    strategy=DeploymentStrategy(),
    status_strategy=DeploymentStatusStrategy,
    default=default_deployment,
    cells=deployment_cells,
    subresource_columns={"scale": SCALE_COLUMNS},
    subresources={"scale": scale_of("apps/v1", "apps/v1beta2", "apps/v1beta1")},
)
