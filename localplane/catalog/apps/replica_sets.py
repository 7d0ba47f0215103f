"""Replica sets. Kubernetes: pkg/apis/apps/{v1/defaults,validation}, pkg/registry/apps/replicaset."""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import selector_text
from localplane.apimachinery.times import age
from localplane.catalog.core.pods.defaults import default_pod_template
from localplane.catalog.declarations import builtin
from localplane.catalog.pod_controllers import (
    SAME_SELECTOR,
    PodControllerStrategy,
    container_cells,
    no_more_than_replicas,
)
from localplane.catalog.scale import SCALE_COLUMNS, scale_of
from localplane.catalog.strategy import BuiltinStatusStrategy
from localplane.catalog.validation.rules import All, Counts, Fields, Struct

from .deployments import replica_template_errors


def default_replica_set(obj: JSONObject) -> None:
    spec = obj.setdefault("spec", {})
    spec.setdefault("replicas", 1)
    default_pod_template(spec.setdefault("template", {}))


class ReplicaSetStrategy(PodControllerStrategy):
    """Kubernetes: ValidateReplicaSetSpec."""

    rules = Fields(spec=Struct(Counts("replicas", "minReadySeconds"), replica_template_errors))
    changes = SAME_SELECTOR


class ReplicaSetStatusStrategy(BuiltinStatusStrategy):
    rules = All(
        Counts(
            *("replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas"),
            *("observedGeneration", "terminatingReplicas"),
        ),
        no_more_than_replicas("fullyLabeledReplicas", "readyReplicas", "availableReplicas", ready="readyReplicas"),
    )


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


REPLICA_SETS = builtin(
    "apps/replicasets",
    strategy=ReplicaSetStrategy(),
    status_strategy=ReplicaSetStatusStrategy,
    default=default_replica_set,
    cells=replica_set_cells,
    subresource_columns={"scale": SCALE_COLUMNS},
    subresources={"scale": scale_of("apps/v1", "apps/v1beta2")},
)
