"""Spreading pods of a kind evenly over zones, nodes or whatever labels say.

Kubernetes: pkg/scheduler/framework/plugins/podtopologyspread and plugins/helper/spread.go.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from localplane.apimachinery.selectors.labels import InvalidSelector, Selector, from_labels, selector_of
from localplane.controllers.node_selection import untolerated_taint
from localplane.controllers.ownership import controller_of
from localplane.scheduler.diagnosis import Rejection, SchedulerError
from localplane.scheduler.sources import REPLICA_SETS, REPLICATION_CONTROLLERS, SERVICES, STATEFUL_SETS, Sources
from localplane.scheduler.state.cluster import ClusterState
from localplane.scheduler.state.node_info import NodeInfo
from localplane.scheduler.state.pod_info import PodInfo
from localplane.scheduler.state.tallies import PodKind

from . import names

_HOSTNAME: Final = "kubernetes.io/hostname"
_ZONE: Final = "topology.kubernetes.io/zone"
_MOST: Final = 100
_MISMATCH: Final = "node(s) didn't match pod topology spread constraints"
_SKEWED: Final = Rejection(names.POD_TOPOLOGY_SPREAD, (_MISMATCH,))
_UNLABELED: Final = Rejection(names.POD_TOPOLOGY_SPREAD, (f"{_MISMATCH} (missing required label)",), final=True)


@dataclass(frozen=True, slots=True)
class Constraint:
    key: str
    max_skew: int
    selector: Selector | None
    min_domains: int = 1
    honors_affinity: bool = True
    honors_taints: bool = False

    def counts_node(self, pod: PodInfo, node: NodeInfo) -> bool:
        """Whether pods on a node count, even if the pod could not go there."""
        wanted = pod.node_affinity if self.honors_affinity else None
        if wanted is not None and (node.node is None or not wanted.matches(node.node)):
            return False
        return not (self.honors_taints and untolerated_taint(node.taints, pod.tolerations) is not None)

    def matches(self, labels: Mapping[str, str]) -> bool:
        return self.selector is not None and self.selector.matches(labels)

    def tally(self, pod: PodInfo, cluster: ClusterState) -> Mapping[str, int]:
        """How many pods it counts on each node. A selector of everything counts none of them."""
        if self.selector is None or self.selector.is_everything:
            return {}
        return cluster.tallies.of(PodKind(pod.namespace, self.selector, with_going=False))


def prepare(pod: PodInfo, cluster: ClusterState) -> SpreadCheck | None:
    """Raises SchedulerError for a selector that can't be understood."""
    constraints = _constraints(pod, "DoNotSchedule")
    if not constraints:
        return None
    counts: list[dict[str, int]] = [{} for _ in constraints]
    tallies = [constraint.tally(pod, cluster) for constraint in constraints]
    for node in cluster.nodes.values():
        if not _has_all_labels(node, constraints):
            continue
        for constraint, domains, tally in zip(constraints, counts, tallies, strict=True):
            if constraint.counts_node(pod, node):
                value = node.labels[constraint.key]
                domains[value] = domains.get(value, 0) + tally.get(node.name, 0)
    return SpreadCheck(pod, constraints, counts)


class SpreadCheck:
    def __init__(self, pod: PodInfo, constraints: Sequence[Constraint], counts: list[dict[str, int]]) -> None:
        self._pod = pod
        self._constraints = constraints
        self._own = [int(constraint.matches(pod.labels)) for constraint in constraints]
        self._counts = counts
        self._least = [self._fewest(number) for number in range(len(constraints))]

    def _fewest(self, number: int) -> int:
        """In the emptiest domain; none as long as there are fewer domains than wanted."""
        domains, constraint = self._counts[number], self._constraints[number]
        if len(domains) < constraint.min_domains:
            return 0
        return min(domains.values(), default=2**31 - 1)

    def rejection(self, node: NodeInfo) -> Rejection | None:
        for number, constraint in enumerate(self._constraints):
            value = node.labels.get(constraint.key)
            if value is None:
                return _UNLABELED
            there = self._counts[number].get(value, 0)
            if there + self._own[number] - self._least[number] > constraint.max_skew:
                return _SKEWED
        return None

    def add(self, pod: PodInfo, node: NodeInfo) -> None:
        self._change(pod, node, 1)

    def remove(self, pod: PodInfo, node: NodeInfo) -> None:
        self._change(pod, node, -1)

    def _change(self, pod: PodInfo, node: NodeInfo, sign: int) -> None:
        if pod.namespace != self._pod.namespace or not _has_all_labels(node, self._constraints):
            return
        for number, constraint in enumerate(self._constraints):
            if constraint.matches(pod.labels) and constraint.counts_node(self._pod, node):
                domains, value = self._counts[number], node.labels[constraint.key]
                domains[value] = domains.get(value, 0) + sign
                self._least[number] = self._fewest(number)

    def copy(self) -> Self:
        return type(self)(self._pod, self._constraints, [dict(domains) for domains in self._counts])


