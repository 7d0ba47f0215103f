"""Why a pod has no place: per node, and in one sentence for people.

Kubernetes: pkg/scheduler/framework/types.go, FitError and Diagnosis; kube-scheduler/framework, Status.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
class Rejection:
    """`plugin` said no. If it is `final` then the absence of other pods would change nothing; Kubernetes calls that
    UnschedulableAndUnresolvable."""

    plugin: str
    reasons: tuple[str, ...]
    final: bool = False

    @property
    def message(self) -> str:
        return ", ".join(self.reasons)


class Unschedulable(Exception):
    """Raised before any node was looked at: no node will do."""

    def __init__(self, rejection: Rejection) -> None:
        super().__init__(rejection.message)
        self.rejection = rejection


class SchedulerError(Exception):
    """Something is wrong that is not the pod's fault; it is tried again later."""


NO_NODES: Final = "no nodes available to schedule pods"


@dataclass(slots=True)
class Diagnosis:
    """`rejections` are by node. Nodes that nobody looked at are rejected by `others`, if that says anything. `before`
    is what was said before any node was looked at, and `after` what trying to make room came to."""

    nodes: int
    rejections: Mapping[str, Rejection] = field(default_factory=dict)
    others: Rejection | None = None
    before: str = ""
    after: str = ""
    plugins: frozenset[str] = frozenset()

    @property
    def message(self) -> str:
        if not self.nodes:
            return NO_NODES
        parts = [counted(self.nodes, self.rejections, self.others, before=self.before)]
        return " ".join([*parts, self.after] if self.after else parts)


def counted(
    nodes: int, rejections: Mapping[str, Rejection], others: Rejection | None = None, *, before: str = ""
) -> str:
    """How many nodes have which fault."""
    text = f"0/{nodes} nodes are available:"
    if before:
        return f"{text} {before}."
    reasons = Counter(reason for rejection in rejections.values() for reason in rejection.reasons)
    if others is not None and len(rejections) < nodes:
        for reason in others.reasons:
            reasons[reason] += nodes - len(rejections)
    if not reasons:
        return text
    return f"{text} {', '.join(sorted(f'{number} {reason}' for reason, number in reasons.items()))}."
