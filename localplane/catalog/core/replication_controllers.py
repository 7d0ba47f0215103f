"""Replication controllers: what there was before replica sets. Kubernetes: pkg/apis/core/{v1/defaults,validation},
pkg/registry/core/replicationcontroller."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, collected, declared, required
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.request import Request
from localplane.catalog.core.pods.defaults import default_pod_template
from localplane.catalog.declaring import builtin
from localplane.catalog.pod_controllers import (
    SPEC,
    TEMPLATE,
    PodControllerStatusStrategy,
    PodControllerStrategy,
    container_cells,
    controlled_template_errors,
    counter_errors,
    labels_text,
    mismatch_errors,
    ready_errors,
)
from localplane.catalog.scaling import SCALE_COLUMNS, plain_labels, scale_of
from localplane.catalog.validation.metadata import metadata_errors, metadata_update_errors
from localplane.catalog.validation.values import not_negative


def default_replication_controller(obj: JSONObject) -> None:
    """Without a selector it looks for what its template is labelled with, and is labelled so itself."""
    spec, metadata = obj.setdefault("spec", {}), obj.setdefault("metadata", {})
    spec.setdefault("replicas", 1)
    template = spec.get("template")
    if template is None:
        return
    labels = (template.get("metadata") or {}).get("labels")
    if labels:
        spec["selector"] = spec.get("selector") or dict(labels)
        metadata["labels"] = metadata.get("labels") or dict(labels)
    default_pod_template(template)


class ReplicationControllerStrategy(PodControllerStrategy):
    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return collected(metadata_errors(obj, namespaced=True, name=_name), _spec_errors(obj["spec"]))

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(metadata_update_errors(obj, old), _spec_errors(obj["spec"]))

    def default_garbage_collection_policy(self, request: Request) -> str:
        """Pods outlived their controllers when v1 was new, and still do when nobody says otherwise."""
        return "Orphan"


class ReplicationControllerStatusStrategy(PodControllerStatusStrategy):
    def status_errors(self, status: JSONObject, before: JSONObject) -> Iterator[FieldError]:
        yield from counter_errors(
            status, "replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"
        )
        yield from ready_errors(
            status, "fullyLabeledReplicas", "readyReplicas", "availableReplicas", ready="readyReplicas"
        )


def _name(name: str, /, *, prefix: bool = False) -> list[str]:
    """Its name is among the first to be checked by younger code, which counts in bytes and says so."""
    return [
        problem.replace(" characters", " bytes") if problem.startswith("must be no more") else problem
        for problem in dns1123_subdomain(name, prefix=prefix)
    ]


def _spec_errors(spec: JSONObject) -> Iterator[FieldError]:
    """Kubernetes: ValidateReplicationControllerSpec."""
    selector, template = spec.get("selector") or {}, spec.get("template")
    yield from map(declared, not_negative(spec.get("minReadySeconds"), SPEC / "minReadySeconds"))
    if not selector:
        yield required(SPEC / "selector")
    if spec.get("replicas") is None:
        yield declared(required(SPEC / "replicas"))
    yield from map(declared, not_negative(spec.get("replicas"), SPEC / "replicas"))
    if template is None:
        yield required(TEMPLATE)
        return
    if selector:
        yield from _unmatched(selector, template)
    yield from controlled_template_errors(template, TEMPLATE, kind="ReplicationController")


def _unmatched(selector: dict[str, str], template: JSONObject) -> Iterator[FieldError]:
    labels = (template.get("metadata") or {}).get("labels") or {}
    if any(labels.get(key) != value for key, value in selector.items()):
        yield from mismatch_errors(None, template, TEMPLATE)


def replication_controller_cells(obj: JSONObject) -> list[Any]:
    spec, status, metadata = obj.get("spec") or {}, obj.get("status") or {}, obj["metadata"]
    return [
        metadata.get("name", ""),
        spec.get("replicas") or 0,
        status.get("replicas") or 0,
        status.get("readyReplicas") or 0,
        age(metadata.get("creationTimestamp")),
        *container_cells(spec.get("template") or {}),
        labels_text(spec.get("selector")),
    ]


_STRATEGY = ReplicationControllerStrategy()

REPLICATION_CONTROLLERS = builtin(
    "replicationcontrollers",
    strategy=_STRATEGY,
    status_strategy=ReplicationControllerStatusStrategy(_STRATEGY),
    default=default_replication_controller,
    cells=replication_controller_cells,
    subresource_columns={"scale": SCALE_COLUMNS},
    subresources={"scale": scale_of("v1", selector=plain_labels)},
)
