"""Replica sets. Kubernetes: pkg/apis/apps/{v1/defaults,validation}, pkg/registry/apps/replicaset."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, collected
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.request import Request
from localplane.catalog.core.pods.defaults import default_pod_template
from localplane.catalog.declaring import builtin
from localplane.catalog.pod_controllers import (
    SPEC,
    PodControllerStatusStrategy,
    PodControllerStrategy,
    container_cells,
    counter_errors,
    ready_errors,
    selector_text,
)
from localplane.catalog.scaling import SCALE_COLUMNS, scale_of
from localplane.catalog.validation.metadata import metadata_errors, metadata_update_errors
from localplane.catalog.validation.values import not_negative

from .deployments import replica_template_errors, selector_change_errors


def default_replica_set(obj: JSONObject) -> None:
    spec = obj.setdefault("spec", {})
    spec.setdefault("replicas", 1)
    default_pod_template(spec.setdefault("template", {}))


class ReplicaSetStrategy(PodControllerStrategy):
    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return collected(metadata_errors(obj, namespaced=True, name=dns1123_subdomain), _spec_errors(obj["spec"]))

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(
            metadata_update_errors(obj, old),
            _spec_errors(obj["spec"]),
            selector_change_errors(obj["spec"], old["spec"]),
        )


class ReplicaSetStatusStrategy(PodControllerStatusStrategy):
    def status_errors(self, status: JSONObject, before: JSONObject) -> Iterator[FieldError]:
        yield from counter_errors(
            status,
            *("replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas"),
            *("observedGeneration", "terminatingReplicas"),
        )
        yield from ready_errors(
            status, "fullyLabeledReplicas", "readyReplicas", "availableReplicas", ready="readyReplicas"
        )


def _spec_errors(spec: JSONObject) -> Iterator[FieldError]:
    """Kubernetes: ValidateReplicaSetSpec."""
    yield from not_negative(spec.get("replicas"), SPEC / "replicas")
    yield from not_negative(spec.get("minReadySeconds"), SPEC / "minReadySeconds")
    yield from replica_template_errors(spec)


def replica_set_cells(obj: JSONObject) -> list[Any]:
    spec, status, metadata = obj.get("spec") or {}, obj.get("status") or {}, obj["metadata"]
    return [
        metadata.get("name", ""),
        spec.get("replicas") or 0,
        status.get("replicas") or 0,
        status.get("readyReplicas") or 0,
        age(metadata.get("creationTimestamp")),
        *container_cells(spec.get("template") or {}),
        selector_text(spec.get("selector")),
    ]


_STRATEGY = ReplicaSetStrategy()

REPLICA_SETS = builtin(
    "apps/replicasets",
    strategy=_STRATEGY,
    status_strategy=ReplicaSetStatusStrategy(_STRATEGY),
    default=default_replica_set,
    cells=replica_set_cells,
    subresource_columns={"scale": SCALE_COLUMNS},
    subresources={"scale": scale_of("apps/v1", "apps/v1beta2")},
)
