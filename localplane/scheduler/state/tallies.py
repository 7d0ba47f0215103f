"""How many pods of a kind each node has, counted when somebody first asks and kept from then on.

Many pods come from one template and ask the same question. Answering it anew from all pods would make a thousand of
them a million questions; here each pod that comes or goes changes a few numbers.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from localplane.apimachinery.selectors.labels import Selector

from .pod_info import PodInfo

_REMEMBERED: Final = 256
K = TypeVar("K", bound=Hashable)
Counts = dict[str, int]
"""By the name of the node; a node with none may be missing."""


@dataclass(frozen=True, slots=True)
class PodKind:
    """Pods that `selector` matches, in one namespace or (None) in all; those that are terminating if `with_going`."""

    namespace: str | None
    selector: Selector
    with_going: bool

    def has(self, pod: PodInfo) -> bool:
        return (
            (self.namespace is None or self.namespace == pod.namespace)
            and (self.with_going or not pod.is_terminating)
            and self.selector.matches(pod.labels)
        )


class PodTallies:
    """`pods` gives all that are on a node now, for a kind that nobody has asked for yet."""

    def __init__(self, pods: Callable[[], Iterable[PodInfo]]) -> None:
        self._pods = pods
        self._counts: OrderedDict[PodKind, Counts] = OrderedDict()

    def of(self, kind: PodKind) -> Mapping[str, int]:
        """Not to be changed, and not to be kept."""
        counts = self._counts.get(kind)
        if counts is None:
            counts = self._counts[kind] = {}
            for pod in self._pods():
                if kind.has(pod):
                    counts[pod.node_name] = counts.get(pod.node_name, 0) + 1
            if len(self._counts) > _REMEMBERED:
                self._counts.popitem(last=False)
        else:
            self._counts.move_to_end(kind)
        return counts

    def count(self, pod: PodInfo, sign: int) -> None:
        """`sign` is 1 for a pod that came and -1 for one that went."""
        node = pod.node_name
        for kind, counts in self._counts.items():
            if kind.has(pod):
                counts[node] = counts.get(node, 0) + sign


class TermTallies(Generic[K]):
    """How many pods on each node say the same about others."""

    def __init__(self) -> None:
        self._counts: dict[K, Counts] = {}

    def __bool__(self) -> bool:
        return bool(self._counts)

    def items(self) -> Iterable[tuple[K, Counts]]:
        return self._counts.items()

    def count(self, terms: Iterable[K], node: str, sign: int) -> None:
        for term in terms:
            counts = self._counts.setdefault(term, {})
            total = counts.get(node, 0) + sign
            if total:
                counts[node] = total
            else:
                counts.pop(node, None)
                if not counts:
                    del self._counts[term]
