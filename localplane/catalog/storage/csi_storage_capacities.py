"""CSIStorageCapacities: how much storage of a class is left in a part of the cluster.

Kubernetes: pkg/registry/storage/csistoragecapacity.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, invalid
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import parse
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request
from localplane.catalog.core.pods.warnings.placement import node_label_message
from localplane.catalog.declaring import builtin
from localplane.catalog.validation.metadata import immutable_errors, metadata_errors, metadata_update_errors
from localplane.catalog.validation.selectors import selector_errors
from localplane.catalog.validation.values import NOT_NEGATIVE

_TOPOLOGY, _CLASS = Path("nodeTopology"), Path("storageClassName")


class CSIStorageCapacityStrategy(Strategy):
    validates_schema = False
    tracks_generation = False

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        name, capacity = obj.get("storageClassName", ""), obj.get("capacity")
        errors = collected(
            metadata_errors(obj, namespaced=True, name=dns1123_subdomain),
            selector_errors(obj.get("nodeTopology"), _TOPOLOGY),
            (invalid(_CLASS, name, problem) for problem in dns1123_subdomain(name)),
        )
        if capacity is not None and parse(capacity).sign < 0:
            errors.append(invalid("capacity", capacity, NOT_NEGATIVE))
        return errors

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return list(_warnings(obj.get("nodeTopology") or {}))

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(
            self.validate(request, obj),
            metadata_update_errors(obj, old),
            immutable_errors(obj.get("nodeTopology"), old.get("nodeTopology"), _TOPOLOGY),
            immutable_errors(obj.get("storageClassName", ""), old.get("storageClassName", ""), _CLASS),
        )

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
