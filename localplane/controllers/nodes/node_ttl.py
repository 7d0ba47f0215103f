"""Nodes are told how long they may go on with secrets and config maps that they have read: the longer, the more of them
there are. Kubernetes: pkg/controller/ttl.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from localplane.apimachinery.errors import NotFound
from localplane.client import Client, GroupVersionResource, Lister, PatchType, WorkQueue
from localplane.controllers.context import ControllerContext
from localplane.controllers.worker import hearing, work

_NODES: Final = GroupVersionResource("", "v1", "nodes")
_ACCOUNT: Final = "ttl-controller"
_ANNOTATION: Final = "node.alpha.kubernetes.io/ttl"
_WORKERS: Final = 5


@dataclass(frozen=True, slots=True)
class _Size:
    """Of a cluster, from `least` to `most` nodes. Sizes overlap, so that one node more or less changes nothing."""

    least: int
    most: float
    seconds: int


_SIZES: Final = (
    _Size(0, 100, 0),
    _Size(90, 500, 15),
    _Size(450, 1000, 30),
    _Size(900, 2000, 60),
    _Size(1800, float("inf"), 300),
)


async def start(context: ControllerContext) -> None:
    nodes = context.informers.informer(_NODES)
    queue = WorkQueue[str]()
    await nodes.wait_for_sync()
    with hearing(nodes, lambda node: queue.add(node["metadata"]["name"])):
        await work(queue, NodeTTL(context.client_of(_ACCOUNT), nodes.lister).sync, workers=_WORKERS)


class NodeTTL:
    def __init__(self, client: Client, nodes: Lister) -> None:
        self._client = client
        self._nodes = nodes
        self._step = 0

    async def sync(self, name: str) -> None:
        wanted, node = str(self.seconds(len(self._nodes.list()))), self._nodes.get(name)
        if node is None or (node["metadata"].get("annotations") or {}).get(_ANNOTATION) == wanted:
            return
        patch = {"metadata": {"annotations": {_ANNOTATION: wanted}}}
        try:
            await self._client.resource(_NODES).patch(name, patch, PatchType.STRATEGIC)
        except NotFound:
            return

    def seconds(self, count: int) -> int:
        """For so many nodes, given how many there were before."""
        while count > _SIZES[self._step].most:
            self._step += 1
        while count < _SIZES[self._step].least:
            self._step -= 1
        return _SIZES[self._step].seconds
