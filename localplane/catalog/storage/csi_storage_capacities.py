"""CSIStorageCapacities: how much storage of a class is left in a part of the cluster.

Kubernetes: pkg/registry/storage/csistoragecapacity.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import parse
from localplane.apiserver.request import Request
from localplane.catalog.core.pods.warnings.placement import node_label_message
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import Asked, BuiltinStrategy
from localplane.catalog.validation.rules import DNS_SUBDOMAIN, Always, Changes, Fields, Immutable
from localplane.catalog.validation.selectors import selector_errors
from localplane.catalog.validation.values import NOT_NEGATIVE

_TOPOLOGY = Path("nodeTopology")


def _capacity_errors(capacity: str, path: Path) -> Iterator[FieldError]:
    if parse(capacity).sign < 0:
        yield invalid(path, capacity, NOT_NEGATIVE)


class CSIStorageCapacityStrategy(BuiltinStrategy):
    tracks_generation = False
    rules = Fields(nodeTopology=selector_errors, storageClassName=Always(DNS_SUBDOMAIN), capacity=_capacity_errors)
    changes = Changes(Immutable("nodeTopology"), Immutable("storageClassName", absent=""))
    on_update = (Asked.OBJECT, Asked.METADATA, Asked.CHANGES)

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return list(_warnings(obj.get("nodeTopology") or {}))

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        return list(_warnings(obj.get("nodeTopology") or {}))


def _warnings(topology: Mapping[str, Any]) -> Iterator[str]:
    """Kubernetes: pkg/api/node, GetWarningsForNodeSelector."""
    for index, expression in enumerate(topology.get("matchExpressions") or ()):
        key = expression.get("key", "")
        if message := node_label_message(key):
            yield f"{(_TOPOLOGY / 'matchExpressions')[index] / 'key'}: {key} is {message}"
    for key in sorted(topology.get("matchLabels") or {}):
        if message := node_label_message(key):
            yield f"{_TOPOLOGY / 'matchLabels' / key}: {message}"


CSI_STORAGE_CAPACITIES = builtin("storage.k8s.io/csistoragecapacities", strategy=CSIStorageCapacityStrategy())
