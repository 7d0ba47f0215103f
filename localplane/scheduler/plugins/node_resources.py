"""Whether a pod fits into what a node has left, and how well.

Kubernetes: pkg/scheduler/framework/plugins/noderesources, fit.go, least_allocated.go and balanced_allocation.go.
"""

from __future__ import annotations

from typing import Final

from localplane.scheduler.diagnosis import Rejection
from localplane.scheduler.state.amounts import CPU, EPHEMERAL_STORAGE, MEMORY, Amounts
from localplane.scheduler.state.node_info import NodeInfo
from localplane.scheduler.state.pod_info import PodInfo

from . import names

_MOST: Final = 100
_TOO_MANY: Final = "Too many pods"
_FIRST: Final = (CPU, MEMORY, EPHEMERAL_STORAGE)


def fits(asked: Amounts, node: NodeInfo) -> bool:
    """The short question, with no reasons."""
    if len(node.pods) >= node.allowed_pods:
        return False
    allocatable, requested = node.allocatable, node.requested
    for name, amount in asked.items():
        if amount > 0 and amount > allocatable.get(name, 0) - requested.get(name, 0):
            return False
    return True


def rejection(pod: PodInfo, node: NodeInfo) -> Rejection | None:
    asked = pod.request.asked
    if fits(asked, node):
        return None
    reasons, final = [], False
    if len(node.pods) >= node.allowed_pods:
        reasons.append(_TOO_MANY)
    for name in (*_FIRST, *sorted(set(asked).difference(_FIRST))):
        amount, has = asked.get(name, 0), node.allocatable.get(name, 0)
        if amount > 0 and amount > has - node.requested.get(name, 0):
            reasons.append(f"Insufficient {name}")
            final = final or amount > has
    return Rejection(names.NODE_RESOURCES_FIT, tuple(reasons), final=final)


def least_allocated(pod: PodInfo, node: NodeInfo) -> int:
    """From 0 to 100: how much would be free, of CPU and memory alike."""
    total = weights = 0
    for name, used in ((CPU, node.guessed_cpu), (MEMORY, node.guessed_memory)):
        capacity = node.allocatable.get(name, 0)
        if capacity:
            wanted = used + pod.request.compared[name]
            total += (capacity - wanted) * _MOST // capacity if wanted <= capacity else 0
            weights += 1
    return total // weights if weights else 0


def balanced(pod: PodInfo, node: NodeInfo) -> int:
    """From 0 to 100: whether CPU and memory would be used up alike, compared with how it is now. Nothing for a pod that
    asks for neither."""
    asked, before, after = pod.request.asked, [], []
    if not asked.get(CPU) and not asked.get(MEMORY):
        return 0
    for name in (CPU, MEMORY):
        capacity = node.allocatable.get(name, 0)
        if capacity:
            used = node.requested.get(name, 0)
            before.append(min(1.0, used / capacity))
            after.append(min(1.0, (used + asked.get(name, 0)) / capacity))
    return _MOST // 2 + int((_MOST // 2 + _evenness(after) - _evenness(before)) / 2)


def _evenness(fractions: list[float]) -> int:
    deviation = abs((fractions[0] - fractions[1]) / 2) if len(fractions) == 2 else 0.0
    return int((1 - deviation) * _MOST)
