"""What a node by itself has against a pod: its name, its taints, its labels, its ports.

Kubernetes: pkg/scheduler/framework/plugins, nodename, nodeunschedulable, tainttoleration, nodeaffinity and nodeports.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from localplane.controllers.node_selection import (
    NAME_FIELD,
    NO_SCHEDULE,
    PREFER_NO_SCHEDULE,
    UNSCHEDULABLE,
    is_tolerated,
    untolerated_taint,
)
from localplane.scheduler.diagnosis import Rejection, Unschedulable
from localplane.scheduler.state.node_info import NodeInfo
from localplane.scheduler.state.pod_info import PodInfo

from . import names

_OTHER_NAME: Final = Rejection(names.NODE_NAME, ("node(s) didn't match the requested node name",), final=True)
_UNSCHEDULABLE: Final = Rejection(names.NODE_UNSCHEDULABLE, ("node(s) were unschedulable",), final=True)
_TAINTED: Final = Rejection(names.TAINT_TOLERATION, ("node(s) had untolerated taint(s)",), final=True)
_NO_AFFINITY: Final = Rejection(names.NODE_AFFINITY, ("node(s) didn't match Pod's node affinity/selector",), final=True)
_NO_PORTS: Final = Rejection(names.NODE_PORTS, ("node(s) didn't have free ports for the requested pod ports",))
_CONFLICT: Final = Rejection(names.NODE_AFFINITY, ("pod affinity terms conflict",), final=True)
_CORDON: Final = {"key": UNSCHEDULABLE, "effect": NO_SCHEDULE}


def rejection(pod: PodInfo, node: NodeInfo) -> Rejection | None:
    """The first thing that is against it, in the order of the default profile."""
    if pod.node_name and pod.node_name != node.name:
        return _OTHER_NAME
    if node.is_unschedulable and not tolerates_cordon(pod):
        return _UNSCHEDULABLE
    if node.taints and untolerated_taint(node.taints, pod.tolerations) is not None:
        return _TAINTED
    if pod.node_affinity is not None and (node.node is None or not pod.node_affinity.matches(node.node)):
        return _NO_AFFINITY
    if pod.ports and node.ports.conflict(pod.ports):
        return _NO_PORTS
    return None


def tolerates_cordon(pod: PodInfo) -> bool:
    return is_tolerated(_CORDON, pod.tolerations)


def disliked_taints(pod: PodInfo, node: NodeInfo) -> int:
    """How many taints ask to be avoided that the pod does not tolerate; fewer are better."""
    if not node.taints:
        return 0
    mild = [taint for taint in node.taints if taint.get("effect") == PREFER_NO_SCHEDULE]
    return sum(not is_tolerated(taint, pod.preference_tolerations) for taint in mild)


def named_nodes(pod: PodInfo) -> frozenset[str] | None:
    """The only nodes that its affinity allows by their names, as that of a DaemonSet's pod does; None if it does not
    say. Raises Unschedulable if it asks for two at once."""
    affinity = (pod.spec.get("affinity") or {}).get("nodeAffinity") or {}
    terms = (affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}).get("nodeSelectorTerms") or ()
    allowed: frozenset[str] = frozenset()
    for term in terms:
        names_of_term = _names(term)
        if names_of_term is None:
            return None
        allowed |= names_of_term
    if terms and not allowed:
        raise Unschedulable(_CONFLICT)
    return allowed if terms else None


def _names(term: Mapping[str, Any]) -> frozenset[str] | None:
    common: frozenset[str] | None = None
    for field in term.get("matchFields") or ():
        if field.get("key") == NAME_FIELD and field.get("operator") == "In":
            values = frozenset(field.get("values") or ())
            common = values if common is None else common & values
    return common