def scores(pod: PodInfo, nodes: Sequence[NodeInfo], cluster: ClusterState, sources: Sources) -> list[int] | None:
    """From 0 to 100 for each of the nodes that a pod may go to, or None if it does not matter."""
    own = bool(pod.spec.get("topologySpreadConstraints"))
    constraints = _constraints(pod, "ScheduleAnyway") if own else default_constraints(pod, sources)
    if not constraints:
        return None
    left_out = [own and not _has_all_labels(node, constraints) for node in nodes]
    candidates = [node for node, out in zip(nodes, left_out, strict=True) if not out]
    everywhere: Collection[NodeInfo] = cluster.nodes.values()
    if own:
        everywhere = [node for node in everywhere if _has_all_labels(node, constraints)]
    totals: dict[str, float] = {}
    for constraint in constraints:
        counting = everywhere
        if constraint.honors_taints or pod.node_affinity is not None:
            counting = [node for node in everywhere if constraint.counts_node(pod, node)]
        _add_score(totals, constraint, candidates, counting, constraint.tally(pod, cluster))
    return _normalized([round_half_up(totals.get(node.name, 0.0)) for node in nodes], left_out)


def _add_score(
    totals: dict[str, float],
    constraint: Constraint,
    candidates: Sequence[NodeInfo],
    counting: Collection[NodeInfo],
    tally: Mapping[str, int],
) -> None:
    """More for a node in whose domain there are more pods already, so that fewer is better."""
    key = constraint.key
    counts = {} if key == _HOSTNAME else {node.labels.get(key, ""): 0 for node in candidates}
    if counts and tally:
        for node in counting:
            value = node.labels.get(key, "")
            if value in counts:
                counts[value] += tally.get(node.name, 0)
    weight = math.log((len(candidates) if key == _HOSTNAME else len(counts)) + 2)
    for node in candidates:
        domain = node.labels.get(key)
        if domain is not None:
            there = tally.get(node.name, 0) if key == _HOSTNAME else counts[domain]
            totals[node.name] = totals.get(node.name, 0.0) + there * weight + (constraint.max_skew - 1)


def round_half_up(number: float) -> int:
    """As Go's math.Round does for what is not below zero."""
    return math.floor(number + 0.5)


def _normalized(raw: list[int], left_out: list[bool]) -> list[int]:
    counted = [score for score, out in zip(raw, left_out, strict=True) if not out]
    least, most = min(counted, default=0), max(counted, default=0)
    return [
        0 if out else _MOST if most == 0 else _MOST * (most + least - score) // most
        for score, out in zip(raw, left_out, strict=True)
    ]


def _has_all_labels(node: NodeInfo, constraints: Sequence[Constraint]) -> bool:
    return all(constraint.key in node.labels for constraint in constraints)


def _constraints(pod: PodInfo, action: str) -> list[Constraint]:
    written = pod.spec.get("topologySpreadConstraints") or ()
    try:
        return [_constraint(each, pod.labels) for each in written if each.get("whenUnsatisfiable") == action]
    except InvalidSelector as error:
        raise SchedulerError(f"get constraints from pod: {error}") from error


def _constraint(written: Mapping[str, Any], labels: Mapping[str, str]) -> Constraint:
    selector = selector_of(written.get("labelSelector"))
    same = {key: labels[key] for key in written.get("matchLabelKeys") or () if key in labels}
    if same and selector is not None:
        selector = Selector({*from_labels(same).requirements, *selector.requirements})
    return Constraint(
        key=written.get("topologyKey", ""),
        max_skew=written.get("maxSkew", 1),
        selector=selector,
        min_domains=written.get("minDomains") or 1,
        honors_affinity=written.get("nodeAffinityPolicy", "Honor") == "Honor",
        honors_taints=written.get("nodeTaintsPolicy", "Ignore") == "Honor",
    )


def default_constraints(pod: PodInfo, sources: Sources) -> list[Constraint]:
    """For a pod that says nothing but belongs to a service or a controller: nodes first, then zones, if it can be."""
    selector = _default_selector(pod, sources)
    if selector.is_everything:
        return []
    return [Constraint(_HOSTNAME, 3, selector), Constraint(_ZONE, 5, selector)]


def _default_selector(pod: PodInfo, sources: Sources) -> Selector:
    labels: dict[str, str] = {}
    for service in sources.lister(SERVICES).namespaced(pod.namespace).list():
        wanted = service["spec"].get("selector")
        if wanted and all(pod.labels.get(key) == value for key, value in wanted.items()):
            labels |= wanted
    owner = controller_of(pod.pod)
    if owner is None:
        return from_labels(labels)
    match owner.get("apiVersion"), owner.get("kind"):
        case "v1", "ReplicationController":
            controller = sources.lister(REPLICATION_CONTROLLERS).namespaced(pod.namespace).get(owner["name"])
            return from_labels(labels | (controller["spec"].get("selector") or {} if controller else {}))
        case "apps/v1", "ReplicaSet":
            controller = sources.lister(REPLICA_SETS).namespaced(pod.namespace).get(owner["name"])
        case "apps/v1", "StatefulSet":
            controller = sources.lister(STATEFUL_SETS).namespaced(pod.namespace).get(owner["name"])
        case _:
            controller = None
    own = _controller_selector(controller)
    return Selector((*from_labels(labels).requirements, *own.requirements)) if own else from_labels(labels)


def _controller_selector(controller: Mapping[str, Any] | None) -> Selector | None:
    if controller is None:
        return None
    try:
        return selector_of(controller["spec"].get("selector"))
    except InvalidSelector:
        return None
