"""Replication controllers: what there was before replica sets. Kubernetes: pkg/apis/core/{v1/defaults,validation},
pkg/registry/core/replicationcontroller."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, required
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.request import Request
from localplane.catalog.core.pods.defaults import default_pod_template
from localplane.catalog.declarations import builtin
from localplane.catalog.pod_controllers import (
    PodControllerStrategy,
    container_cells,
    controlled_template_errors,
    labels_text,
    mismatch_errors,
    no_more_than_replicas,
)
from localplane.catalog.scale import SCALE_COLUMNS, plain_labels, scale_of
from localplane.catalog.strategy import BuiltinStatusStrategy
from localplane.catalog.validation.rules import NOT_NEGATIVE, All, Counts, Declared, Fields, Present, Required, Struct


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


def _name_in_bytes(name: str, /, *, prefix: bool = False) -> list[str]:
    """Its name is among the first to be checked by younger code, which counts in bytes and says so."""
    return [
        problem.replace(" characters", " bytes") if problem.startswith("must be no more") else problem
        for problem in dns1123_subdomain(name, prefix=prefix)
    ]


def _template_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    selector, template, place = spec.get("selector") or {}, spec.get("template"), path / "template"
    if template is None:
        yield required(place)
        return
    labels = (template.get("metadata") or {}).get("labels") or {}
    if any(labels.get(key) != value for key, value in selector.items()):
        yield from mismatch_errors(None, template, place)
    yield from controlled_template_errors(template, place, kind="ReplicationController")


class ReplicationControllerStrategy(PodControllerStrategy):
    """Kubernetes: ValidateReplicationControllerSpec."""

    valid_name = staticmethod(_name_in_bytes)
    rules = Fields(
        spec=Struct(
            Fields(
                minReadySeconds=Declared(NOT_NEGATIVE),
                selector=Required(),
                replicas=Present(Declared(NOT_NEGATIVE), declared=True),
            ),
            _template_errors,
        )
    )

    def default_garbage_collection_policy(self, request: Request) -> str:
        """Pods outlived their controllers when v1 was new, and still do when nobody says otherwise."""
        return "Orphan"


class ReplicationControllerStatusStrategy(BuiltinStatusStrategy):
    rules = All(
        Counts("replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"),
        no_more_than_replicas("fullyLabeledReplicas", "readyReplicas", "availableReplicas", ready="readyReplicas"),
    )


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


REPLICATION_CONTROLLERS = builtin(
    "replicationcontrollers",
    strategy=ReplicationControllerStrategy(),
    status_strategy=ReplicationControllerStatusStrategy,
    default=default_replication_controller,
    cells=replication_controller_cells,
    subresource_columns={"scale": SCALE_COLUMNS},
    subresources={"scale": scale_of("v1", selector=plain_labels)},
)
