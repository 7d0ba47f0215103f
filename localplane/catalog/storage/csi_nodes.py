"""CSINodes: which drivers run on a node, and what they call it. Kubernetes: pkg/registry/storage/csinode."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, duplicate, invalid, required
from localplane.apimachinery.names import dns1123_subdomain, qualified_name, size
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apimachinery.times import age
from localplane.apiserver.registry.strategy import StatusStrategy, Strategy
from localplane.apiserver.request import Request
from localplane.catalog.core.pods.validation.volume_sources import csi_driver_errors
from localplane.catalog.declaring import builtin
from localplane.catalog.internal_form import internal_form
from localplane.catalog.validation.metadata import immutable_errors, metadata_errors, metadata_update_errors
from localplane.catalog.validation.values import not_negative, repeated

_DRIVERS = Path("spec") / "drivers"
_NODE_ID_MAX = 256


class CSINodeStrategy(Strategy):
    validates_schema = False
    tracks_generation = False

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return collected(
            metadata_errors(obj, namespaced=False, name=dns1123_subdomain), _drivers_errors(_drivers_of(obj))
        )

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(self.validate(request, obj), _change_errors(_drivers_of(obj), _drivers_of(old)))


class CSINodeStatusStrategy(StatusStrategy):
    """The health of storage, which is all there is in it, is switched off."""

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        super().prepare_for_update(request, obj, old)
        obj["status"] = {}

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return metadata_update_errors(obj, old)


def _drivers_of(obj: JSONObject) -> Sequence[JSONObject]:
    return (obj.get("spec") or {}).get("drivers") or ()


def _change_errors(drivers: Sequence[JSONObject], before: Sequence[JSONObject]) -> Iterator[FieldError]:
    named: dict[Any, list[JSONObject]] = defaultdict(list)
    for driver in drivers:
        named[driver.get("name")].append(driver)
    for name, known in {driver.get("name"): driver for driver in before}.items():
        for driver in named.get(name, ()):
            yield from immutable_errors(_fixed(driver), _fixed(known), _DRIVERS)


def _fixed(driver: JSONObject) -> Any:
    """All of a driver but how many volumes it can have, which may change."""
    kept: JSONObject = copied(driver)
    kept.pop("allocatable", None)
    return internal_form(kept, "storage.CSINodeDriver")


def _drivers_errors(drivers: Sequence[JSONObject]) -> Iterator[FieldError]:
    names = set()
    for index, driver in enumerate(drivers):
        place, name = _DRIVERS[index], driver.get("name", "")
        yield from csi_driver_errors(name, place / "name")
        yield from _node_id_errors(driver.get("nodeID", ""), place / "nodeID")
        yield from not_negative((driver.get("allocatable") or {}).get("count"), place / "allocatable" / "count")
        if name in names:
            yield duplicate(place / "name", name)
        names.add(name)
        yield from _topology_errors(driver.get("topologyKeys") or [], place)


def _node_id_errors(node_id: str, path: Path) -> Iterator[FieldError]:
    if not node_id:
        yield required(path)
    if size(node_id) > _NODE_ID_MAX:
        yield invalid(path, node_id, f"must be {_NODE_ID_MAX} characters or less")


def _topology_errors(keys: list[str], path: Path) -> Iterator[FieldError]:
    """Kubernetes tells of them at the driver."""
    for key, is_repeated in zip(keys, repeated(keys), strict=True):
        if not key:
            yield required(path)
        if is_repeated:
            yield duplicate(path, key)
        yield from (invalid(path, key, problem) for problem in qualified_name(key))


def csi_node_cells(obj: JSONObject) -> list[Any]:
    metadata = obj.get("metadata") or {}
    return [metadata.get("name", ""), len(_drivers_of(obj)), age(metadata.get("creationTimestamp"))]


CSI_NODES = builtin(
    "storage.k8s.io/csinodes",
    strategy=CSINodeStrategy(),
    status_strategy=CSINodeStatusStrategy,
    cells=csi_node_cells,
)
