"""Managers of the scale subresource: a Scale has fields of its own, but its one field that matters is the parent's.

Kubernetes: apimachinery/pkg/util/managedfields/scalehandler.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from localplane.apimachinery.objects import JSONObject

from .fieldset import difference, has, of_paths
from .managers import Managed, ManagerEntry, decode, encode

_SCALE: Final = "autoscaling/v1"
_REPLICAS: Final = ("f:spec", "f:replicas")

ReplicasPaths = Mapping[str, Sequence[str] | None]
"""By apiVersion of the parent: the elements that lead to its replicas. None for a version without scale."""


@dataclass(frozen=True, slots=True)
class ScaleManagers:
    """`api_version` is the version in which the parent is asked for. Both methods raise InvalidManagedFields."""

    parent: Sequence[JSONObject] | None
    api_version: str
    paths: ReplicasPaths

    def of_scale(self) -> list[JSONObject]:
        """The managedFields of the Scale: those who own the parent's replicas."""
        found: Managed = {}
        for manager, entry in self._decoded().items():
            path = self.paths.get(entry.api_version)
            if path is not None and has(entry.fields, path):
                found[manager] = ManagerEntry(of_paths(_REPLICAS), _SCALE, entry.time)
        return encode(found)

    def of_parent(self, scale: Sequence[JSONObject] | None) -> list[JSONObject]:
        """The managedFields of the parent, after the Scale was written with these."""
        scaling = decode(list(scale) if scale is not None else None)
        parent = self._decoded()
        found: Managed = {}
        for manager, entry in parent.items():
            if entry.api_version not in self.paths:
                continue
            path = self.paths[entry.api_version]
            if path is not None and has(entry.fields, path) and scaling.pop(manager, None) is None:
                rest = difference(entry.fields, of_paths(path))  # somebody else scaled: it is theirs now
                if rest:
                    found[manager] = entry.owning(rest)
            else:
                found[manager] = entry
        own = self.paths.get(self.api_version)
        for manager, entry in scaling.items():
            if own is not None and has(entry.fields, _REPLICAS):
                time = parent[manager].time if manager in parent else ""
                found[manager] = ManagerEntry(of_paths(own), self.api_version, time)
        return encode(found)

    def _decoded(self) -> Managed:
        return decode(list(self.parent) if self.parent is not None else None)
