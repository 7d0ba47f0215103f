"""What a plugin that looks beyond one node gives for one pod."""

from __future__ import annotations

from typing import Protocol, Self

from localplane.scheduler.diagnosis import Rejection
from localplane.scheduler.state.node_info import NodeInfo
from localplane.scheduler.state.pod_info import PodInfo


class Check(Protocol):
    """Made for one pod from how the cluster is; a plugin that has nothing against any node makes none. `add` and
    `remove` tell it of pods that it shall imagine on a node, or gone; whoever does that takes a copy first."""

    def rejection(self, node: NodeInfo) -> Rejection | None: ...

    def add(self, pod: PodInfo, node: NodeInfo) -> None: ...

    def remove(self, pod: PodInfo, node: NodeInfo) -> None: ...

    def copy(self) -> Self: ...


class UnmovedCheck:
    """One that other pods don't matter to."""

    def add(self, pod: PodInfo, node: NodeInfo) -> None:
        """Nothing changes."""

    def remove(self, pod: PodInfo, node: NodeInfo) -> None:
        """Nothing changes."""

    def copy(self) -> Self:
        return self
