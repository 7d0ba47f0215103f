"""What each node by itself thinks of a pod, remembered for the next pod of the same kind until the node changes.

Nothing here depends on anything but the pod, the node and the pods on it, and which node has which images. So a
thousand equal pods cost little more than one: each of them changes one node.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from localplane.scheduler.diagnosis import Rejection
from localplane.scheduler.state.cluster import ClusterState
from localplane.scheduler.state.node_info import NodeInfo
from localplane.scheduler.state.pod_info import PodInfo

from . import image_locality, node_checks, node_resources

_REMEMBERED: Final = 64


@dataclass(frozen=True, slots=True)
class NodeScores:
    """`resources` are the scores that stand as they are, together; the others have to be compared with those of other
    nodes first."""

    resources: int
    disliked_taints: int
    preference: int


@dataclass(slots=True)
class NodeVerdict:
    """Of one node in one state. Scores are worked out when somebody asks."""

    generation: object
    rejection: Rejection | None
    scores: NodeScores | None = None


def judge(pod: PodInfo, node: NodeInfo) -> Rejection | None:
    """The checks in the order of the default profile; the first that fails is told."""
    return node_checks.rejection(pod, node) or node_resources.rejection(pod, node)


def scores(pod: PodInfo, node: NodeInfo, cluster: ClusterState) -> NodeScores:
    standing = node_resources.least_allocated(pod, node) + node_resources.balanced(pod, node)
    return NodeScores(
        resources=standing + image_locality.score(pod, node, cluster),
        disliked_taints=node_checks.disliked_taints(pod, node),
        preference=pod.preferred_nodes.score(node.node) if pod.preferred_nodes and node.node is not None else 0,
    )


class Verdicts:
    """Of all nodes about the pods that were seen last."""

    def __init__(self, cluster: ClusterState) -> None:
        self._cluster = cluster
        self._by_signature: OrderedDict[bytes, dict[str, NodeVerdict]] = OrderedDict()
        self._image_generation = cluster.image_generation

    def of(self, pod: PodInfo) -> VerdictsOfPod:
        if self._image_generation is not self._cluster.image_generation:
            self._by_signature.clear()
            self._image_generation = self._cluster.image_generation
        known = self._by_signature.pop(pod.signature, None)
        if known is None:
            known = {}
        self._by_signature[pod.signature] = known
        if len(self._by_signature) > _REMEMBERED:
            self._by_signature.popitem(last=False)
        return VerdictsOfPod(pod, self._cluster, known)


class VerdictsOfPod:
    def __init__(self, pod: PodInfo, cluster: ClusterState, known: dict[str, NodeVerdict]) -> None:
        self._pod = pod
        self._cluster = cluster
        self._known = known

    def rejection(self, node: NodeInfo) -> Rejection | None:
        return self._verdict(node).rejection

    def scores(self, node: NodeInfo) -> NodeScores:
        verdict = self._verdict(node)
        if verdict.scores is None:
            verdict.scores = scores(self._pod, node, self._cluster)
        return verdict.scores

    def _verdict(self, node: NodeInfo) -> NodeVerdict:
        verdict = self._known.get(node.name)
        if verdict is None or verdict.generation is not node.generation:
            verdict = self._known[node.name] = NodeVerdict(node.generation, judge(self._pod, node))
        return verdict
