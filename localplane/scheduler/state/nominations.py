"""Pods that wait for a place on a certain node, where others are being moved out for them.

Kubernetes: pkg/scheduler/backend/queue/nominator.go.
"""

from __future__ import annotations

from .pod_info import PodInfo


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
