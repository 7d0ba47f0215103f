"""The search for a node for one pod: which nodes will do, and which of these is best.

Kubernetes: pkg/scheduler/schedule_one.go, schedulePod; framework/runtime/framework.go for the order of things.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from localplane.apimachinery.time_slices import TimeSlices

from .diagnosis import Diagnosis, Rejection, Unschedulable
from .plugins import declared_features, inter_pod_affinity, names, node_checks, topology_spread, volumes
from .plugins import devices as devices_of_pod
from .plugins.check import Check
from .plugins.devices import DeviceCheck, Devices
from .plugins.verdicts import NodeScores, Verdicts, VerdictsOfPod, judge
from .plugins.volumes import VolumeCheck, VolumeViews
from .sources import ALWAYS, FOR_DEVICES, FOR_VOLUMES, Sources
from .state.cluster import ClusterState
from .state.node_info import NodeInfo
from .state.pod_info import PodInfo

_MOST: Final = 100
_TAINT_WEIGHT: Final = 3
_NODE_AFFINITY_WEIGHT: Final = 2
_SPREAD_WEIGHT: Final = 2
_POD_AFFINITY_WEIGHT: Final = 2

# schedule_one.go: of many nodes it is enough to find some.
_ENOUGH: Final = 100
_FEWEST_PERCENT: Final = 5


class NoPlace(Exception):
    """No node will do. With the `cycle`, if it came so far, somebody may try to make room."""

    def __init__(self, diagnosis: Diagnosis, cycle: Cycle | None = None) -> None:
        super().__init__(diagnosis.message)
        self.diagnosis = diagnosis
        self.cycle = cycle


@dataclass(slots=True)
class Cycle:
    """What is known about one pod while a place for it is sought. `only` are the nodes that it allows by name."""

    pod: PodInfo
    verdicts: VerdictsOfPod
    checks: list[Check] = field(default_factory=list)
    volumes: VolumeCheck | None = None
    devices: DeviceCheck | None = None
    only: frozenset[str] | None = None

    def rejection(self, node: NodeInfo) -> Rejection | None:
        """For a node as it is."""
        found = self.verdicts.rejection(node)
        return found if found is not None else first_rejection(self.checks, node)

    def imagined(self, node: NodeInfo, checks: Sequence[Check]) -> Rejection | None:
        """For a copy of a node that was changed, and copies of the checks that were told so."""
        return judge(self.pod, node) or first_rejection(checks, node)


def first_rejection(checks: Sequence[Check], node: NodeInfo) -> Rejection | None:
    for check in checks:
        found = check.rejection(node)
        if found is not None:
            return found
    return None


@dataclass(frozen=True, slots=True)
class Placement:
    node_name: str
    cycle: Cycle


class Search:
    """Goes on with the next nodes where it stopped, if there are so many that some are enough. `random` decides among
    the best."""

    def __init__(
        self, cluster: ClusterState, sources: Sources, volume_views: VolumeViews, devices: Devices, random: Random
    ) -> None:
        self._cluster = cluster
        self._sources = sources
        self._volume_views = volume_views
        self._devices = devices
        self._random = random
        self._verdicts = Verdicts(cluster)
        self._next = 0
        self._slices = TimeSlices()

    async def place(self, pod: PodInfo) -> Placement:
        """Raises NoPlace, and SchedulerError for what nobody can understand."""
        await self._sources.ready(ALWAYS)
        if pod.has_claims:
            await self._sources.ready(FOR_VOLUMES)
        if pod.spec.get("resourceClaims"):
            await self._sources.ready(FOR_DEVICES)
        nodes = self._cluster.in_order()
        if not nodes:
            raise NoPlace(Diagnosis(0, plugins=frozenset((names.NO_NODES,))))
        try:
            cycle = self._prepared(pod)
        except Unschedulable as error:
            reason = error.rejection
            raise NoPlace(
                Diagnosis(len(nodes), others=reason, before=reason.message, plugins=frozenset((reason.plugin,)))
            ) from None
        feasible = self._nominated(cycle)
        if not feasible:
            feasible, rejections = await self._feasible(cycle, nodes)
            if not feasible:
                raise NoPlace(_diagnosis(cycle, len(nodes), rejections), cycle)
        if len(feasible) == 1:
            return Placement(feasible[0].name, cycle)
        return Placement(self._best(cycle, feasible).name, cycle)

    def _prepared(self, pod: PodInfo) -> Cycle:
        """Raises Unschedulable. In the order of the default profile."""
        cycle = Cycle(pod, self._verdicts.of(pod))
        cluster, sources = self._cluster, self._sources
        if (pod.spec.get("affinity") or {}).get("nodeAffinity"):
            cycle.only = node_checks.named_nodes(pod)
        if pod.spec.get("volumes"):
            prepared = volumes.prepare(pod, cluster, self._volume_views)
            cycle.checks += prepared.checks
            cycle.volumes = prepared.binding
        preparations: tuple[Callable[[], Check | None], ...] = (
            lambda: topology_spread.prepare(pod, cluster),
            lambda: inter_pod_affinity.prepare(pod, cluster, sources),
        )
        cycle.checks += [check for prepare in preparations if (check := prepare()) is not None]
        if pod.spec.get("resourceClaims"):
            cycle.devices = devices_of_pod.prepare(pod, self._devices)
            if cycle.devices is not None:
                cycle.checks.append(cycle.devices)
        if (features := declared_features.prepare(pod)) is not None:
            cycle.checks.append(features)
        return cycle

    def _nominated(self, cycle: Cycle) -> list[NodeInfo]:
        """The node where others were moved out for it, if it will do now."""
        name = cycle.pod.nominated_node
        node = self._cluster.nodes.get(name) if name else None
        return [node] if node is not None and self.rejection(cycle, node) is None else []

    async def _feasible(self, cycle: Cycle, nodes: Sequence[NodeInfo]) -> tuple[list[NodeInfo], dict[str, Rejection]]:
        if cycle.only is not None:
            nodes = [self._cluster.nodes[name] for name in sorted(cycle.only) if name in self._cluster.nodes]
        wanted, total = _wanted(len(nodes)), len(nodes)
        feasible: list[NodeInfo] = []
        rejections: dict[str, Rejection] = {}
        for number in range(total):
            node = nodes[(self._next + number) % total]
            found = self.rejection(cycle, node)
            if found is not None:
                rejections[node.name] = found
            else:
                feasible.append(node)
                if len(feasible) >= wanted:
                    break
            if self._slices.is_over:
                await self._slices.next()
        self._next = (self._next + len(feasible) + len(rejections)) % max(1, len(self._cluster.nodes))
        return feasible, rejections

    def rejection(self, cycle: Cycle, node: NodeInfo) -> Rejection | None:
        """With those that wait for a place on this node, and go first; and without them, since they may never come."""
        if self._cluster.nominations:
            waiting = self._cluster.nominations.at_least(cycle.pod, node.name)
            found = with_waiting(cycle, node, cycle.checks, waiting) if waiting else None
            if found is not None:
                return found
        return cycle.rejection(node)

    def _best(self, cycle: Cycle, nodes: list[NodeInfo]) -> NodeInfo:
        totals = self.scores(cycle, nodes)
        best = max(totals)
        winners = [node for node, total in zip(nodes, totals, strict=True) if total == best]
        if len(winners) == 1:
            return winners[0]
        winners.sort(key=_name)  # nodes stand in the order of their last news: a seed must not depend on that
        return self._random.choice(winners)

    def scores(self, cycle: Cycle, nodes: Sequence[NodeInfo]) -> list[int]:
        """All plugins together, with their weights."""
        pod = cycle.pod
        own = [cycle.verdicts.scores(node) for node in nodes]
        totals = [scores.resources for scores in own]
        _add_taints(totals, own)
        if pod.preferred_nodes:
            _add_preference(totals, own)
        spread = topology_spread.scores(pod, nodes, self._cluster, self._sources)
        near = inter_pod_affinity.scores(pod, nodes, self._cluster, self._sources)
        capacity = cycle.volumes.scores(nodes) if cycle.volumes is not None else None
        for weight, more in ((_SPREAD_WEIGHT, spread), (_POD_AFFINITY_WEIGHT, near), (1, capacity)):
            if more is not None:
                totals = [total + weight * score for total, score in zip(totals, more, strict=True)]
        return totals


def with_waiting(cycle: Cycle, node: NodeInfo, checks: Sequence[Check], waiting: Sequence[PodInfo]) -> Rejection | None:
    imagined, told = node.copy(), [check.copy() for check in checks]
    for pod in waiting:
        imagined.add(pod)
        for check in told:
            check.add(pod, imagined)
    return cycle.imagined(imagined, told)


def _add_taints(totals: list[int], own: Sequence[NodeScores]) -> None:
    most = max(scores.disliked_taints for scores in own)
    for number, scores in enumerate(own):
        totals[number] += _TAINT_WEIGHT * (_MOST - (scores.disliked_taints * _MOST // most if most else 0))


def _add_preference(totals: list[int], own: Sequence[NodeScores]) -> None:
    most = max(scores.preference for scores in own)
    if most:
        for number, scores in enumerate(own):
            totals[number] += _NODE_AFFINITY_WEIGHT * (scores.preference * _MOST // most)


def _wanted(nodes: int) -> int:
    """How many nodes are enough: all of a hundred, fewer and fewer percent of more."""
    if nodes < _ENOUGH:
        return max(1, nodes)
    return max(_ENOUGH, nodes * max(_FEWEST_PERCENT, 50 - nodes // 125) // 100)


def _diagnosis(cycle: Cycle, nodes: int, rejections: dict[str, Rejection]) -> Diagnosis:
    plugins = {rejection.plugin for rejection in rejections.values()}
    others = None
    if cycle.only is not None:
        plugins.add(names.NODE_AFFINITY)
        reason = f"node(s) didn't satisfy plugin(s) [{names.NODE_AFFINITY}]"
        others = Rejection(names.NODE_AFFINITY, (reason,), final=True)
    return Diagnosis(nodes, rejections=rejections, others=others, plugins=frozenset(plugins))


def _name(node: NodeInfo) -> str:
    return node.name
