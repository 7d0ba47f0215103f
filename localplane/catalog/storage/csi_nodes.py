"""CSINodes: which drivers run on a node, and what they call it. Kubernetes: pkg/registry/storage/csinode."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, invalid, required
from localplane.apimachinery.names import qualified_name, size
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apimachinery.times import age
from localplane.apiserver.registry.strategy import StatusStrategy
from localplane.apiserver.request import Request
from localplane.catalog.core.pods.validation.volume_sources import csi_driver_errors
from localplane.catalog.declarations import builtin
from localplane.catalog.internal_form import internal_form
from localplane.catalog.strategy import Asked, BuiltinStrategy
from localplane.catalog.validation.metadata import immutable_errors, metadata_update_errors
from localplane.catalog.validation.rules import NOT_NEGATIVE, Always, Each, Fields, Required, Unique
from localplane.catalog.validation.values import repeated

_DRIVERS = Path("spec") / "drivers"
_NODE_ID_MAX = 256


def _node_id_errors(node_id: str, path: Path) -> Iterator[FieldError]:
    if size(node_id) > _NODE_ID_MAX:
        yield invalid(path, node_id, f"must be {_NODE_ID_MAX} characters or less")


def _topology_errors(driver: JSONObject, path: Path) -> Iterator[FieldError]:
    """Kubernetes tells of keys at the driver."""
    keys = driver.get("topologyKeys") or []
    for key, is_repeated in zip(keys, repeated(keys), strict=True):
        if not key:
            yield required(path)
        if is_repeated:
            yield duplicate(path, key)
        yield from (invalid(path, key, problem) for problem in qualified_name(key))


_DRIVER = Fields(
    name=Always(csi_driver_errors),
    nodeID=Required(_node_id_errors),
    allocatable=Fields(count=NOT_NEGATIVE),
)


class CSINodeStrategy(BuiltinStrategy):
    tracks_generation = False
    rules = Fields(spec=Fields(drivers=Each(_DRIVER, Unique("name"), _topology_errors)))
    on_update = (Asked.OBJECT, Asked.CHANGES)

    def change_errors(self, obj: JSONObject, old: JSONObject) -> Iterator[FieldError]:
        named: dict[Any, list[JSONObject]] = defaultdict(list)
        for driver in _drivers_of(obj):
            named[driver.get("name")].append(driver)
        for name, before in {driver.get("name"): driver for driver in _drivers_of(old)}.items():
            for driver in named.get(name, ()):
                yield from immutable_errors(_fixed(driver), _fixed(before), _DRIVERS)


class CSINodeStatusStrategy(StatusStrategy):
    """The health of storage, which is all there is in it, is switched off."""

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        super().prepare_for_update(request, obj, old)
        obj["status"] = {}

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return metadata_update_errors(obj, old)


def _drivers_of(obj: JSONObject) -> Sequence[JSONObject]:
    return (obj.get("spec") or {}).get("drivers") or ()


def _fixed(driver: JSONObject) -> Any:
    """All of a driver but how many volumes it can have, which may change."""
    kept: JSONObject = copied(driver)
    kept.pop("allocatable", None)
    return internal_form(kept, "storage.CSINodeDriver")


def csi_node_cells(obj: JSONObject) -> list[Any]:
    metadata = obj.get("metadata") or {}
    return [metadata.get("name", ""), len(_drivers_of(obj)), age(metadata.get("creationTimestamp"))]


CSI_NODES = builtin(
    "storage.k8s.io/csinodes",
    strategy=CSINodeStrategy(),
    status_strategy=CSINodeStatusStrategy,
    cells=csi_node_cells,
)
