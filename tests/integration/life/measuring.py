"""A cluster that answers for metrics.k8s.io, with a simulated node that a test plays."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.compose import assembly
from localplane.servers.metrics import make_group
from localplane.servers.metrics.stores import GROUP
from tests.integration.life.world import World


def serve_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    """In clusters that are opened after this, if they don't do so anyway."""
    init = assembly._Cluster.__init__

    def with_metrics(self: Any, *arguments: Any, **options: Any) -> None:
        init(self, *arguments, **options)
        if all(group.name != GROUP for group in self.groups):
            self.groups.append(make_group(self._objects))

    monkeypatch.setattr(assembly._Cluster, "__init__", with_metrics)


async def simulated_node(world: World, name: str = "node-1", **labels: str) -> None:
    metadata = {"name": name, "annotations": {"kwok.x-k8s.io/node": "fake"}, "labels": labels}
    await world.create("v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": metadata}, "")
    ready = {"conditions": [{"type": "Ready", "status": "True"}], "allocatable": {"cpu": "4", "memory": "8Gi"}}
    await world.merge("v1/nodes", name, {"status": ready}, "", subresource="status")
