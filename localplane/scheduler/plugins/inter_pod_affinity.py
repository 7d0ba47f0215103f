"""Pods that want to be near others, or far from them, and what those others say about it.

Kubernetes: pkg/scheduler/framework/plugins/interpodaffinity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Self

from localplane.apimachinery.selectors.labels import Selector
from localplane.controllers.node_selection import labels_of
from localplane.scheduler.diagnosis import Rejection, Unschedulable
from localplane.scheduler.sources import NAMESPACES, Sources
from localplane.scheduler.state.affinity_terms import AffinityTerm, WeightedTerm
from localplane.scheduler.state.cluster import ClusterState
from localplane.scheduler.state.node_info import NodeInfo
from localplane.scheduler.state.pod_info import PodInfo
from localplane.scheduler.state.tallies import PodKind

from . import names

_MOST: Final = 100
_NOT_NEAR: Final = Rejection(names.INTER_POD_AFFINITY, ("node(s) didn't match pod affinity rules",), final=True)
_NOT_FAR: Final = Rejection(names.INTER_POD_AFFINITY, ("node(s) didn't match pod anti-affinity rules",))
_UNWANTED: Final = Rejection(names.INTER_POD_AFFINITY, ("node(s) didn't satisfy existing pods anti-affinity rules",))

Domains = dict[tuple[str, str], int]
"""How many pods there are by topology key and value; none that has none."""


def prepare(pod: PodInfo, cluster: ClusterState, sources: Sources) -> AffinityCheck | None:
    """Raises Unschedulable for terms that can't be understood."""
    affinity = pod.affinity
    if affinity.problem:
        raise Unschedulable(Rejection(names.INTER_POD_AFFINITY, (f"parsing pod: {affinity.problem}",), final=True))
    if not cluster.anti_affinity and not affinity.required and not affinity.required_anti:
        return None
    namespace_labels = _labels_of_namespace(pod, sources)
    unwanted: Domains = {}
    for term, counts in cluster.anti_affinity.items():
        if term.matches(pod.namespace, pod.labels, namespace_labels):
            _sum_up(unwanted, term.topology_key, counts, cluster)
    if not unwanted and not affinity.required and not affinity.required_anti:
        return None
    named = _names_of_namespaces(sources)
    near = tuple(term.resolved(named) for term in affinity.required)
    far = tuple(term.resolved(named) for term in affinity.required_anti)
    check = AffinityCheck(pod, near, far, namespace_labels, unwanted=unwanted)
    _count_near(check, cluster)
    for term in far:
        for kind in _kinds((term,)):
            _sum_up(check.far_domains, term.topology_key, cluster.tallies.of(kind), cluster)
    return check


def _count_near(check: AffinityCheck, cluster: ClusterState) -> None:
    for kind in _kinds(check.near):
        counts = cluster.tallies.of(kind)
        for term in check.near:
            _sum_up(check.near_domains, term.topology_key, counts, cluster)


def _kinds(terms: Sequence[AffinityTerm]) -> list[PodKind]:
    """Pods that all of the terms are about, one kind for each namespace."""
    if not terms or any(term.selector is None for term in terms):
        return []
    requirements = {each for term in terms if term.selector is not None for each in term.selector.requirements}
    selector = Selector(requirements)
    limited = [term.namespaces for term in terms if not term.is_about_all_namespaces]
    if not limited:
        return [PodKind(None, selector, with_going=True)]
    return [PodKind(name, selector, with_going=True) for name in sorted(frozenset.intersection(*limited))]


def _sum_up(domains: Domains, key: str, counts: Mapping[str, int], cluster: ClusterState) -> None:
    for name, count in counts.items():
        node = cluster.nodes.get(name)
        if count and node is not None and key in node.labels:
            domain = key, node.labels[key]
            domains[domain] = domains.get(domain, 0) + count


