"""How much of a pod's images a node has already. Kubernetes: pkg/scheduler/framework/plugins/imagelocality."""

from __future__ import annotations

from typing import Final

from localplane.scheduler.state.cluster import ClusterState
from localplane.scheduler.state.node_info import NodeInfo
from localplane.scheduler.state.pod_info import PodInfo

_MEGABYTE: Final = 1024 * 1024
_LEAST: Final = 23 * _MEGABYTE
_MOST_OF_ONE: Final = 1000 * _MEGABYTE


def score(pod: PodInfo, node: NodeInfo, cluster: ClusterState) -> int:
    """From 0 to 100. An image that few nodes have counts for less, or all pods that use it would go there."""
    if not node.images:
        return 0
    total, nodes = 0, len(cluster.nodes)
    for name in pod.images:
        size = node.images.get(name)
        if size:
            total += int(size * (cluster.images[name] / nodes))
    most = _MOST_OF_ONE * len(pod.images)
    return 100 * (min(max(total, _LEAST), most) - _LEAST) // (most - _LEAST)
