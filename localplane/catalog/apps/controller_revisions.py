"""Controller revisions: what a controller ran before. Kubernetes: pkg/apis/apps/validation,
pkg/registry/apps/controllerrevision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, required
from localplane.apimachinery.groups import GroupVersion
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.request import Request
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import Asked, BuiltinStrategy
from localplane.catalog.validation.rules import NOT_NEGATIVE, Fields, Immutable


def _data_errors(data: Any) -> Iterator[FieldError]:
    if data is None:
        yield required(Path("data"), "data is mandatory")
    elif not isinstance(data, dict):
        yield required(Path("data"), "data must be a valid JSON object")


class ControllerRevisionStrategy(BuiltinStrategy):
    tracks_generation = False
    allow_unconditional_update = True
    rules = Fields(revision=NOT_NEGATIVE)
    changes = Immutable("data")
    on_update = (Asked.METADATA, Asked.OBJECT, Asked.CHANGES)

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return collected(super().validate(request, obj), _data_errors(obj.get("data")))


def controller_revision_cells(obj: JSONObject) -> list[Any]:
    metadata = obj["metadata"]
    return [
        metadata.get("name", ""),
        _controller(metadata.get("ownerReferences") or ()),
        obj.get("revision") or 0,
        age(metadata.get("creationTimestamp")),
    ]


def _controller(owners: Sequence[JSONObject]) -> str:
    """`statefulset.apps/web`. Kubernetes: printers, formatResourceName."""
    owner = next((each for each in owners if each.get("controller")), None)
    if owner is None:
        return "<none>"
    group, kind = GroupVersion.parse(owner.get("apiVersion", "")).group, owner.get("kind", "")
    return f"{f'{kind}.{group}' if group else kind}".lower() + f"/{owner.get('name', '')}"


CONTROLLER_REVISIONS = builtin(
    "apps/controllerrevisions", strategy=ControllerRevisionStrategy(), cells=controller_revision_cells
)
