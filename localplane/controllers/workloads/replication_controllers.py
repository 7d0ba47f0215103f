"""Replication controllers: the ancestors of replica sets, which work in the same way but for their plain selector.

Kubernetes: pkg/controller/replication.
"""

from __future__ import annotations

from typing import Any, Final

from localplane.apimachinery.selectors.labels import Selector, from_labels
from localplane.client import GroupVersionResource
from localplane.controllers.context import ControllerContext

from .replica_sets import ReplicaKind, run


def _selector(controller: dict[str, Any]) -> Selector | None:
    selector = controller["spec"].get("selector")
    return from_labels(selector) if selector else None


_REPLICATION_CONTROLLERS: Final = ReplicaKind(
    resource=GroupVersionResource("", "v1", "replicationcontrollers"),
    kind="ReplicationController",
    account="replication-controller",
    selector=_selector,
    counts_terminating=False,
)


async def start(context: ControllerContext) -> None:
    await run(context, _REPLICATION_CONTROLLERS)
