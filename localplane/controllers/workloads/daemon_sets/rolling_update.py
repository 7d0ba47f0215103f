"""Which pods of a daemon set give way to newer ones next.

    no surge   old pods go, so many that no more than maxUnavailable are missing; the next look makes new ones
    surge      new pods come beside old ones, maxSurge at a time; an old one goes when its new one is available

Pure. Kubernetes: pkg/controller/daemon/update.go, rollingUpdate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.pods import is_available, is_terminating

from .placement import Judgements, is_updated, template_generation
from .plan import Plan, PodsByNode, min_ready, surge_count, unavailable_count


@dataclass(frozen=True, slots=True)
class _Pair:
    """The pods of one node that stay: one that is new and one that is old, if there are."""

    new: JSONObject | None
    old: JSONObject | None


class RollingUpdate:
    def __init__(self, daemon_set: JSONObject, revision_hash: str, judgements: Judgements, moment: datetime) -> None:
        self._set = daemon_set
        self._hash = revision_hash
        self._generation = template_generation(daemon_set)
        self._wanted = {name for name, judgement in judgements.items() if judgement.should_run}
        self._moment = moment

    def plan(self, pods_by_node: PodsByNode) -> Plan:
        count = len(self._wanted)
        surge, unavailable = surge_count(self._set, count), unavailable_count(self._set, count)
        if surge == 0:
            return self._replacing(pods_by_node, unavailable or min(1, count))
        return self._surging(pods_by_node, surge)

    def _replacing(self, pods_by_node: PodsByNode, limit: int) -> Plan:
        """Old pods that are not available go anyway; then so many others as may be missing."""
        missing, broken, candidates = 0, [], []
        empty = self._wanted - pods_by_node.keys()
        for pods in (*pods_by_node.values(), *(() for _ in empty)):
            pair = self._pair(pods)
            if pair is None or (pair.new is None) is (pair.old is None):
                missing += 1  # somebody else sees to this node
            elif pair.new is not None:
                missing += not self._is_available(pair.new)
            elif pair.old is not None and self._is_available(pair.old):
                candidates.append(pair.old)
            elif pair.old is not None:
                missing += 1
                broken.append(pair.old)
        return Plan(pods=[*broken, *candidates[: max(0, limit - missing)]])

    def _surging(self, pods_by_node: PodsByNode, limit: int) -> Plan:
        plan, surging, available = Plan(), 0, 0
        candidates: list[str] = []
        misplaced: list[JSONObject] = []
        for node, pods in pods_by_node.items():
            pair = self._pair(pods)
            if pair is None:
                surging += 1
                continue
            shown = pair.old or pair.new
            available += shown is not None and self._is_available(shown)
            if pair.old is None:
                continue
            if pair.new is not None and self._is_available(pair.new):
                plan.pods.append(pair.old)
            elif pair.new is not None:
                surging += 1
            elif node in self._wanted:
                (candidates if self._is_available(pair.old) else plan.nodes).append(node)
            else:
                (misplaced if self._is_available(pair.old) else plan.pods).append(pair.old)
        # Whoever surges wants all pods at all times: one that is in the wrong place goes when another took over.
        plan.pods += misplaced[: max(0, available - len(self._wanted))]
        plan.nodes += candidates[: max(0, limit - surging)]
        return plan

    def _pair(self, pods: Sequence[JSONObject]) -> _Pair | None:
        """None if there are several of a kind, which others will put in order first."""
        staying = [pod for pod in pods if not is_terminating(pod)]
        new: list[JSONObject] = []
        old: list[JSONObject] = []
        for pod in staying:
            (new if is_updated(pod, self._hash, self._generation) else old).append(pod)
        if len(new) > 1 or len(old) > 1:
            return None
        return _Pair(new[0] if new else None, old[0] if old else None)

    def _is_available(self, pod: JSONObject) -> bool:
        return is_available(pod, min_ready(self._set), self._moment)
