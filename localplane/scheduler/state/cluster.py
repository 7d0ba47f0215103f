"""All nodes and the pods on them, with those pods that we have placed and the server has not confirmed yet.

Kubernetes: pkg/scheduler/backend/cache.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import zip_longest

from localplane.apimachinery.objects import JSONObject

from .affinity_terms import AffinityTerm, WeightedTerm
from .node_info import NodeInfo
from .pod_info import PodInfo
from .tallies import PodTallies, TermTallies

# Pods that wait for a place on a certain node, where others are being moved out for them.
#
# Kubernetes: pkg/scheduler/backend/queue/nominator.go.


class Nominations:
    """By the pod. What we have decided counts before the server says it too."""

    def __init__(self) -> None:
        self._nodes: dict[str, str] = {}
        self._pods: dict[str, dict[str, PodInfo]] = {}

    def set(self, pod: PodInfo, node_name: str) -> None:
        """With an empty name, it is nominated no longer."""
        self.remove(pod.uid)
        if node_name:
            self._nodes[pod.uid] = node_name
            self._pods.setdefault(node_name, {})[pod.uid] = pod

    def update(self, old: PodInfo, new: PodInfo) -> None:
        """The server has changed the pod. If neither version names a node, then ours may still be on its way."""
        ours = self._nodes.get(old.uid, "")
        unsaid = not old.nominated_node and not new.nominated_node
        self.set(new, ours if unsaid else new.nominated_node)

    def remove(self, uid: str) -> None:
        node_name = self._nodes.pop(uid, None)
        if node_name is None:
            return
        pods = self._pods[node_name]
        del pods[uid]
        if not pods:
            del self._pods[node_name]

    def __bool__(self) -> bool:
        return bool(self._nodes)

    def on(self, node_name: str) -> list[PodInfo]:
        pods = self._pods.get(node_name)
        return list(pods.values()) if pods else []

    def at_least(self, pod: PodInfo, node_name: str) -> list[PodInfo]:
        """Those on a node that go before this pod, or beside it."""
        pods = self._pods.get(node_name)
        if not pods:
            return []
        return [each for each in pods.values() if each.priority >= pod.priority and each.uid != pod.uid]


_HARD_AFFINITY_WEIGHT = 1
"""InterPodAffinityArgs.hardPodAffinityWeight, by default."""


class ClusterState:
    """An assumed pod counts as if it were on its node. It stays assumed until the informer shows it there, or it is
    forgotten."""

    def __init__(self) -> None:
        self.nodes: dict[str, NodeInfo] = {}
        self.pods: dict[str, PodInfo] = {}
        self.nominations = Nominations()
        self.tallies = PodTallies(self.pods.values)
        self.anti_affinity: TermTallies[AffinityTerm] = TermTallies()
        self.preferences: TermTallies[WeightedTerm] = TermTallies()
        self.claims_in_use: Counter[str] = Counter()
        self.images: Counter[str] = Counter()
        self.image_generation = object()
        self._unseen: dict[str, NodeInfo] = {}
        self._assumed: set[str] = set()
        self._order: list[NodeInfo] | None = None

    # Nodes

    def in_order(self) -> list[NodeInfo]:
        """One of each zone after the other, so that whoever looks at some nodes only sees all zones. Kubernetes:
        pkg/scheduler/backend/cache/node_tree.go. Not to be changed."""
        if self._order is None:
            zones: dict[str, list[NodeInfo]] = {}
            for node in self.nodes.values():
                zones.setdefault(node.zone, []).append(node)
            self._order = [node for each in zip_longest(*zones.values()) for node in each if node is not None]
        return self._order

    def set_node(self, node: JSONObject) -> None:
        name = node["metadata"]["name"]
        info = self.nodes.get(name)
        if info is None:
            info = self.nodes[name] = self._unseen.pop(name) if name in self._unseen else NodeInfo(name)
            self._order, self.image_generation = None, object()
        zone, images = info.zone, info.images
        info.set_node(node)
        if info.zone != zone:
            self._order = None
        self._count_images(images, info.images)

    def remove_node(self, name: str) -> None:
        info = self.nodes.pop(name, None)
        if info is None:
            return
        self._order, self.image_generation = None, object()
        self._count_images(info.images, {})
        info.node = None
        if info.pods:
            self._unseen[name] = info

    def _count_images(self, old: Iterable[str], new: Iterable[str]) -> None:
        """`images` says on how many nodes each is."""
        before, after = set(old), set(new)
        if before != after:
            self.images.subtract(before - after)
            self.images.update(after - before)
            self.image_generation = object()

    # Pods

    def is_assumed(self, uid: str) -> bool:
        return uid in self._assumed

    def assume(self, pod: PodInfo, node_name: str) -> None:
        pod.node_name = node_name
        self._assumed.add(pod.uid)
        self.nominations.remove(pod.uid)
        self._add(pod)

    def forget(self, pod: PodInfo) -> None:
        """It was not to be."""
        if pod.uid in self._assumed:
            self._assumed.discard(pod.uid)
            self._remove(pod.uid)
        pod.node_name = ""

    def set_pod(self, pod: PodInfo) -> None:
        """A pod that is on a node, as the informer shows it."""
        self._assumed.discard(pod.uid)
        known = self.pods.get(pod.uid)
        if known is not None and known.counts_like(pod):
            known.pod, known.spec = pod.pod, pod.spec
            return
        if known is not None:
            self._remove(pod.uid)
        self._add(pod)

    def remove_pod(self, uid: str) -> None:
        self._assumed.discard(uid)
        self._remove(uid)

    def _add(self, pod: PodInfo) -> None:
        self.pods[pod.uid] = pod
        node = self.nodes.get(pod.node_name)
        if node is None:
            node = self._unseen.setdefault(pod.node_name, NodeInfo(pod.node_name))
        node.add(pod)
        self._tally(pod, 1)

    def _remove(self, uid: str) -> None:
        pod = self.pods.pop(uid, None)
        if pod is None:
            return
        node = self.nodes.get(pod.node_name) or self._unseen.get(pod.node_name)
        if node is not None:
            node.remove(pod)
            if not node.pods:
                self._unseen.pop(pod.node_name, None)
        self._tally(pod, -1)

    def _tally(self, pod: PodInfo, sign: int) -> None:
        self.tallies.count(pod, sign)
        for claim in pod.claims:
            self.claims_in_use[f"{pod.namespace}/{claim}"] += sign
        affinity = pod.affinity
        if affinity.says_anything:
            self.anti_affinity.count(affinity.required_anti, pod.node_name, sign)
            hard = [WeightedTerm(term, _HARD_AFFINITY_WEIGHT) for term in affinity.required]
            self.preferences.count([*hard, *affinity.preferred], pod.node_name, sign)
