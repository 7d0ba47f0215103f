"""Controller revisions: what a controller ran before. Kubernetes: pkg/apis/apps/validation,
pkg/registry/apps/controllerrevision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, required
from localplane.apimachinery.groups import GroupVersion
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request
from localplane.catalog.declaring import builtin
from localplane.catalog.validation.metadata import immutable_errors, metadata_errors, metadata_update_errors
from localplane.catalog.validation.values import not_negative


class ControllerRevisionStrategy(Strategy):
    validates_schema = False
    tracks_generation = False
    allow_unconditional_update = True

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return collected(_errors(obj), _data_errors(obj.get("data")))

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(
            metadata_update_errors(obj, old),
            _errors(obj),
            immutable_errors(obj.get("data"), old.get("data"), Path("data")),
        )


def _errors(obj: JSONObject) -> Iterator[FieldError]:
    yield from metadata_errors(obj, namespaced=True, name=dns1123_subdomain)
    yield from not_negative(obj.get("revision"), Path("revision"))


def _data_errors(data: Any) -> Iterator[FieldError]:
    if data is None:
        yield required(Path("data"), "data is mandatory")
    elif not isinstance(data, dict):
        yield required(Path("data"), "data must be a valid JSON object")


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
