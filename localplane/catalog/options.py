"""What the built-in kinds want to know of the server that they are served by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from localplane.apiserver.registry.definition import Definition


def _nowhere(name: str) -> Definition:
    raise LookupError(f"{name} is not served here")


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogOptions:
    """`storage_of` finds another kind's definition by its name (`policy/poddisruptionbudgets`), once all are there."""

    service_cluster_ip_range: str = "10.0.0.0/24"
    service_node_port_range: range = range(30000, 32768)
    storage_of: Callable[[str], Definition] = _nowhere
