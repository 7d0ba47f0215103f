"""What a pod says about pods that it wants near or far, parsed once.

Kubernetes: kube-scheduler/framework/types.go, AffinityTerm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from localplane.apimachinery.selectors.labels import InvalidSelector, Selector, selector_of

Labels = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class AffinityTerm:
    """About pods in `namespaces`, and in those whose labels `namespace_selector` matches, that `selector` matches; a
    selector that is None matches nothing."""

    topology_key: str
    namespaces: frozenset[str]
    selector: Selector | None
    namespace_selector: Selector | None

    def matches(self, namespace: str, labels: Labels, namespace_labels: Labels) -> bool:
        if self.selector is None or not self.selector.matches(labels):
            return False
        if namespace in self.namespaces:
            return True
        return self.namespace_selector is not None and self.namespace_selector.matches(namespace_labels)

    @property
    def is_about_all_namespaces(self) -> bool:
        return self.namespace_selector is not None and self.namespace_selector.is_everything

    def resolved(self, named: Callable[[Selector], Iterable[str]]) -> AffinityTerm:
        """The same with the names of the namespaces that its selector means now."""
        if self.namespace_selector is None or self.is_about_all_namespaces:
            return self
        namespaces = self.namespaces | frozenset(named(self.namespace_selector))
        return replace(self, namespaces=namespaces, namespace_selector=None)


@dataclass(frozen=True, slots=True)
class WeightedTerm:
    """`weight` is below zero if the pods are to be far."""

    term: AffinityTerm
    weight: int


@dataclass(frozen=True, slots=True)
class PodAffinity:
    """All that a pod says about others. A term that can't be parsed is in `problem` and nowhere else."""

    required: tuple[AffinityTerm, ...] = ()
    required_anti: tuple[AffinityTerm, ...] = ()
    preferred: tuple[WeightedTerm, ...] = ()
    problem: str = ""

    @property
    def says_anything(self) -> bool:
        return bool(self.required or self.required_anti or self.preferred)


NO_AFFINITY = PodAffinity()
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def pod_affinity(spec: Mapping[str, Any], namespace: str) -> PodAffinity:
    affinity = spec.get("affinity") or {}
    near, far = affinity.get("podAffinity") or {}, affinity.get("podAntiAffinity") or {}
    if not near and not far:
        return NO_AFFINITY
    try:
        return PodAffinity(
            required=tuple(_term(term, namespace) for term in near.get(_REQUIRED) or ()),
            required_anti=tuple(_term(term, namespace) for term in far.get(_REQUIRED) or ()),
            preferred=(*_weighted(near, namespace, sign=1), *_weighted(far, namespace, sign=-1)),
        )
    except InvalidSelector as error:
        return PodAffinity(problem=str(error))


def _weighted(affinity: Mapping[str, Any], namespace: str, *, sign: int) -> list[WeightedTerm]:
    return [
        WeightedTerm(_term(each.get("podAffinityTerm") or {}, namespace), sign * int(each.get("weight", 0)))
        for each in affinity.get(_PREFERRED) or ()
    ]


def _term(term: Mapping[str, Any], namespace: str) -> AffinityTerm:
    names, selector = term.get("namespaces") or (), term.get("namespaceSelector")
    own = not names and selector is None
    return AffinityTerm(
        topology_key=term.get("topologyKey", ""),
        namespaces=frozenset((namespace,) if own else names),
        selector=selector_of(term.get("labelSelector")),
        namespace_selector=selector_of(selector),
    )