class AffinityCheck:
    """`near_domains` have pods that match all terms of `near`; `far_domains` those that match one of `far`; in those
    that are `unwanted` there are pods that don't want this one."""

    def __init__(
        self,
        pod: PodInfo,
        near: Sequence[AffinityTerm],
        far: Sequence[AffinityTerm],
        namespace_labels: Mapping[str, str],
        *,
        unwanted: Domains,
    ) -> None:
        self._pod = pod
        self.near = near
        self.far = far
        self._namespace_labels = namespace_labels
        self.near_domains: Domains = {}
        self.far_domains: Domains = {}
        self._unwanted = unwanted
        self._is_its_own_neighbour = _all_match(near, pod)

    def rejection(self, node: NodeInfo) -> Rejection | None:
        if self.near and not self._is_near(node):
            return _NOT_NEAR
        if any(self._has(self.far_domains, term.topology_key, node) for term in self.far):
            return _NOT_FAR
        if self._unwanted and any(domain in self._unwanted for domain in node.labels.items()):
            return _UNWANTED
        return None

    def _is_near(self, node: NodeInfo) -> bool:
        """The first of a group has nobody to be near to, so it may go anywhere if it would be a neighbour itself."""
        if any(term.topology_key not in node.labels for term in self.near):
            return False
        if all(self._has(self.near_domains, term.topology_key, node) for term in self.near):
            return True
        return not self.near_domains and self._is_its_own_neighbour

    @staticmethod
    def _has(domains: Domains, key: str, node: NodeInfo) -> bool:
        return bool(domains) and key in node.labels and domains.get((key, node.labels[key]), 0) > 0

    def add(self, pod: PodInfo, node: NodeInfo) -> None:
        self._change(pod, node, 1)

    def remove(self, pod: PodInfo, node: NodeInfo) -> None:
        self._change(pod, node, -1)

    def _change(self, pod: PodInfo, node: NodeInfo, sign: int) -> None:
        me = self._pod
        for term in pod.affinity.required_anti:
            if term.matches(me.namespace, me.labels, self._namespace_labels):
                _change(self._unwanted, term.topology_key, node, sign)
        if _all_match(self.near, pod):
            for term in self.near:
                _change(self.near_domains, term.topology_key, node, sign)
        for term in self.far:
            if term.matches(pod.namespace, pod.labels, {}):
                _change(self.far_domains, term.topology_key, node, sign)

    def copy(self) -> Self:
        other = type(self)(self._pod, self.near, self.far, self._namespace_labels, unwanted=dict(self._unwanted))
        other.near_domains, other.far_domains = dict(self.near_domains), dict(self.far_domains)
        return other


def _change(domains: Domains, key: str, node: NodeInfo, sign: int) -> None:
    if key not in node.labels:
        return
    domain = key, node.labels[key]
    total = domains.get(domain, 0) + sign
    if total:
        domains[domain] = total
    else:
        domains.pop(domain, None)


def _all_match(terms: Sequence[AffinityTerm], pod: PodInfo) -> bool:
    return bool(terms) and all(term.matches(pod.namespace, pod.labels, {}) for term in terms)


def scores(pod: PodInfo, nodes: Sequence[NodeInfo], cluster: ClusterState, sources: Sources) -> list[int] | None:
    """From 0 to 100 for each of the nodes, or None if nobody prefers anything."""
    if not cluster.preferences and not pod.affinity.preferred:
        return None
    weights: dict[str, dict[str, int]] = {}
    namespace_labels = _labels_of_namespace(pod, sources)
    for weighted, counts in cluster.preferences.items():
        if weighted.term.matches(pod.namespace, pod.labels, namespace_labels):
            _weigh(weights, weighted, counts, cluster)
    named = _names_of_namespaces(sources)
    for wish in pod.affinity.preferred:
        for kind in _kinds((wish.term.resolved(named),)):
            _weigh(weights, wish, cluster.tallies.of(kind), cluster)
    if not weights:
        return None
    raw = [sum(values.get(node.labels.get(key, ""), 0) for key, values in weights.items()) for node in nodes]
    least, span = min(raw), max(raw) - min(raw)
    return [int(_MOST * ((score - least) / span)) if span else 0 for score in raw]


def _weigh(
    weights: dict[str, dict[str, int]], weighted: WeightedTerm, counts: Mapping[str, int], cluster: ClusterState
) -> None:
    key = weighted.term.topology_key
    for name, count in counts.items():
        node = cluster.nodes.get(name)
        if count and node is not None and key in node.labels:
            values = weights.setdefault(key, {})
            values[node.labels[key]] = values.get(node.labels[key], 0) + weighted.weight * count


def _labels_of_namespace(pod: PodInfo, sources: Sources) -> Mapping[str, str]:
    namespace = sources.lister(NAMESPACES).get(pod.namespace)
    return labels_of(namespace) if namespace is not None else {}


def _names_of_namespaces(sources: Sources) -> Callable[[Selector], Iterable[str]]:
    def named(selector: Selector) -> list[str]:
        return [namespace["metadata"]["name"] for namespace in sources.lister(NAMESPACES).list(selector)]

    return named
