"""Making room for an important pod: which less important ones would have to go, and where that costs least.

Nothing is done here; `eviction` does it. Kubernetes: pkg/scheduler/framework/preemption and
plugins/defaultpreemption.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Any, Final

from localplane.apimachinery.clock import present
from localplane.apimachinery.selectors.labels import InvalidSelector, selector_of
from localplane.apimachinery.time_slices import TimeSlices
from localplane.apimachinery.times import InvalidTime, parse_time

from .attempt import Cycle, with_waiting
from .diagnosis import Diagnosis, Rejection, counted
from .plugins import names
from .plugins.check import Check
from .sources import BUDGETS, Sources
from .state.cluster import ClusterState
from .state.node_info import NodeInfo
from .state.pod_info import PodInfo

_NO_VICTIMS: Final = Rejection("DefaultPreemption", ("No preemption victims found for incoming pod",), final=True)
_NOT_HELPFUL: Final = Rejection("DefaultPreemption", ("Preemption is not helpful for scheduling",), final=True)
_NEVER_LOOKED: Final = "not found"
"""What Kubernetes says, if not what it means: dynamicresources.go, PostFilter misses what its PreFilter never wrote,
because another plugin had rejected the pod before."""
_LOWEST: Final = 2**31
# DefaultPreemptionArgs: how many nodes with victims are enough to choose from.
_LEAST_CANDIDATES: Final = 100
_CANDIDATES_PERCENT: Final = 10


@dataclass(frozen=True, slots=True)
class Candidate:
    """`victims` are the pods of a node that would have to go, the most important first; `violations` of them are
    protected by a disruption budget."""

    node_name: str
    victims: tuple[PodInfo, ...]
    violations: int


@dataclass(frozen=True, slots=True)
class PreemptionOutcome:
    """What to tell people, and the nomination of the pod from now on: a node, none (empty), or as it is (None)."""

    message: str
    nomination: str | None = None
    candidate: Candidate | None = None


class Preemption:
    def __init__(self, cluster: ClusterState, sources: Sources, random: Random) -> None:
        self._cluster = cluster
        self._sources = sources
        self._random = random
        self._slices = TimeSlices()

    async def find(self, pod: PodInfo, cycle: Cycle | None, diagnosis: Diagnosis) -> PreemptionOutcome:
        """Without a `cycle` no node was looked at, and none will do."""
        if cycle is None and names.DYNAMIC_RESOURCES not in diagnosis.plugins:
            return PreemptionOutcome(_NEVER_LOOKED)
        if reason := self._not_eligible(pod, diagnosis):
            return PreemptionOutcome(f"preemption: {reason}")
        nodes = len(self._cluster.nodes)
        hopeful = [
            node
            for name, rejection in diagnosis.rejections.items()
            if not rejection.final and (node := self._cluster.nodes.get(name)) is not None
        ]
        if cycle is None or not hopeful:
            return PreemptionOutcome(f"preemption: {counted(nodes, {}, _NOT_HELPFUL)}", nomination="")
        candidates, rejections = await self._candidates(cycle, hopeful)
        if not candidates:
            return PreemptionOutcome(f"preemption: {counted(nodes, rejections, _NOT_HELPFUL)}", nomination="")
        best = min(candidates, key=_cost)
        found = f"found a potential placement for pod on node {best.node_name}, preempting {len(best.victims)} victims"
        return PreemptionOutcome(f"preemption: {found}", nomination=best.node_name, candidate=best)

    def _not_eligible(self, pod: PodInfo, diagnosis: Diagnosis) -> str:
        """Why it may not move others out of its way, if so."""
        if pod.spec.get("preemptionPolicy") == "Never":
            return "not eligible due to preemptionPolicy=Never."
        nominated = pod.nominated_node
        node = self._cluster.nodes.get(nominated) if nominated else None
        if node is None:
            return ""
        rejection = diagnosis.rejections.get(nominated, diagnosis.others)
        if rejection is not None and rejection.final:
            return ""
        if any(each.priority < pod.priority and each.is_being_preempted for each in node.pods.values()):
            return "not eligible due to a terminating pod on the nominated node."
        return ""

    async def _candidates(
        self, cycle: Cycle, nodes: Sequence[NodeInfo]
    ) -> tuple[list[Candidate], dict[str, Rejection]]:
        await self._sources.ready((BUDGETS,))
        budgets = self._sources.lister(BUDGETS).list()
        enough = max(_LEAST_CANDIDATES, len(nodes) * _CANDIDATES_PERCENT // 100)
        first = self._random.randrange(len(nodes))
        candidates: list[Candidate] = []
        rejections: dict[str, Rejection] = {}
        for number in range(len(nodes)):
            node = nodes[(first + number) % len(nodes)]
            found = self._victims(cycle, node, budgets)
            if isinstance(found, Rejection):
                rejections[node.name] = found
            else:
                candidates.append(found)
                if len(candidates) >= enough and any(not each.violations for each in candidates):
                    break
            if self._slices.is_over:
                await self._slices.next()
        return candidates, rejections

    def _victims(self, cycle: Cycle, node: NodeInfo, budgets: Sequence[Mapping[str, Any]]) -> Candidate | Rejection:
        """As few as can be: all that may go are gone, and then as many as possible come back, the most important first
        and those that a budget protects before the others."""
        room = _Room(cycle, node, self._cluster)
        victims = [pod for pod in node.pods.values() if pod.priority < cycle.pod.priority]
        if not victims:
            return _NO_VICTIMS
        for victim in victims:
            room.remove(victim)
        if (rejection := room.rejection()) is not None:
            return rejection
        victims.sort(key=_importance)
        protected = _protected(victims, budgets)
        chosen: list[PodInfo] = []
        violations = 0
        for victim in sorted(victims, key=lambda each: each.uid not in protected):
            room.add(victim)
            if room.rejection() is None:
                continue
            room.remove(victim)
            chosen.append(victim)
            violations += victim.uid in protected
        if not chosen:
            return Rejection("DefaultPreemption", (f'expected at least one victim pod on node "{node.name}"',))
        return Candidate(node.name, tuple(sorted(chosen, key=_importance)), violations)


class _Room:
    """A node as it would be without some of its pods."""

    def __init__(self, cycle: Cycle, node: NodeInfo, cluster: ClusterState) -> None:
        self._cycle = cycle
        self._node = node.copy()
        self._checks: list[Check] = [check.copy() for check in cycle.checks]
        self._waiting = cluster.nominations.at_least(cycle.pod, node.name)

    def remove(self, pod: PodInfo) -> None:
        self._node.remove(pod)
        for check in self._checks:
            check.remove(pod, self._node)

    def add(self, pod: PodInfo) -> None:
        self._node.add(pod)
        for check in self._checks:
            check.add(pod, self._node)

    def rejection(self) -> Rejection | None:
        if self._waiting:
            found = with_waiting(self._cycle, self._node, self._checks, self._waiting)
            if found is not None:
                return found
        return self._cycle.imagined(self._node, self._checks)


def _importance(pod: PodInfo) -> tuple[int, datetime]:
    """In this order the most important pods come first: those of high priority, then those that have run longest."""
    return -pod.priority, start_time(pod)


def start_time(pod: PodInfo) -> datetime:
    """Now, for a pod that has not started yet."""
    text = (pod.pod.get("status") or {}).get("startTime")
    return _parsed(text) if text else present()


@functools.lru_cache(maxsize=1024)
def _parsed(text: str) -> datetime:
    try:
        return parse_time(text)
    except InvalidTime:
        return present()


def _cost(candidate: Candidate) -> tuple[int, int, int, int, float]:
    """The node with the lowest is taken. Of equal ones, it is that whose most important victims have run shortest."""
    highest = candidate.victims[0].priority
    oldest = min(start_time(pod) for pod in candidate.victims if pod.priority == highest)
    return (
        candidate.violations,
        highest,
        sum(pod.priority + _LOWEST for pod in candidate.victims),
        len(candidate.victims),
        -oldest.timestamp(),
    )


def _protected(victims: Sequence[PodInfo], budgets: Sequence[Mapping[str, Any]]) -> set[str]:
    """Those whose going would break a disruption budget, counting from the most important. Kubernetes:
    FilterVictimsWithPDBViolation."""
    left = [_Budget(budget) for budget in budgets]
    return {pod.uid for pod in victims if pod.labels and any(budget.breaks(pod) for budget in left)}


class _Budget:
    def __init__(self, budget: Mapping[str, Any]) -> None:
        status = budget.get("status") or {}
        self._namespace = budget["metadata"]["namespace"]
        self._allowed: int = status.get("disruptionsAllowed") or 0
        self._gone = status.get("disruptedPods") or {}
        try:
            self._selector = selector_of((budget.get("spec") or {}).get("selector"))
        except InvalidSelector:
            self._selector = None

    def breaks(self, pod: PodInfo) -> bool:
        """Takes one of those that may go."""
        selector = self._selector
        if pod.namespace != self._namespace or selector is None or selector.is_everything:
            return False
        if pod.name in self._gone or not selector.matches(pod.labels):
            return False
        self._allowed -= 1
        return self._allowed < 0
