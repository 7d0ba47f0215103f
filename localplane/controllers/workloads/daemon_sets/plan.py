"""What is to be done about the pods of a daemon set on its nodes. Kubernetes: pkg/controller/daemon,
podsShouldBeOnNode in daemon_controller.go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.catalog.apps.int_or_percent import scaled
from localplane.controllers.pods import is_available, is_ready, is_terminating, phase
from localplane.controllers.workloads.revisions import REVISION_LABEL

from .placement import Judgements, NodeJudgement

PodsByNode = Mapping[str, Sequence[JSONObject]]


@dataclass(slots=True)
class Plan:
    """Nodes that get a pod, and pods that go; `ended` are those of them that have ended by themselves."""

    nodes: list[str] = field(default_factory=list)
    pods: list[JSONObject] = field(default_factory=list)
    ended: list[JSONObject] = field(default_factory=list)


class NodeByNode:
    """One pod on every node that is to have one, and none elsewhere; pods that have ended go, to be made anew."""

    def __init__(self, daemon_set: JSONObject, revision_hash: str, moment: datetime) -> None:
        self._min_ready = min_ready(daemon_set)
        self._surges = surge_count(daemon_set, 1) > 0
        self._hash = revision_hash
        self._moment = moment

    def plan(self, judgements: Judgements, pods_by_node: PodsByNode) -> Plan:
        plan = Plan()
        for name, judgement in judgements.items():
            self._add(plan, name, judgement, pods_by_node.get(name))
        for name, pods in pods_by_node.items():
            if name not in judgements:  # nobody will ever bind these, nor collect them
                plan.pods += [pod for pod in pods if not pod["spec"].get("nodeName")]
        return plan

    def _add(self, plan: Plan, name: str, judgement: NodeJudgement, pods: Sequence[JSONObject] | None) -> None:
        if judgement.should_run and pods is None:
            plan.nodes.append(name)
            return
        staying = [pod for pod in pods or () if not is_terminating(pod)]
        if not judgement.should_continue:
            plan.pods += staying
            return
        running: list[JSONObject] = []
        for pod in staying:
            (plan.ended if phase(pod) in ("Failed", "Succeeded") else running).append(pod)
        running.sort(key=age)
        if not self._surges:
            plan.pods += running[1:]
        elif not running and judgement.should_run:
            plan.nodes.append(name)
        else:
            plan.pods += self._too_many(running)

    def _too_many(self, running: Sequence[JSONObject]) -> list[JSONObject]:
        """There may be two only while the old one is ready and the new one not yet available."""
        if len(running) <= 1:
            return []
        new: list[JSONObject] = []
        old: list[JSONObject] = []
        for pod in running:
            is_new = (pod["metadata"].get("labels") or {}).get(REVISION_LABEL) == self._hash
            (new if is_new else old).append(pod)
        surplus = [*new[1:], *old[1:]]
        if new and old and (not is_ready(old[0]) or is_available(new[0], self._min_ready, self._moment)):
            surplus.append(old[0])
        return surplus


def age(pod: JSONObject) -> tuple[bool, str, str]:
    """Sorts bound pods first, and then the oldest."""
    metadata = pod["metadata"]
    return (not pod["spec"].get("nodeName"), metadata.get("creationTimestamp", ""), metadata["name"])


def min_ready(daemon_set: Mapping[str, Any]) -> timedelta:
    return timedelta(seconds=daemon_set["spec"].get("minReadySeconds", 0))


def surge_count(daemon_set: Mapping[str, Any], wanted: int) -> int:
    """How many more pods than `wanted` there may be during an update."""
    return scaled(_rolling(daemon_set).get("maxSurge", 0), wanted, round_up=True)


def unavailable_count(daemon_set: Mapping[str, Any], wanted: int) -> int:
    """How many of `wanted` pods may be unavailable during an update."""
    return scaled(_rolling(daemon_set).get("maxUnavailable", 0), wanted, round_up=True)


def _rolling(daemon_set: Mapping[str, Any]) -> Mapping[str, Any]:
    strategy = daemon_set["spec"].get("updateStrategy") or {}
    rolling = strategy.get("rollingUpdate") if strategy.get("type") == "RollingUpdate" else None
    return rolling or {}
